package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
)

// pages are the hand-written documents by path; generated ones have their own test.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found, err := filepath.Glob("../docs/*.md")
	must(t, err)
	all := map[string]string{}
	for _, path := range append(found, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md") {
		all[path] = readPage(t, path)
	}
	return all
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// calls returns the ativa commands in a block, without comments: at the start of a line,
// after a variable, cron's time or a pipe, or with a path.
func calls(block string) []string {
	command := regexp.MustCompile(`(?:^|[\s(/|;=])ativa (.*)`)
	var all []string
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
		line, _, _ = strings.Cut(line, " #")
		if m := command.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "#") {
			all = append(all, "ativa "+strings.TrimSpace(inside(m[1])))
		}
	}
	return all
}

// inside returns a text up to its closing parenthesis.
func inside(text string) string {
	open := 0
	for i, r := range text {
		switch r {
		case '(':
			open++
		case ')':
			if open--; open < 0 {
				return text[:i]
			}
		}
	}
	return text
}

// shellWords splits a line like a shell, up to a redirection, and without "…" unless it
// is a flag's value.
func shellWords(line string) []string {
	var all []string
	for _, word := range regexp.MustCompile(`("[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'])+`).FindAllString(line, -1) {
		if strings.ContainsAny(word[:1], "><|&;") || strings.HasPrefix(word, "2>") {
			break
		}
		if word == "…" && !strings.HasPrefix(all[len(all)-1], "--") {
			continue
		}
		all = append(all, word)
	}
	return all
}

// parse finds the command of a line and reads its flags; whole lines must also have valid
// arguments.
func parse(t *testing.T, where, line string, whole bool) {
	t.Helper()
	root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
	there := strings.NewReplacer("$HOME", t.TempDir(), "%h", t.TempDir()).Replace(line)
	c, rest, err := root.Find(shellWords(there)[1:])
	if err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
		return
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
		return
	}
	given := c.Flags().Args()
	if c.HasSubCommands() && len(given) > 0 && c.Name() != "help" {
		t.Errorf("%s: %s: there is no command %q", where, line, given[0])
	}
	if !whole || c.HasSubCommands() {
		return
	}
	if err := errors.Join(c.Args(c, given), c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
	}
	if filter, err := c.Flags().GetString("jq"); err == nil {
		if _, err := gojq.Parse(strings.Trim(filter, `'"`)); filter != "" && err != nil {
			t.Errorf("%s: %s: %v", where, line, err)
		}
	}
}

func TestDocumentationNamesOnlyCommandsAndFlagsThatExist(t *testing.T) {
	flags := map[string]bool{"--help": true}
	for _, c := range commands() {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		}
	}
	absent := []string{"ativa version --check"} // the pages say that this flag does not exist
	seen := 0
	for path, page := range pages(t) {
		for _, block := range blocks(page) {
			for _, line := range calls(block.text) {
				seen++
				parse(t, path, line, true)
			}
		}
		for _, m := range regexp.MustCompile("`(ativa [^`]+|--[^`]+)`").FindAllStringSubmatch(page, -1) {
			seen++
			named := strings.Join(strings.Fields(m[1]), " ")
			if slices.Contains(absent, named) {
				continue
			}
			if flag := shellWords(named)[0]; flag != "ativa" && !flags[flag] {
				t.Errorf("%s names the flag %s, which no command has", path, flag)
			} else if flag == "ativa" && !strings.Contains(named, "|") {
				parse(t, path, named, false)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands and flags were found: is the search still right?", seen)
	}
}
