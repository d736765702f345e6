package cmd

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"ativa/internal/sheet/columns"
)

var update = flag.Bool("update", false, "rewrite the generated pages and completions")

// docs/cli, docs/man and completions are written from the command tree. Rewrite them with
// go test ./cmd -run Generated -update
func TestGeneratedPagesAndCompletionsAreCurrent(t *testing.T) {
	want := generate(t)
	for _, dir := range []string{"../docs/cli", "../docs/man", "../completions"} {
		if *update {
			must(t, os.RemoveAll(dir))
			must(t, os.MkdirAll(dir, 0o755))
		}
		have, err := filepath.Glob(dir + "/*")
		must(t, err)
		for _, path := range have {
			if _, ok := want[path]; !ok {
				t.Errorf("%s is not generated any more; delete it", path)
			}
		}
	}
	for path, text := range want {
		golden(t, path, string(text))
	}
}

// golden compares a generated file with what it should hold; -update writes it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(want), 0o644))
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != want {
		t.Errorf("%s is stale: run go test ./cmd -run '%s' -update, and look at what changed: %v\n%s",
			path, t.Name(), err, gocmp.Diff(strings.Split(string(have), "\n"), strings.Split(want, "\n")))
	}
}

func generate(t *testing.T) map[string][]byte {
	t.Helper()
	files, date := map[string][]byte{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // fixed for reproducible output
	root := describedTree()
	root.DisableAutoGenTag = true
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // only `help flags` lists them
	row := regexp.MustCompile("(?m)^ ")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		if c != root { // else the generators give every group a help command
			c.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
		}
		c.Long = row.ReplaceAllString(cmp.Or(c.Long, c.Short+"."), "     ") // a table keeps its lines
		if topic := strings.HasPrefix(c.CommandPath(), "ativa help "); !topic {
			c.Long += "\n\nGlobal flags: see `ativa help flags`."
		}
		var page bytes.Buffer
		must(t, doc.GenMarkdown(c, &page))
		files[filepath.Join("../docs/cli", strings.ReplaceAll(c.CommandPath(), " ", "_")+".md")] = page.Bytes()
		var manual bytes.Buffer
		must(t, doc.GenMan(c, &doc.GenManHeader{Section: "1", Date: &date, Source: "Ativa", Manual: "Ativa Manual"}, &manual))
		files[filepath.Join("../docs/man", strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")] = manual.Bytes()
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	files["../docs/columns.md"] = columnsPage(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"ativa.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_ativa":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"ativa.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"ativa.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var script bytes.Buffer
		must(t, write(&script))
		files[filepath.Join("../completions", name)] = script.Bytes()
	}
	return files
}

// columnsPage lists the column names of a spreadsheet, and keeps the hand-written text
// below.
func columnsPage(t *testing.T) []byte {
	t.Helper()
	const byHand = "\n## The systems of providers\n"
	old, err := os.ReadFile("../docs/columns.md")
	_, rest, found := strings.Cut(string(old), byHand)
	if err != nil || !found {
		t.Fatalf("docs/columns.md without its part by hand, %v", err)
	}
	var b bytes.Buffer
	b.WriteString("# Columns of a spreadsheet\n\nThe first table is written from the code by `go test ./cmd -run Generated -update`. Case, accents,\nspaces and punctuation do not matter. Names in a line marked `if no other` count where no other\ncolumn has the field. A `surname` completes a name, an `area_code` a telephone number\nwithout one.\n\n| field | needed | names |\n|---|---|---|\n")
	for _, a := range columns.Aliases() {
		needed := ""
		switch {
		case a.Fallback:
			needed = "if no other"
		case a.Required:
			needed = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Field, needed, strings.ReplaceAll(strings.Join(a.Names, ", "), "|", "\\|"))
	}
	b.WriteString(byHand + rest)
	return b.Bytes()
}
