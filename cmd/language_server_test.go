package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// serverTexts are what our server says of a request that it refuses: the
// literals in the details of its errors.
func serverTexts(t *testing.T, add func(where, text string)) {
	t.Helper()
	detailed := []string{"Message", "Detail", "detail"}
	refusing := []string{"fail", "mistyped", "complain", "invalid"}
	files := token.NewFileSet()
	for _, room := range []string{"../internal/provision/*.go", "../internal/server/*.go", "../internal/store/*.go"} {
		paths, err := filepath.Glob(room)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			say := func(e ast.Expr) {
				if text, ok := literal(e); ok && strings.Contains(text, " ") {
					add(files.Position(e.Pos()).String(), text)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(detailed, key.Name) {
						say(n.Value)
					}
				case *ast.CompositeLit:
					if name, ok := n.Type.(*ast.Ident); ok && name.Name == "FieldError" && len(n.Elts) == 3 {
						say(n.Elts[2])
					}
				case *ast.CallExpr:
					if slices.Contains(refusing, called(n)) && len(n.Args) > 0 {
						say(n.Args[len(n.Args)-1])
					}
				case *ast.ValueSpec:
					if name, ok := n.Type.(*ast.Ident); ok && name.Name == "malformed" {
						say(n.Values[0])
					}
				}
				return true
			})
		}
	}
}
