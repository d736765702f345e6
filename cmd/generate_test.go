package cmd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var update = flag.Bool("update", false, "rewrite the generated pages and completions")

// docs/cli and completions are written from the command tree. Rewrite them with
// go test ./cmd -run Generated -update
func TestGeneratedPagesAndCompletionsAreCurrent(t *testing.T) {
	want := generate(t)
	for _, dir := range []string{"../docs/cli", "../completions"} {
		if *update {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		have, err := filepath.Glob(dir + "/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range have {
			if _, ok := want[path]; !ok {
				t.Errorf("%s is not generated any more; delete it", path)
			}
		}
	}
	for path, text := range want {
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s is stale: run go test ./cmd -run Generated -update", path)
		}
	}
}

// generate makes every file by its path.
func generate(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := newRoot(&env{getenv: func(string) string { return "" }})
	root.DisableAutoGenTag = true
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		var page bytes.Buffer
		if err := doc.GenMarkdown(c, &page); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join("../docs/cli", strings.ReplaceAll(c.CommandPath(), " ", "_")+".md")] = page.Bytes()
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"ativa.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_ativa":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"ativa.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"ativa.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var script bytes.Buffer
		if err := write(&script); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join("../completions", name)] = script.Bytes()
	}
	return files
}
