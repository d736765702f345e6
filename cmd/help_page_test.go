package cmd

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// Each page fits 80 columns, lists every subcommand once, and only names where the flags of
// every command are. A group without a command of it is a usage error.
func TestHelpPagesOfEveryCommand(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		u := newUser(t, map[string]string{"ATIVA_LANG": string(l)})
		for name, c := range commands() {
			words := strings.Fields(name)
			page := u.must(append(words, "--help")...).stdout
			topic := strings.HasPrefix(name, "help ")
			if topic && page != u.must(words...).stdout {
				t.Errorf("%s --help differs from %s", name, name)
			}
			for line := range strings.Lines(page) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
					t.Errorf("%s, %s --help: %d columns: %s", l, name, n, line)
				}
			}
			if listsAll := strings.Contains(page, "--client-key"); listsAll != (name == "help flags" || name == "help environment") || !topic && !strings.Contains(page, "`ativa help flags`") {
				t.Errorf("the help of %q lists the flags of every command %t, or does not say where they are", name, listsAll)
			}
			if c.HasSubCommands() {
				checkGroup(t, u, name, c, page)
			}
		}
	}
	if page := newUser(t, nil).must("admin", "partners", "list", "--help").stdout; !strings.Contains(page, "--db string") {
		t.Errorf("no --db, a flag of the group, in\n%s", page)
	}
}

func checkGroup(t *testing.T, u *user, name string, c *cobra.Command, page string) {
	t.Helper()
	for _, sub := range c.Commands() {
		if n := len(regexp.MustCompile(`(?m)^  `+sub.Name()+` +\S`).FindAllString(page, -1)); n != 1 {
			t.Errorf("the help of %q has %q %d times, want once", name, sub.Name(), n)
		}
	}
	for _, typed := range []string{name, name + " nothing-like-it"} {
		if got := u.run(nil, strings.Fields(typed)...); name != "help" && (got.exit != cli.ExitUsage || got.stdout != "") {
			t.Errorf("ativa %s: exit %d, printed %q; want 2 and nothing", typed, got.exit, got.stdout)
		}
	}
}

// Everyday flags come first, then those for a file or a selection.
func TestFlagsStandInTheOrderOfTheirUse(t *testing.T) {
	page, before := newUser(t, nil).must("provision", "overdue", "--help").stdout, 0
	for _, flag := range []string{"-p, --product", "-w, --wait", "-h, --help", "With a file or a selection:", "-f, --file", "    --status", "    --rate", "    --save-map"} {
		at := strings.Index(page, "  "+flag)
		if at = max(at, strings.Index(page, "\n"+flag)); at <= before {
			t.Errorf("%s is at %d, want after %d:\n%s", flag, at, before, page)
		}
		before = at
	}
}

func TestAMistypedLineIsAUsageErrorThatNamesTheLikelyOne(t *testing.T) {
	u := newUser(t, nil)
	for typed, want := range map[string]string{
		"search Ana":         "`ativa subscribers search`",
		"search x --lang pt": "você quis dizer `ativa subscribers search`?",
		"cancelar":           "`ativa provision deactivate`",
		"provision cancel":   "`ativa provision deactivate`",
		"admin subscribers":  "`ativa subscribers`",
		"completion fsh":     "`ativa completion fish`",
		"completion tcsh":    "available: bash, fish, powershell, zsh",
		"xyzzy":              "see `ativa --help`",
		"help envronment":    "did you mean environment",
		"search Ana -o json": `"code":"usage"`,

		"provision --product x y":                "unknown flag",
		"subscribers create --cpf 1":             "--document?",
		"subscribers get --cpf 52998224725":      "`ativa subscribers get DOC`",
		"subscribers update --Telefone=1 5":      "--phone?",
		"products --json":                        "--output json?",
		"subscribers import a.csv --simular":     "--dry-run?",
		"products --contxt x":                    "--context?",
		"products --nothing-like-this-is-a-flag": "see `ativa products --help`",
		"products -h --nope -o json":             `"code":"usage"`,
		"subscribers import a.csv —dry-run":      "—dry-run is not a flag: it begins with a long dash",
		"products –o json --lang pt":             "–o não é uma opção",
	} {
		got := u.run(nil, strings.Fields(typed)...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%s: exit %d, printed %q; want 2 and %s", typed, got.exit, got.stderr, want)
		}
	}
}
