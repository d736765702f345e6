package cmd

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sourceTexts adds the texts for people in the program's source: arguments of message functions,
// fields and constants of errors, titles of columns. It returns all literals with a blank.
func sourceTexts(t *testing.T, add func(where, text string)) (literals map[string]bool) {
	t.Helper()
	literals = map[string]bool{}
	inspect(t, func(where string, n ast.Node) {
		say := func(e ast.Expr) {
			if text := literal(e); text != "" {
				add(where, text)
			}
		}
		switch n := n.(type) {
		case *ast.BasicLit:
			text := literal(n)
			literals[text] = strings.Contains(text, " ")
			page := strings.HasPrefix(where, "../internal/service/server/language.go") && literals[text]
			kindOfFile := strings.HasPrefix(where, "../internal/sheet/") && regexp.MustCompile("^an? ").MatchString(text)
			if page || kindOfFile {
				add(where, text)
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && isRow.MatchString(where+n.Name.Name) && n.Name.Name != "tokenRow" { // its columns are literals
				for _, f := range s.Fields.List {
					add(where, fieldTitle(f))
				}
			}
		case *ast.ValueSpec:
			code := strings.HasPrefix(n.Names[0].Name, "Code") && len(n.Values) > 0 && !slices.Contains(withoutText(), literal(n.Values[0]))
			inAPI := strings.HasPrefix(where, "../internal/api/") || strings.HasPrefix(where, "../internal/cpf/")
			if nameOf(n.Type) == "constError" || code && inAPI {
				say(n.Values[0])
			}
		case *ast.CallExpr:
			argumentTexts(n, say)
		case *ast.CompositeLit:
			add(where, columnTitle(n))
			if name := nameOf(n.Type); len(n.Elts) > 0 && (name == "FieldError" || name == "DamagedError") {
				say(n.Elts[len(n.Elts)-1])
			}
		case *ast.KeyValueExpr:
			if text := literal(n.Value); strings.Contains(text, " ") && slices.Contains([]string{"Message", "Detail", "detail", "Empty"}, nameOf(n.Key)) {
				add(where, text)
			}
		}
	})
	return literals
}

// argumentTexts calls say for the arguments of a call that are texts for people.
func argumentTexts(c *ast.CallExpr, say func(ast.Expr)) {
	leading := map[string]int{"Msg": 1, "Usage": 1, "NotFound": 1, "Notice": 1, "WithHint": 1, "print": 1, "title": 1, "Text": 1, "Textf": 1, "NewProgress": 2, "constError": 1, "unavailable": 1}
	trailing := []string{"fail", "mistyped", "addError", "Invalid", "BadCursor", "malformed", "RefusalOf", "explainDuplicate", "SchemaOf", "fieldError", "invalidField"}
	name, n := nameOf(c.Fun), len(c.Args)
	for _, arg := range c.Args[:min(leading[name], n)] {
		say(arg)
	}
	if printed := strings.HasPrefix(name, "Fprint") && n > 1; printed && slices.Contains([]string{"Out", "Err"}, nameOf(c.Args[0])) {
		say(c.Args[1])
	}
	if n > 0 && slices.Contains(trailing, name) && strings.Contains(literal(c.Args[n-1]), " ") {
		say(c.Args[n-1])
	}
}

// isRow matches the place and the name of a type of rows.
var isRow = regexp.MustCompile(`^../(cmd|internal/cli)/.*(Row|build|importSummary)$`)

// fieldTitle is the column title of a row's field, "" if it has none.
func fieldTitle(f *ast.Field) string {
	tag := reflect.StructTag(literal(f.Tag))
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	_, title, _ := strings.Cut(tag.Get("column"), "title=")
	title, _, _ = strings.Cut(title, ",")
	if tag.Get("column") == "-" {
		return ""
	}
	return cmp.Or(title, strings.ReplaceAll(name, "_", " "))
}

// nameOf returns the last name of a function, a type or a key.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return nameOf(e.X)
	}
	return ""
}

// literal returns the text of a literal, "" for any other expression.
func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l == nil || l.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return text
}

// columnTitle is the title of a literal of a render.Column, "" for any other literal.
func columnTitle(l *ast.CompositeLit) string {
	texts, isColumn := map[string]string{}, false
	for _, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return ""
		}
		texts[nameOf(kv.Key)] = literal(kv.Value)
		isColumn = isColumn || nameOf(kv.Key) == "Value"
	}
	if !isColumn {
		return ""
	}
	return cmp.Or(texts["Title"], strings.ReplaceAll(texts["Name"], "_", " "))
}

// inspect visits the syntax trees of the program, without tests and what only they use.
func inspect(t *testing.T, visit func(where string, n ast.Node)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || strings.HasSuffix(d.Name(), "test")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				visit(filepath.ToSlash(files.Position(n.Pos()).String()), n)
			}
			return true
		})
		return nil
	})
	must(t, err)
}
