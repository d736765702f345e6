package cmd

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// serverTexts are what our server says of a request that it refuses: the
// literals in the details of its errors.
func serverTexts(t *testing.T, add func(where, text string)) {
	t.Helper()
	detailed := []string{"Message", "Detail", "detail"}
	refusing := []string{"fail", "mistyped", "complain", "invalid", "badCursor"}
	inspect(t, func(where string, n ast.Node) {
		var said ast.Expr
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(detailed, key.Name) {
				said = n.Value
			}
		case *ast.CompositeLit:
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "FieldError" && len(n.Elts) == 3 {
				said = n.Elts[2]
			}
		case *ast.CallExpr:
			if slices.Contains(refusing, called(n)) && len(n.Args) > 0 {
				said = n.Args[len(n.Args)-1]
			}
		case *ast.ValueSpec:
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "malformed" {
				said = n.Values[0]
			}
		}
		if text, ok := literal(said); ok && strings.Contains(text, " ") {
			add(where, text)
		}
	}, "../internal/provision/*.go", "../internal/server/*.go", "../internal/store/*.go")
}
