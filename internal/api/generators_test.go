package api_test

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"ativa/internal/api"
)

// TestDescriptionIsReadByGenerators holds what oapi-codegen and ogen cannot read out of
// the description (decisions.md 10).
func TestDescriptionIsReadByGenerators(t *testing.T) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(api.OpenAPI()), &document); err != nil {
		t.Fatal(err)
	}
	root := document.Content[0]
	eachNode(root, func(n *yaml.Node) {
		switch {
		case n.Anchor != "" || n.Kind == yaml.AliasNode:
			t.Errorf("line %d: an anchor or its alias", n.Line)
		case n.Value == "anyOf" || n.Value == "const":
			t.Errorf("line %d: %s; use oneOf or enum", n.Line, n.Value)
		}
	})
	used := map[string]bool{}
	follow(root, member(root, "paths"), used)
	components := member(root, "components")
	seen := map[string]string{}
	for i := 0; i < len(components.Content); i += 2 {
		kind, all := components.Content[i].Value, components.Content[i+1]
		for j := 0; j < len(all.Content); j += 2 {
			name := all.Content[j].Value
			key := strings.ToLower(name)
			if other := seen[key]; other != "" {
				t.Errorf("%s: one of %s and one of %s", name, other, kind)
			}
			seen[key] = kind
			if kind != "securitySchemes" && !used["#/components/"+kind+"/"+name] {
				t.Errorf("%s %s: no path needs it", kind, name)
			}
			if kind == "schemas" && strings.HasSuffix(name, "Response") {
				t.Errorf("%s: clients name what an operation returns like this", name)
			}
		}
	}
	whole := []string{api.ParamPage, api.ParamPerPage, api.ParamLimit, api.ParamWait}
	eachNode(root, func(n *yaml.Node) {
		name, schema := member(n, "name"), member(n, "schema")
		if name == nil || schema == nil || !slices.Contains(whole, name.Value) {
			return
		}
		if kind := member(schema, "type"); kind == nil || kind.Value != "integer" {
			t.Errorf("line %d: the parameter %s is no integer", n.Line, name.Value)
		}
	})
}

func eachNode(n *yaml.Node, do func(*yaml.Node)) {
	do(n)
	for _, c := range n.Content {
		eachNode(c, do)
	}
}

// member is the value of a member of a mapping, or nil.
func member(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// follow adds the references in n, and in what they refer to, to used.
func follow(root, n *yaml.Node, used map[string]bool) {
	eachNode(n, func(n *yaml.Node) {
		ref := member(n, "$ref")
		if ref == nil || used[ref.Value] {
			return
		}
		used[ref.Value] = true
		target := root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref.Value, "#/"), "/") {
			target = member(target, part)
		}
		follow(root, target, used)
	})
}
