package cmd

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
	"ativa/internal/service/domain"
	"ativa/internal/sheet"
	"ativa/internal/support"
)

// Every text for people has a translation: the help of all commands, the arguments of
// message functions, the messages of spreadsheets, the columns of tables, the refusals of
// the API. Texts without one are written to the file ATIVA_MISSING.
func TestEverythingSaidHasATranslation(t *testing.T) {
	texts := map[string]string{} // text → source
	add := func(where, text string) {
		if strings.ContainsFunc(text, isLetter) && !slices.Contains(sameInBoth(), text) && !strings.HasPrefix(text, "\tativa ") {
			texts[text] = where
		}
	}
	helpTexts(add)
	messageTexts(t, add)
	for code, text := range sheet.Messages() {
		add("sheet "+code, text)
	}
	for _, s := range api.Statuses() {
		add("meaning of "+s.Name, lifecycle.Meaning(s.Name))
		add("category", string(api.CategoryOf(s.ID)))
	}
	for _, r := range []credentials.Reason{credentials.NotFound, credentials.NoSessionBus, credentials.TimedOut, credentials.ReadableByOthers, credentials.Malformed, credentials.Unavailable} {
		add("credentials", r.Text())
	}
	for _, c := range cli.FlagMessages() {
		add("complaint", c.English)
	}
	for _, word := range slices.Concat(flagTypes(), refusedOptions(), outsideCauses(), operatorRefusals(), damagesOfWorkbooks(), []string{noAnswer, notSent, "access token"}) {
		add("help and options", word)
	}
	for _, v := range slices.Concat(variables(), variablesOf(serveKeys())) {
		add("variable "+v.name, v.meaning)
	}
	serverTexts(t, add)
	for _, code := range refusalCodes() {
		add("code", code)
	}
	for _, name := range fieldsOfFiles() {
		add("field of a file", name)
	}
	for _, reason := range reasonsOfResends() {
		add("sync", reason)
	}
	for _, word := range eventTexts() {
		add("history", word)
	}
	for text := range lang.Translated() {
		if _, said := texts[text]; !said && !slices.Contains(sameInBoth(), text) {
			t.Errorf("%q is unused: remove its translation", text)
		}
	}
	var missing []string
	for text, where := range texts {
		if !lang.Has(text) {
			missing = append(missing, text)
			t.Errorf("%s: no translation of %q", where, text)
		} else if got, want := verbs(lang.Portuguese.Text(text)), verbs(text); !slices.Equal(got, want) {
			t.Errorf("%s: the translation of %q has the verbs %v, want %v", where, text, got, want)
		}
	}
	if len(texts) < 400 {
		t.Errorf("only %d texts were found: is the search still right?", len(texts))
	}
	if path := os.Getenv("ATIVA_MISSING"); path != "" {
		slices.Sort(missing)
		var b strings.Builder
		for _, text := range missing {
			b.WriteString(strconv.Quote(text) + "\n")
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryWordOfATableHasATranslation(t *testing.T) {
	for _, s := range api.Statuses() {
		if lang.Portuguese.Status(s.Name) == s.Name || lang.English.Status(s.Name) != s.Name {
			t.Errorf("status %s: got %q", s.Name, lang.Portuguese.Status(s.Name))
		}
	}
	for _, word := range []string{
		"yes", "no", api.ResultCreated, api.ResultExisting, api.ResultDuplicate, api.ResultFailed, api.ResultAccepted, api.ResultUnchanged,
		api.ResultSent, api.ResultSkipped, api.DeliveryWaiting, api.DeliverySuperseded, api.DeliveryEmail, api.DeliveryPartner, run.StateRunning, run.StateInterrupted, run.StateFinished,
		api.ScheduleWaiting, api.ScheduleDone, api.ScheduleCancelled, api.ScheduleRefused, string(api.Overdue), string(api.Settle),
		run.ActionCreate, run.ActionUpdate, run.ActionActivate, run.ActionChange, run.ActionSuspend, run.ActionReactivate, run.ActionDeactivate, run.ActionRefused, run.ActionInvalid, run.ActionUnschedule, run.ActionDelete,
	} {
		if lang.Portuguese.Word(word) == word || lang.English.Word(word) != word {
			t.Errorf("%s: got %q", word, lang.Portuguese.Word(word))
		}
	}
}

func TestEveryTriggerOfAnEventHasWords(t *testing.T) {
	triggers := []string{"create", "import", "update", "delete"}
	for r := domain.RequestActivate; r <= domain.RequestSettle; r++ {
		triggers = append(triggers, r.String())
	}
	for trigger := domain.Suspend; trigger.String() != ""; trigger++ {
		triggers = append(triggers, trigger.String())
	}
	for _, trigger := range triggers {
		if support.TriggerMessage(trigger).English == "%s" {
			t.Errorf("%s has none", trigger)
		}
	}
}

// inspect visits the syntax tree of the files that match the patterns, except tests.
func inspect(t *testing.T, visit func(where string, n ast.Node), patterns ...string) {
	t.Helper()
	files := token.NewFileSet()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
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
			ast.Inspect(file, func(n ast.Node) bool {
				if n != nil {
					visit(files.Position(n.Pos()).String(), n)
				}
				return true
			})
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// verbs are the verbs of a format and the placeholders in braces, sorted.
func verbs(s string) []string {
	all := regexp.MustCompile(`%%|%[-+#0-9.]*[a-zA-Z]\b|\{[a-zA-Z]+\}`).FindAllString(s, -1)
	slices.Sort(all)
	return all
}

// helpTexts are the texts of all help pages, by paragraph.
func helpTexts(add func(where, text string)) {
	root := describedTree()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		where := "help of " + c.CommandPath()
		add(where, c.Short)
		for _, group := range c.Groups() {
			add(where, group.Title)
		}
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			isTable := strings.HasPrefix(paragraph, "  ATIVA_") || strings.HasPrefix(paragraph, "  name  ") || strings.HasPrefix(paragraph, "      --context") // composed of parts
			if !isTable && !strings.HasPrefix(paragraph, "Exit codes: ") && strings.TrimSuffix(paragraph, ".") != c.Short {
				add(where, paragraph)
			}
		}
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if f.Name != "help" { // added by cobra, with the name of the command
					add(where+" --"+f.Name, f.Usage)
				}
			})
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// messageTexts are the literal arguments of message functions, and the titles of columns.
func messageTexts(t *testing.T, add func(where, text string)) {
	t.Helper()
	// The number of leading arguments that are texts.
	textArguments := map[string]int{"Msg": 1, "Usage": 1, "NotFound": 1, "Notice": 1, "WithHint": 1, "print": 1, "title": 1, "Text": 1, "Textf": 1, "NewProgress": 2}
	structs, rows := map[string]*ast.StructType{}, map[string]string{} // structs by name, and the places of row types
	inspect(t, func(where string, n ast.Node) {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				structs[n.Name.Name] = s
			}
		case *ast.CallExpr:
			if generic, ok := n.Fun.(*ast.IndexExpr); ok && fmt.Sprint(generic.X) == "schemaOf" {
				rows[fmt.Sprint(generic.Index)] = where
				if text, _ := literal(n.Args[2]); text != "" {
					add(where, text)
				}
			}
			if called(n) == "count" && len(n.Args) == 2 { // a column of a summary
				if text, ok := literal(n.Args[0]); ok {
					add(where, strings.ReplaceAll(text, "_", " "))
				}
			}
			for _, arg := range n.Args[:min(textArguments[called(n)], len(n.Args))] {
				if text, ok := literal(arg); ok {
					add(where, text)
				}
			}
		case *ast.CompositeLit:
			if title := columnTitle(n); title != "" {
				add(where, title)
			}
			if table, ok := n.Type.(*ast.MapType); ok && fmt.Sprint(table.Value) == "pageText" {
				addPages(where, n, add)
			}
		case *ast.KeyValueExpr: // the text for an empty list
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Empty" {
				if text, ok := literal(n.Value); ok {
					add(where, text)
				}
			}
		}
	}, "*.go", "desk/*.go", "doctor/*.go", "operator/*.go", "../internal/run/*.go", "../internal/cli/*.go", "../internal/client/*.go", "../internal/credentials/*.go", "../internal/sheet/*.go",
		"../internal/failure/*.go", "../internal/lang/*.go", "../internal/render/*.go", "../internal/settings/*.go", "../internal/support/*.go",
		"../internal/service/outbox/activation_email.go", "../internal/service/server/language.go")
	for row, where := range rows {
		if structs[row] != nil {
			rowTitles(structs, structs[row], func(title string) { add(where, title) })
		}
	}
}

// addPages adds the texts of the pages of activation links.
func addPages(where string, table *ast.CompositeLit, add func(where, text string)) {
	for _, page := range table.Elts {
		for _, cell := range page.(*ast.KeyValueExpr).Value.(*ast.CompositeLit).Elts {
			text, _ := literal(cell)
			add(where, text)
		}
	}
}

// rowTitles adds the column titles of a row's fields.
func rowTitles(structs map[string]*ast.StructType, row *ast.StructType, add func(title string)) {
	for _, f := range row.Fields.List {
		if embedded, ok := f.Type.(*ast.StarExpr); ok && len(f.Names) == 0 {
			rowTitles(structs, structs[fmt.Sprint(embedded.X)], add)
			continue
		}
		text, _ := literal(f.Tag)
		tag := reflect.StructTag(text)
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		_, title, _ := strings.Cut(tag.Get("column"), "title=")
		title, _, _ = strings.Cut(title, ",")
		if tag.Get("column") != "-" {
			add(cmp.Or(title, strings.ReplaceAll(name, "_", " ")))
		}
	}
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// columnTitle is the title of a literal of a render.Column.
func columnTitle(l *ast.CompositeLit) string {
	name, title, isColumn := "", "", false
	for _, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return ""
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			return ""
		}
		text, _ := literal(kv.Value)
		switch key.Name {
		case "Name":
			name = text
		case "Title":
			title = text
		case "Value":
			isColumn = true
		}
	}
	if !isColumn {
		return ""
	}
	return cmp.Or(title, strings.ReplaceAll(name, "_", " "))
}

// serverTexts are the literals in the error details of our server.
func serverTexts(t *testing.T, add func(where, text string)) {
	t.Helper()
	detailed := []string{"Message", "Detail", "detail"}
	refusing := []string{"fail", "mistyped", "addError", "Invalid", "BadCursor", "malformed"}
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
		}
		if text, ok := literal(said); ok && strings.Contains(text, " ") {
			add(where, text)
		}
	}, "../internal/service/domain/*.go", "../internal/service/rules/*.go", "../internal/service/accounts/*.go", "../internal/service/reports/*.go", "../internal/service/outbox/*.go", "../internal/service/server/*.go", "../internal/service/store/*.go")
}
