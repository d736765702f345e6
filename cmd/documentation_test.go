package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"ativa/cmd/operator"
	"ativa/internal/cli"
)

// pages are the documents that people write, by path; what is generated is
// right by its own test.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range append(found, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = string(text)
	}
	return all
}

// blocks are the parts of a page between fences.
func blocks(page string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

// calls are the lines of a block that call ativa, without their comments.
func calls(block string) []string {
	var all []string
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "./"), " #")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "ativa ") {
			all = append(all, line)
		}
	}
	return all
}

// shellWords splits a line as a shell does, as far as documentation needs it: up to
// a redirection, and without what "…" leaves out, unless it is a flag's value.
func shellWords(line string) []string {
	var all []string
	for _, word := range regexp.MustCompile(`("[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'])+`).FindAllString(line, -1) {
		if strings.ContainsAny(word[:1], "><|") {
			break
		}
		if word == "…" && !strings.HasPrefix(all[len(all)-1], "--") {
			continue
		}
		all = append(all, word)
	}
	return all
}

// parse finds the command of a line and reads its flags; whole lines must have
// the arguments that it takes, too.
func parse(t *testing.T, where, line string, whole bool) {
	t.Helper()
	root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
	c, rest, err := root.Find(shellWords(line)[1:])
	if err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
		return
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
		return
	}
	given := c.Flags().Args()
	if c.HasSubCommands() && len(given) > 0 {
		t.Errorf("%s: %s: there is no command %q", where, line, given[0])
	}
	if !whole || c.HasSubCommands() {
		return
	}
	if err := c.Args(c, given); err != nil {
		t.Errorf("%s: %s: %v", where, line, err)
	}
}

func TestDocumentationNamesOnlyCommandsAndFlagsThatExist(t *testing.T) {
	flags := map[string]bool{"--help": true}
	for _, c := range commands() {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		}
	}
	seen := 0
	for path, page := range pages(t) {
		for _, block := range blocks(page) {
			for _, line := range calls(block) {
				seen++
				parse(t, path, line, true)
			}
		}
		for _, m := range regexp.MustCompile("`(ativa [^`]+|--[^`]+)`").FindAllStringSubmatch(page, -1) {
			seen++
			named := strings.Join(strings.Fields(m[1]), " ")
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

// The first day of the README is typed as it stands there, in a clone, beside a
// server such as `serve --dev` starts.
func TestTheFirstDayOfTheREADMEGoesAsItSays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the README is written for a shell of Unix")
	}
	_, page, _ := strings.Cut(pages(t)["../README.md"], "## A first day")
	day := blocks(page)[0]
	exits := map[string]int{
		"ativa subscribers import assinantes.csv":                cli.ExitInvalidInput,
		"ativa subscribers import assinantes.csv --skip-invalid": cli.ExitPartial,
		"ativa desk": cli.ExitUsage, // here is no terminal; at one TestPicturesAreAsCaptured shows it
	}
	w := &exampleFixture{t: t, dir: t.TempDir()}
	s := w.start()
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	var err error
	if w.token, err = operator.CreateDemoData(t.Context(), s.Manager, 1000, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	w.configure(s.URL)
	const sample = "operator/sample/assinantes.csv"
	if !strings.Contains(day, "cp cmd/"+sample+" .") {
		t.Fatalf("the spreadsheet is not that of the clone:\n%s", day)
	}
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	w.write("assinantes.csv", string(text))
	for _, line := range calls(day) {
		if !strings.HasPrefix(line, "ativa serve") {
			w.run(line, exits[line])
		}
	}
}
