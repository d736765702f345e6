package settings

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fields are the single values of a mapping, and the lists of such, as they are
// written.
func fields(m *yaml.Node) map[string]string {
	all := map[string]string{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if text, ok := textOf(m.Content[i+1], true); ok {
			all[m.Content[i].Value] = text
		}
	}
	return all
}

// textOf is the text of a single value, or where a list may be, of one, with commas
// between its elements. It is empty for null.
func textOf(v *yaml.Node, list bool) (text string, ok bool) {
	switch {
	case v.Tag == "!!null":
		return "", true
	case v.Kind == yaml.ScalarNode:
		return v.Value, true
	case v.Kind != yaml.SequenceNode || !list:
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

// field is the value of a key in a mapping, nil if it is not there.
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

// setField sets a key of a mapping; a comment on its line stays.
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

// text is a node of a text, quoted where YAML would read something else.
func textNode(text string) *yaml.Node {
	var v yaml.Node
	v.SetString(text)
	return &v
}

func boolNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: text}
}
