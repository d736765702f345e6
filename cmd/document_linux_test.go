package cmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/cpf"
)

// typeAt runs a command at a terminal, types a line of keys at each question, and returns the final
// screen. A yes that was typed before the question answers nothing.
func (u *user) typeAt(keys string, args ...string) (exit int, shown string) {
	u.t.Helper()
	d := openTerminal(u.t, 300, 100, slices.Collect(strings.Lines(keys))...)
	fmt.Fprintln(d.other, "y")
	exit = Run(u.t.Context(), u.environment(d.terminal, d.terminal, d.terminal), args)
	return exit, d.output()
}

// terminalCase is a command at a terminal, the keys that a person types, and what follows.
type terminalCase struct {
	keys string
	args []string
	exit int
	want string // texts of the screen, separated by |
	sent int    // writes
}

func (s *phoneBook) typed(u *user, cases []terminalCase) {
	u.t.Helper()
	for _, c := range cases {
		s.Requests = nil
		exit, shown := u.typeAt(c.keys, c.args...)
		for want := range strings.SplitSeq(c.want, "|") {
			if exit != c.exit || len(s.Requests) != c.sent || !strings.Contains(shown, want) {
				u.t.Errorf("%v, %q: exit %d, %d writes, shown %q; want %d, %d, %q", c.args, c.keys, exit, len(s.Requests), shown, c.exit, c.sent, want)
			}
		}
	}
}

// At a terminal a term means the only matching subscriber, shown by name; without or with
// several matches nothing is done.
func TestATermIsADocumentAtATerminal(t *testing.T) {
	s, u := newPhoneBook(t, "Ana Souza", "Rui Lima", "Rui Souza")
	s.typed(u, []terminalCase{
		{"", []string{"subscribers", "get", "ana"}, cli.ExitOK, "Ana Souza (***|p0@example.com", 0},
		{"", []string{"subscribers", "explain", "ana"}, cli.ExitOK, "Ana Souza (***|the service is enabled", 0},
		{"", []string{"provision", "suspend", "-p", "play", "lima"}, cli.ExitOK, "Rui Lima (***", 1},
		{"", []string{"subscribers", "update", "ana", "--plan", "x"}, cli.ExitOK, "Ana Souza (***", 1},
		{"", []string{"subscribers", "get", "souza"}, cli.ExitUsage, "Ana Souza  " + mask(s.document(0)) + "  " + s.phone(0) + "|Rui Souza  " + mask(s.document(2)) + "|2 subscribers match \"souza\"|give what only one of them has", 0},
		{"", []string{"subscribers", "get", "souza", "--show-documents"}, cli.ExitUsage, "Ana Souza  " + s.document(0), 0},
		{"", []string{"provision", "suspend", "-p", "play", "rui"}, cli.ExitUsage, "2 subscribers match", 0},
		{"", []string{"subscribers", "get", "nobody"}, cli.ExitNotFound, "no subscriber matches \"nobody\"", 0},
		{"", []string{"subscribers", "get", "ana", "--no-input"}, cli.ExitUsage, "--no-input is given|ativa subscribers search ana", 0},
		{"", []string{"subscribers", "explain", "61947204606"}, cli.ExitOK, "Ana Souza (***|the service is enabled", 0},
		{"", []string{"subscribers", "get", "11987654321"}, cli.ExitNotFound, "no subscriber matches \"11987654321\"", 0},
		{"", []string{"subscribers", "get", "52998224726"}, cli.ExitNotFound, "check digits", 0},
		{"", []string{"subscribers", "get", "529982247255"}, cli.ExitNotFound, "a CPF has 11 digits, this has 12|subscriber's papers", 0},
		{"", []string{"provision", "suspend", "-p", "play", ""}, cli.ExitUsage, "the CPF is missing", 0},
		{"", []string{"subscribers", "update", " ", "--plan", "x"}, cli.ExitUsage, "the CPF is missing", 0},
		{"", []string{"subscribers", "get", s.document(0)}, cli.ExitOK, "p0@example.com", 0},
		{"", []string{"provision", "suspend", "-p", "play", "61947204606", s.document(1)}, cli.ExitUsage, "give several subscribers by CPF", 0},
		{"", []string{"provision", "suspend", "-p", "play", "ana", "lima"}, cli.ExitUsage, `document "ana"`, 0},
	})
}

// At a terminal a file of more than twenty rows is confirmed, with the number of
// subscribers, services and e-mails. Of a plan the cancellations are shown first.
func TestManyRowsAreAskedForAtATerminal(t *testing.T) {
	s, u := newPhoneBook(t, slices.Repeat([]string{"Ana Souza"}, 21)...)
	write := func(name string, rows, first int) string {
		text := "documento;nome;email;telefone;produto\n"
		for i := range rows {
			text += fmt.Sprintf("%s;Ana Souza;a%d@example.com;11987654321;play\n", s.document(first+i), i)
		}
		return writeFile(t, name, text)
	}
	few, many := write("few.csv", 20, 0), write("many.csv", 21, 0)
	fewNew, manyNew := write("few.csv", 20, 100), write("many.csv", 21, 100)
	wish := writeFile(t, "wish.csv", readPage(t, manyNew)+s.document(0)+";Ana Souza;p0@example.com;"+s.phone(0)+";\n123;x;x;1;\n")
	counts := "21 subscribers, 21 services, at most 21 e-mails"
	s.typed(u, []terminalCase{
		{"", []string{"subscribers", "import", fewNew}, cli.ExitOK, "", 1},
		{"n\n", []string{"subscribers", "import", manyNew}, cli.ExitUsage, counts + "|Import many.csv? [y/N]", 0},
		{"", []string{"subscribers", "import", manyNew, "--no-input"}, cli.ExitUsage, "give --yes", 0},
		{"", []string{"subscribers", "import", manyNew, "--dry-run"}, cli.ExitOK, "", 0},
		{"n\n", []string{"provision", "activate", "-p", "play", "--file", many}, cli.ExitUsage, counts + "|Activate Play for 21 subscribers? [y/N]", 0},
		{"n\n", []string{"provision", "suspend", "-p", "play", "--file", many}, cli.ExitUsage, "21 subscribers, 21 services, at most 0 e-mails", 0},
		{"", []string{"provision", "suspend", "-p", "play", "--file", few}, cli.ExitOK, "", 1},
		{"y\n", []string{"subscribers", "import", manyNew}, cli.ExitOK, counts, 1},
		{"n\n", []string{"sync", wish, "--skip-invalid", "--allow-deactivate", "--max-changes", "100"}, cli.ExitUsage, "  deactivate Ana Souza|and 2 more", 0},
	})
	s.Requests = nil
	if got := u.run(nil, "provision", "activate", "-p", "play", "--file", many); got.exit != cli.ExitOK || len(s.Requests) == 0 {
		t.Errorf("without a terminal: exit %d, sent %v: %s", got.exit, s.Requests, got.stderr)
	}
}

// If standard output is not a terminal, a term is a usage error with the reason.
func TestATermIsNoDocumentInAScript(t *testing.T) {
	_, u := newPhoneBook(t, "Ana Souza")
	for _, args := range [][]string{
		{"subscribers", "get", "ana souza"}, {"subscribers", "explain", "ana souza"}, {"subscribers", "delete", "ana souza", "--yes"},
		{"provision", "suspend", "-p", "play", "ana souza"}, {"provision", "change", "ana souza", "--from", "play", "--to", "play"},
	} {
		got := u.run(nil, args...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "standard input is not one") || !strings.Contains(got.stderr, "ativa subscribers search 'ana souza'") {
			t.Errorf("%v: exit %d, %s", args, got.exit, got.stderr)
		}
	}
	terminal := openTerminal(t, 80, 24).terminal
	var stdout, stderr strings.Builder
	if exit := Run(t.Context(), u.environment(terminal, &stdout, &stderr), []string{"subscribers", "get", "ana"}); exit != cli.ExitUsage || !strings.Contains(stderr.String(), "standard output is not one") {
		t.Errorf("exit %d, %s", exit, stderr.String())
	}
}

// A hint names a person by the typed term, else by DOC: never by a CPF, unless documents
// are shown.
func TestNoHintShowsADocument(t *testing.T) {
	s, u := newPhoneBook(t, "Ana Souza", "Rui Lima")
	ana := s.document(0)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"subscribers", "search", "ana"}, "next: ativa subscribers explain ana"},
		{[]string{"subscribers", "search", "souza", "--status", "active"}, "next: ativa subscribers explain DOC"},
		{[]string{"subscribers", "get", "ana souza"}, "next: ativa subscribers explain 'ana souza'"},
		{[]string{"subscribers", "get", ana}, "next: ativa subscribers explain DOC"},
		{[]string{"subscribers", "explain", "ana"}, "ativa provision suspend --product play ana"},
		{[]string{"subscribers", "explain", ana}, "ativa provision suspend --product play DOC"},
		{[]string{"subscribers", "update", ana, "--plan", "x"}, "next: ativa subscribers explain DOC"},
		{[]string{"subscribers", "create", "--name", "Bia", "--email", "b@example.com", "--document", s.document(1), "--phone", "11987654321"}, "next: ativa provision activate --product play DOC"},
		{[]string{"subscribers", "resend", "ana", "--all"}, "next: ativa subscribers explain ana"},
		{[]string{"provision", "suspend", "-p", "play", "ana"}, "next: ativa subscribers explain ana"},
		{[]string{"provision", "suspend", "-p", "play", ana}, "next: ativa subscribers explain DOC"},
		{[]string{"provision", "overdue", "-p", "play", ana}, ""},
		{[]string{"provision", "deactivate", "-p", "play", ana, "--yes"}, "next: ativa subscribers explain DOC"},
		{[]string{"subscribers", "search", "ana", "--show-documents"}, "next: ativa subscribers explain " + ana},
		{[]string{"subscribers", "update", "ana", "--name", "Bia"}, "next: ativa subscribers explain DOC"}, // "ana" finds nobody now
	} {
		_, shown := u.typeAt("", c.args...)
		if !strings.Contains(shown, c.want) {
			t.Errorf("%v: want %q in\n%s", c.args, c.want, shown)
		}
		if c.args[len(c.args)-1] != "--show-documents" && strings.Contains(shown, ana) {
			t.Errorf("%v: the document is shown:\n%s", c.args, shown)
		}
	}
}

func mask(document string) string { return cpf.Document(document).Mask() }

func TestACancellationNamesWhomItConcerns(t *testing.T) {
	s, u := newPhoneBook(t, "Ana Souza", "Rui Lima")
	cancel := []string{"provision", "deactivate", "-p", "play", s.document(0)}
	s.typed(u, []terminalCase{
		{"n\n", cancel, cli.ExitUsage, "Cancel Play of Ana Souza for good? [y/N]", 0},
		{"\n", cancel, cli.ExitUsage, "not confirmed; nothing was sent|run it again and type what it asks for", 0},
		{"\x04", cancel, cli.ExitUsage, "[y/N] \r\nativa: not confirmed", 0}, // Ctrl-D
		{"y\n", cancel, cli.ExitOK, "Ana Souza (***", 1},
		{"", append(cancel, "--yes"), cli.ExitOK, "", 1},
		{"s\n", append(cancel, "--lang", "pt"), cli.ExitOK, "Cancelar Play de Ana Souza definitivamente?", 1},
		{"n\n", append(cancel, s.document(1)), cli.ExitUsage, "Cancel Play of 2 subscribers for good?|Rui Lima (***", 0},
		{"", append(cancel, "--no-input"), cli.ExitUsage, "a confirmation is needed", 0},
	})
}

// A protected context asks for its name alone, below what will happen. Without a terminal it needs
// --yes and --context.
func TestAProtectedContextAsksForItsName(t *testing.T) {
	s, u := newPhoneBook(t, "Ana Souza", "Rui Lima")
	u.must("context", "add", "live", "--server", u.env["ATIVA_SERVER"], "--protected", "--use")
	delete(u.env, "ATIVA_SERVER")
	ana, question := s.document(0), "|Context live is protected. Type its name"
	const header = "Nome;E-mail;CPF;Telefone\n"
	added := writeFile(t, "added.csv", header+"Bia Reis;bia@example.com;"+s.document(2)+";11987654321\n")
	changed := writeFile(t, "changed.csv", header+"Rui Lima;rui@example.com;"+s.document(1)+";"+s.phone(1)+"\n")
	twice := writeFile(t, "twice.txt", ana+"\n"+ana+"\n")
	suspend, erase, add, sync := []string{"provision", "suspend", "-p", "play", ana}, []string{"subscribers", "delete", ana}, []string{"subscribers", "import", added}, []string{"sync", changed}
	selection := []string{"provision", "suspend", "-p", "play", "--status", "active", "--max-changes", "100%"}
	s.typed(u, []terminalCase{
		{"wrong\n", suspend, cli.ExitUsage, "Suspend Play of Ana Souza|Ana Souza (" + mask(ana) + ")|not confirmed; nothing was sent" + question, 0},
		{"live\n", append(suspend, "-o", "tsv"), cli.ExitOK, "accepted", 1},
		{"", append(suspend, "--yes", "--context", "live"), cli.ExitOK, "", 1},
		{"wrong\n", erase, cli.ExitUsage, "Erase Ana Souza (" + mask(ana) + ") for good" + question, 0},
		{"live\n", erase, cli.ExitOK, "erased", 1},
		{"", append(erase, "--no-input"), cli.ExitUsage, "", 0},
		{"wrong\n", add, cli.ExitUsage, "register Bia Reis (" + mask(s.document(2)) + ")|not confirmed; nothing was sent" + question, 0},
		{"live\n", add, cli.ExitOK, "imported", 1},
		{"wrong\n", append(sync, "--lang", "pt"), cli.ExitUsage, "a atualizar Rui Lima (" + mask(s.document(1)) + ") (e-mail)|protegido", 0},
		{"live\n", sync, cli.ExitOK, "plan: 1 update", 1},
		{"wrong\n", selection, cli.ExitUsage, "Suspend Play of 2 subscribers" + question, 0},
	})
	for _, args := range [][]string{suspend, append(suspend, "--yes"), add, sync, selection} {
		if got := u.run(nil, args...); got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "context live is protected") || !strings.Contains(got.stderr, "give --yes --context live") {
			t.Errorf("%v without a terminal: exit %d, %s", args, got.exit, got.stderr)
		}
	}
	if _, shown := u.typeAt("wrong\n", "provision", "suspend", "-p", "play", "--file", twice); strings.Count(shown, "Ana Souza ("+mask(ana)+")") != 1 {
		t.Errorf("a document that is twice in a file is not shown once: %s", shown)
	}
}

func TestManyCancellationsAreConfirmedByTheirNumber(t *testing.T) {
	names := make([]string, 130)
	for i := range names {
		names[i] = fmt.Sprintf("Person %d", i)
	}
	s, u := newPhoneBook(t, names...)
	var documents strings.Builder
	for i := range 121 {
		documents.WriteString(s.document(i) + "\n")
	}
	cancel := []string{"provision", "deactivate", "-p", "play", "--file", writeFile(t, "documents.csv", documents.String())}
	s.typed(u, []terminalCase{
		{"y\n", cancel, cli.ExitUsage, "Cancel 121 of 130 services of Play for good? Type 121 (services that end):", 0},
		{"120\n", cancel, cli.ExitUsage, "not confirmed; nothing was sent", 0},
		{"121\n", append(cancel, "--lang", "pt"), cli.ExitOK, "Cancelar 121 de 130 serviços", 1},
	})
	u.must("context", "add", "live", "--server", u.env["ATIVA_SERVER"], "--protected", "--use")
	delete(u.env, "ATIVA_SERVER")
	s.typed(u, []terminalCase{
		{"121\nwrong\n", cancel, cli.ExitUsage, "Context live is protected", 0},
		{"live\n", cancel, cli.ExitUsage, "not confirmed; nothing was sent", 0},
		{"121\nlive\n", cancel, cli.ExitOK, "", 1},
	})
}

func TestTheUndoOfAnImportIsConfirmedByItsServices(t *testing.T) {
	server := apitest.New("")
	u := userOf(t, server)
	u.must("subscribers", "import", writeFile(t, "wrong.csv", "documento,nome,e-mail,telefone,produtos\n10000000280,Eva,eva@example.com.br,11987654321,25\n"))
	undo := []string{"imports", "undo", u.lastRun(), "--report-dir", t.TempDir()}
	for _, c := range []struct{ keys, want, status string }{
		{"y\n", "Make 2 changes? Type 1 (services that end):", "inProgress"},
		{"2\n", "not confirmed; nothing was sent", "inProgress"},
		{"1\n", "accepted", "waitingCancellation"},
	} {
		if _, shown := u.typeAt(c.keys, undo...); !strings.Contains(shown, c.want) || server.Status("10000000280", 25) != c.status {
			t.Errorf("%q: shown %q, and the service is %s; want %q, %s", c.keys, shown, server.Status("10000000280", 25), c.want, c.status)
		}
	}
}

// With --context all a term means the only matching subscriber of all contexts: the same
// person in two contexts counts once.
func TestATermIsADocumentInAllContexts(t *testing.T) {
	u := newUser(t, nil)
	for i, names := range [][]string{{"Ana Souza"}, {"Ana Souza", "Rui Lima"}} {
		_, of := newPhoneBook(t, names...)
		u.must("context", "add", fmt.Sprint("c", i), "--server", of.env["ATIVA_SERVER"], "--token-command", "echo t")
	}
	for _, c := range []struct {
		term string
		exit int
		want []string
	}{
		{"souza", cli.ExitOK, []string{"c0", "c1"}},
		{"lima", cli.ExitOK, []string{"c1", "next: ativa subscribers explain lima --context c1"}},
		{"a", cli.ExitUsage, []string{"Ana Souza", "2 subscribers match \"a\"", "give what only one of them has"}},
		{"nobody", cli.ExitNotFound, []string{"no context has this subscriber"}},
	} {
		exit, shown := u.typeAt("", "subscribers", "get", c.term, "--context", "all")
		for _, want := range c.want {
			if exit != c.exit || !strings.Contains(shown, want) {
				t.Errorf("%s: exit %d, want %d and %q in\n%s", c.term, exit, c.exit, want, shown)
			}
		}
	}
}
