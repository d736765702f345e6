package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlListWriter writes the API's envelope around a list, row by row.
type yamlListWriter struct {
	out      io.Writer
	name     string
	trailing func() any
	response string
	rows     int
}

func (l *yamlListWriter) open() error { return nil }

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
	fields, err := closingFields(l.trailing, l.response, complete)
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
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch v := token.(type) {
	case json.Delim:
		return yamlCollection(d, v)
	case string:
		n := scalar("!!str", v)
		if !needsNoQuotes(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return scalar("!!float", v.String()), nil
		}
		return scalar("!!int", v.String()), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(v)), nil
	default:
		return scalar("!!null", "null"), nil
	}
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

// needsNoQuotes reports whether a text is safe without quotes in every version of
// YAML: it begins with a letter, has no special characters and is no keyword.
func needsNoQuotes(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) || strings.HasSuffix(s, " ") {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-./@", r) {
			return false
		}
	}
	words := []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
	return !slices.Contains(words, strings.ToLower(s))
}
