package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// At a terminal every result leads on to a command that can be typed as it is; in a
// script nothing is suggested.
func TestResultsLeadOn(t *testing.T) {
	s, u := newPhoneBook(t, "Ana Souza", "Rui Lima")
	ana := s.document(0)
	file := filepath.Join(t.TempDir(), "people.csv")
	rows := "Nome;E-mail;CPF;Telefone;Produtos\nAna Souza;p0@example.com;" + ana + ";11987654321;play\nRui Lima;new@example.com;" + s.document(1) + ";11987654321;play\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	create := []string{"subscribers", "create", "--name", "Ana Souza", "--email", "a@example.com", "--phone", "11987654321", "--document", ana}
	for _, c := range []struct {
		args []string
		next string
	}{
		{create, "ativa provision activate --product play DOC"},
		{[]string{"subscribers", "update", ana, "--plan", "x"}, "ativa subscribers explain DOC"},
		{[]string{"subscribers", "delete", ana, "--yes"}, "ativa subscribers list"},
		{[]string{"subscribers", "import", file, "--dry-run"}, "ativa subscribers import " + file},
		{[]string{"subscribers", "import", file}, "ativa imports show "},
		{[]string{"sync", file, "-n"}, "ativa sync " + file},
		{[]string{"sync", file, "--yes"}, "ativa sync " + file + " --dry-run"},
	} {
		exit, shown := u.typeAt("", c.args...)
		if exit != cli.ExitOK || !strings.Contains(shown, "next: "+c.next) || strings.Contains(shown, "next: "+c.next+" -n") {
			t.Errorf("%v: exit %d, shown %q; want %q suggested", c.args, exit, shown, c.next)
		}
		if _, shown := u.typeAt("", append(c.args, "--quiet")...); strings.Contains(shown, "next:") {
			t.Errorf("%v with --quiet: shown %q", c.args, shown)
		}
		if got := u.run(nil, c.args...); strings.Contains(got.stdout+got.stderr, "next:") {
			t.Errorf("%v in a script: %q, %q", c.args, got.stdout, got.stderr)
		}
	}
}
