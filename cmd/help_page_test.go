package cmd

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// helpOf returns the printed help of a command.
func helpOf(t *testing.T, l lang.Language, name string) string {
	t.Helper()
	u := newUser(t, map[string]string{"ATIVA_LANG": string(l)})
	got := u.run(nil, append(strings.Fields(name), "--help")...)
	if got.exit != cli.ExitOK || got.stdout == "" {
		t.Errorf("%s --help: exit %d: %s", name, got.exit, got.stderr)
	}
	return got.stdout
}

func TestNoLineOfHelpIsWiderThan80Columns(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		pages := map[string]string{}
		for name := range commands() {
			pages[name+" --help"] = helpOf(t, l, name)
		}
		for name := range commands() {
			if strings.HasPrefix(name, "help ") { // a topic
				pages[name] = newUser(t, map[string]string{"ATIVA_LANG": string(l)}).run(nil, strings.Fields(name)...).stdout
			}
		}
		for name, page := range pages {
			for line := range strings.Lines(page) {
				if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 {
					t.Errorf("%s, %s: %d columns: %s", l, name, utf8.RuneCountInString(line), line)
				}
			}
		}
	}
}

func TestHelpListsEveryCommandOnce(t *testing.T) {
	for name, c := range commands() {
		if !c.HasSubCommands() {
			continue
		}
		page := helpOf(t, lang.English, name)
		for _, sub := range c.Commands() {
			if n := len(regexp.MustCompile(`(?m)^  `+sub.Name()+` +\S`).FindAllString(page, -1)); n != 1 {
				t.Errorf("the help of %q has %q %d times, want once", c.CommandPath(), sub.Name(), n)
			}
		}
	}
}

func TestGlobalFlagsAreListedInHelpFlagsOnly(t *testing.T) {
	u := newUser(t, nil)
	list := u.run(nil, "help", "flags").stdout
	root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
	for _, name := range []string{"context", "output", "no-input", "client-key"} {
		if root.PersistentFlags().Lookup(name) == nil || !strings.Contains(list, "--"+name+" ") {
			t.Errorf("help flags lacks --%s:\n%s", name, list)
		}
	}
	for name := range commands() {
		page := helpOf(t, lang.English, name)
		if strings.Contains(page, "--client-key") && name != "help flags" && name != "help environment" {
			t.Errorf("the help of %q lists the flags of every command", name)
		}
		if !strings.Contains(page, "see `ativa help flags`") {
			t.Errorf("the help of %q does not say where the flags of every command are", name)
		}
	}
	// Flags of a group of commands are shown.
	if page := helpOf(t, lang.English, "admin partners list"); !strings.Contains(page, "--db string") {
		t.Errorf("no --db in\n%s", page)
	}
}

// Everyday flags come first, then those for a file or a selection.
func TestFlagsStandInTheOrderOfTheirUse(t *testing.T) {
	page, before := helpOf(t, lang.English, "provision overdue"), 0
	for _, flag := range []string{"-p, --product", "-w, --wait", "-h, --help", "With a file or a selection:", "-f, --file", "    --status", "    --rate", "    --save-map"} {
		at := strings.Index(page, "  "+flag)
		if at = max(at, strings.Index(page, "\n"+flag)); at <= before {
			t.Errorf("%s is at %d, want after %d:\n%s", flag, at, before, page)
		}
		before = at
	}
}

func TestEveryPlaceholderHasAWord(t *testing.T) {
	same := []string{"DOC", "ID", "URL", "DB", "STATUS"}
	for name, c := range commands() {
		for _, word := range regexp.MustCompile(`[A-Z]{2,}`).FindAllString(c.Use, -1) {
			if lang.Portuguese.Word(word) == word && !slices.Contains(same, word) {
				t.Errorf("%q takes %s, which has no Portuguese", name, word)
			}
		}
	}
}

func TestAnUnknownCommandIsAUsageErrorThatNamesTheLikelyOne(t *testing.T) {
	u := newUser(t, nil)
	for typed, want := range map[string]string{
		"search Ana":              "`ativa subscribers search`",
		"search --status active":  "`ativa subscribers search`",
		"import a.csv":            "`ativa subscribers import`",
		"list":                    "`ativa subscribers list`",
		"activate --product x":    "`ativa provision activate`",
		"token":                   "`ativa auth token`",
		"buscar Ana":              "`ativa subscribers search`",
		"cancelar":                "`ativa provision deactivate`",
		"subscribers activate":    "`ativa provision activate`",
		"provision cancel":        "`ativa provision deactivate`",
		"subscribers lst":         "`ativa subscribers list`",
		"admin subscribers":       "`ativa subscribers`",
		"suspnd":                  "`ativa provision suspend`",
		"admin providers rotate":  "`ativa admin",
		"completion fsh":          "`ativa completion fish`",
		"provision --product x y": "unknown flag",
		"completion tcsh":         "available: bash, fish, powershell, zsh",
		"xyzzy":                   "see `ativa --help`",
	} {
		got := u.run(nil, strings.Fields(typed)...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%s: exit %d, printed %q; want 2 and %s", typed, got.exit, got.stderr, want)
		}
	}
	got := u.run(nil, "search", "x", "--lang", "pt")
	if want := "você quis dizer `ativa subscribers search`?"; !strings.Contains(got.stderr, want) {
		t.Errorf("got %q, want %q", got.stderr, want)
	}
}

func TestALikelyFlagIsNamed(t *testing.T) {
	u := newUser(t, nil)
	for typed, want := range map[string]string{
		"subscribers create --fone 1":            "--phone?",
		"subscribers create --cpf 1":             "--document?",
		"subscribers get --cpf 52998224725":      "`ativa subscribers get DOC`",
		"subscribers update --Telefone=1 5":      "--phone?",
		"provision suspend --produto x":          "--product?",
		"provision suspend --arquivo x":          "--file?",
		"products --json":                        "--output json?",
		"products --idioma pt":                   "--lang?",
		"subscribers import a.csv --simular":     "--dry-run?",
		"products --contxt x":                    "--context?",
		"products --nothing-like-this-is-a-flag": "see `ativa products --help`",
	} {
		got := u.run(nil, strings.Fields(typed)...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit %d, printed %q; want 2 and %s", typed, got.exit, got.stderr, want)
		}
	}
}

func TestAGroupWithoutACommandIsAUsageError(t *testing.T) {
	u := newUser(t, nil)
	for name, c := range commands() {
		if !c.HasSubCommands() || name == "help" {
			continue
		}
		for _, typed := range []string{name, name + " nothing-like-it"} {
			if got := u.run(nil, strings.Fields(typed)...); got.exit != cli.ExitUsage || got.stdout != "" {
				t.Errorf("ativa %s: exit %d, printed %q; want 2 and nothing", typed, got.exit, got.stdout)
			}
		}
	}
}

func TestHelpOfARowGoesOnUnderItsColumn(t *testing.T) {
	got := cli.Wrap("  name   " + strings.Repeat("word ", 20) + "end\n\n" + strings.Repeat("flow ", 20) + "\nend")
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
	if !strings.Contains(got, "\n         word") || !strings.Contains(got, "\nflow") || strings.Contains(got, "\nend") {
		t.Errorf("got\n%s", got)
	}
	if kept := "short\nlines\n\n  are  kept\n"; cli.Wrap(kept) != kept {
		t.Errorf("got %q, want it as it was", cli.Wrap(kept))
	}
}
