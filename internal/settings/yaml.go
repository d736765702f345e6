package settings

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ativa/internal/lang"
)

// mapping returns the mapping of a file, empty for an empty file.
func mapping(text []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		return nil, wrongLine(second.Line, lang.Msg("a second YAML document begins here; the file must have only one"))
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if doc.Kind != 0 && doc.Content[0].Tag != "!!null" {
		root = doc.Content[0]
		root.HeadComment = cmp.Or(root.HeadComment, doc.HeadComment)
		root.FootComment = cmp.Or(root.FootComment, doc.FootComment)
	}
	if root.Kind != yaml.MappingNode {
		return nil, wrongLine(root.Line, lang.Msg("the file must hold keys and values"))
	}
	return root, nil
}

// onlyComments reports whether a text has comments and no keys: YAML loses its comments,
// so they are copied.
func onlyComments(text []byte) bool {
	var doc yaml.Node
	return len(text) > 0 && yaml.Unmarshal(text, &doc) == nil && doc.Kind == 0
}

// fields returns the values, lists and mappings of a mapping as texts.
func fields(m *yaml.Node) map[string]string {
	all := map[string]string{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if text, ok := textOf(m.Content[i+1], true); ok {
			all[m.Content[i].Value] = text
		}
	}
	return all
}

// textOf returns the text of a value, of a list with commas between its elements, or of a
// mapping, see [Key.Map]. It is empty for null.
func textOf(v *yaml.Node, several bool) (text string, ok bool) {
	switch {
	case v.Tag == "!!null":
		return "", true
	case v.Tag == "!!binary": // not UTF-8, such as a path
		err := v.Decode(&text)
		return text, err == nil
	case v.Kind == yaml.ScalarNode:
		return v.Value, true
	case !several:
		return "", false
	case v.Kind == yaml.MappingNode:
		var lines []string
		for i := 0; i+1 < len(v.Content); i += 2 {
			value, single := textOf(v.Content[i+1], false)
			if !single {
				return "", false
			}
			lines = append(lines, v.Content[i].Value+": "+value)
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n"), true
	case v.Kind != yaml.SequenceNode:
		return "", false
	}
	var parts []string
	for _, element := range v.Content {
		if element.Kind != yaml.ScalarNode {
			return "", false
		}
		parts = append(parts, element.Value)
	}
	return strings.Join(parts, ","), true
}

// field returns the value of a key in a mapping, nil if absent.
func field(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

func scalar(m *yaml.Node, name string) string {
	if v := field(m, name); v != nil && v.Tag != "!!null" {
		return v.Value
	}
	return ""
}

// setField sets a key of a mapping and keeps the comment on its line.
func setField(m *yaml.Node, name string, value *yaml.Node) {
	if v := field(m, name); v != nil {
		comment := v.LineComment
		*v = *value
		v.LineComment = comment
		return
	}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
}

func unsetField(m *yaml.Node, name string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			m.Content = slices.Delete(m.Content, i, i+2)
			return
		}
	}
}

// textNode returns the node of a text, quoted if YAML would misread it.
func textNode(text string) *yaml.Node {
	var v yaml.Node
	v.SetString(text)
	return &v
}
