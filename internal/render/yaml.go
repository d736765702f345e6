package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// yamlListWriter writes the API's envelope around a list, row by row.
type yamlListWriter struct {
	envelope
	out  io.Writer
	rows int
}

func (l *yamlListWriter) row(r rowValues) error {
	l.rows++
	if l.rows == 1 && l.name != "" {
		if _, err := io.WriteString(l.out, l.name+":\n"); err != nil {
			return err
		}
	}
	n, err := yamlNode(r.object)
	if err != nil {
		return err
	}
	return encodeYAML(l.out, &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}})
}

func (l *yamlListWriter) close(complete bool) error {
	tail := ""
	switch {
	case l.rows == 0 && l.name == "":
		tail = "[]\n"
	case l.rows == 0:
		tail = l.name + ": []\n"
	}
	if _, err := io.WriteString(l.out, tail); err != nil || l.name == "" {
		return err
	}
	fields, err := l.closing(complete)
	if err != nil {
		return err
	}
	return writeYAML(l.out, fields)
}

func writeYAML(out io.Writer, doc json.RawMessage) error {
	n, err := yamlNode(doc)
	if err != nil {
		return err
	}
	return encodeYAML(out, n)
}

func encodeYAML(out io.Writer, n *yaml.Node) error {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(n), e.Close()); err != nil {
		return fmt.Errorf("show YAML: %w", err)
	}
	// Unsafe characters are within double quotes, where an escape means the
	// same. The encoder escapes only some of them.
	_, err := io.WriteString(out, sanitise(b.String(), "\n"))
	return err
}

// yamlNode converts a JSON value. It keeps the order of the fields and the
// spelling of numbers.
func yamlNode(raw json.RawMessage) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := yamlValue(d)
	if err != nil {
		return nil, fmt.Errorf("show YAML: %w", err)
	}
	return n, nil
}

func yamlValue(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := token.(type) {
	case json.Delim:
		return yamlCollection(d, v)
	case json.Number:
		n.Value = v.String()
	case string:
		if err := n.Encode(v); err != nil {
			return nil, err
		}
		if n.Style != 0 || Sanitise(v) != v {
			n.Style = yaml.DoubleQuotedStyle
		}
	default:
		err = n.Encode(v)
	}
	return n, err
}

// yamlCollection converts an object or an array, after its opening delimiter.
func yamlCollection(d *json.Decoder, opening json.Delim) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if opening == '{' {
		n.Kind = yaml.MappingNode
	}
	for d.More() {
		v, err := yamlValue(d)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	_, err := d.Token()
	return n, err
}
