package cmd

import (
	"go/ast"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// commands returns all commands by name without "ativa".
func commands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		all[strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "ativa"), " ")] = c
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(describedTree())
	return all
}

func TestEveryCommandCarriesItsFacts(t *testing.T) {
	known := cli.Map(exitCodes(), func(c exitCode) string { return strconv.Itoa(c.code) })
	suggested := map[string]string{}
	same := []string{"DOC", "ID", "URL", "DB", "STATUS"} // in both languages
	for name, c := range commands() {
		if c.Short == "" || len(c.Short) > 90 || strings.HasSuffix(c.Short, ".") || strings.Contains(c.Short, "\n") {
			t.Errorf("%q has no purpose in one line: %q", name, c.Short)
		}
		if fromCobra := name == "completion" || strings.HasPrefix(name, "completion "); !fromCobra && (c.Args == nil || c.RunE == nil) {
			t.Errorf("%q leaves its arguments or its run to cobra, which exits 0", name)
		}
		for _, word := range regexp.MustCompile(`[A-Z]{2,}`).FindAllString(c.Use, -1) {
			if lang.Portuguese.Word(word) == word && !slices.Contains(same, word) {
				t.Errorf("%q takes %s, which has no Portuguese", name, word)
			}
		}
		if codes, has := cli.Annotation(c, cli.ExitCodes); !has && c.HasParent() {
			t.Errorf("%q has no exit codes, nor has its group", name)
		} else {
			for code := range strings.FieldsSeq(codes) {
				if !slices.Contains(known, code) {
					t.Errorf("%q has the exit code %s, which `ativa help exit-codes` does not explain", name, code)
				}
			}
		}
		if grouped := c.HasParent() && len(c.Parent().Groups()) > 0; grouped && !c.Parent().ContainsGroup(c.GroupID) {
			t.Errorf("%q is under no heading in the help of %q", name, c.Parent().CommandPath())
		}
		for _, word := range c.SuggestFor {
			if other, taken := suggested[word]; taken {
				t.Errorf("%q and %q are both suggested for %q", name, other, word)
			}
			suggested[word] = name
		}
		if topic := strings.HasPrefix(name, "help "); !topic && !c.HasSubCommands() {
			checkLeaf(t, name, c)
		}
	}
}

// checkLeaf checks the help of a command that does something.
func checkLeaf(t *testing.T, name string, c *cobra.Command) {
	t.Helper()
	if n := len(examples(c)); n < 2 {
		t.Errorf("%q has %d examples, want two", name, n)
	}
	for _, line := range examples(c) {
		if !strings.Contains(line, "ativa "+name) {
			t.Errorf("%q is not an example of %q", line, name)
		}
		for _, call := range calls(line) {
			parse(t, name, call, true)
		}
	}
	if !strings.Contains(c.Long, "\n\nExit codes: 0 ok, 1 error, 2 usage") {
		t.Errorf("%q lacks its exit codes", name)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, l := range []lang.Language{lang.English, lang.Portuguese} {
			if usage := l.Text(f.Usage); strings.Contains(usage, "`") { // pflag takes what is in back quotes for the value's name
				t.Errorf("%q --%s has a back quote in %q", name, f.Name, usage)
			}
		}
	})
}

func examples(c *cobra.Command) []string {
	return slices.Collect(func(yield func(string) bool) {
		for line := range strings.Lines(strings.ReplaceAll(c.Example, " \\\n      ", " ")) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
		}
	})
}

func TestHelpListsEveryVariableThatIsRead(t *testing.T) {
	listed := cli.Map(variables(), func(v variable) string { return v.name })
	ofServe := cli.Map(variablesOf(serveKeys()), func(v variable) string { return v.name }) // no literals: derived from flags
	named, locale := regexp.MustCompile(`ATIVA_[A-Z_]+`), regexp.MustCompile(`^(LC_[A-Z]+|LANG)$`)
	found := map[string]string{}
	inspect(t, func(where string, n ast.Node) {
		switch n := n.(type) {
		case *ast.BasicLit:
			for _, name := range append(named.FindAllString(literal(n), -1), locale.FindString(literal(n))) {
				found[name] = where
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && slices.Contains([]string{"getenv", "Getenv", "LookupEnv", "dir"}, nameOf(n.Fun)) {
				found[literal(n.Args[0])] = where
			}
		case *ast.ValueSpec:
			if strings.HasSuffix(n.Names[0].Name, "Variable") && len(n.Values) > 0 {
				found[literal(n.Values[0])] = where
			}
		}
	})
	delete(found, "")
	for name, path := range found {
		if !slices.Contains(listed, name) && !slices.Contains(ofServe, name) {
			t.Errorf("%s reads %s, which `ativa help environment` does not list", path, name)
		}
	}
	for _, name := range listed {
		if strings.HasPrefix(name, "ATIVA_") && found[name] == "" {
			t.Errorf("`ativa help environment` lists %s, which nothing reads", name)
		}
	}
}

// describedTree returns the help of every command in English.
func describedTree() *cobra.Command {
	root := newRoot(&cli.Env{Out: io.Discard, Getenv: func(string) string { return "" }, Lang: lang.English})
	var describe func(*cobra.Command)
	describe = func(c *cobra.Command) {
		c.InheritedFlags().SortFlags = false
		_ = c.Help() // output is discarded
		for _, sub := range c.Commands() {
			describe(sub)
		}
	}
	describe(root)
	return root
}
