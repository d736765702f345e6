package cmd

import (
	"encoding/base64"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/term"

	"ativa/internal/cli"
)

// On a real server and terminal: a change, what happens elsewhere, the clipboard, the size, the colours.
func TestDeskShowsWhatHappensElsewhere(t *testing.T) {
	t.Parallel()
	w := newExampleFixture(t)
	d := showDesk(t, 100, 30, w.env, "--lang", "pt")
	d.typed("souza")
	d.shows("1 encontrado")
	d.typed(enter)
	d.shows("Play Básico", "ativo", "Enter menu")
	d.choose("suspender o serviço por um tempo")
	d.shows("Enter sim")
	d.typed(enter)
	d.shows("Play Básico de Ana Souza: de ativo para")
	w.print("ativa provision activate --product 3 52998224725")
	d.shows("em ativação", "clicar no link", "Entregas", "e-mail")
	d.choose("mensagem para o assinante")
	d.shows("Olá, Ana!", "copiada", "Enter ou Esc volta")
	copied := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("Olá, Ana"))
	d.until("copies the message", func(string) bool { return strings.Contains(d.written(), copied) })
	d.typed(esc)
	d.shows("Ctrl-Q sair") // a screen that is too small takes no key
	d.resize(59, 20)
	d.shows("Aumente a janela")
	d.resize(120, 40)
	d.shows("em ativação", "sair")
	if !strings.Contains(d.written(), "\x1b[36m") {
		t.Error("there are no colours")
	}
	d.typed(ctrlC)
	d.ends(0)
}

// A person who leaves the desk during a change reads, after the screen is restored, that the outcome
// is unknown.
func TestLeavingTheDeskDuringAChangeSaysThatItsOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	w := newExampleFixture(t)
	proxy := newFailingProxy(t, w.url)
	t.Cleanup(func() { close(held) })
	d := showDesk(t, 80, 24, append(w.env, "ATIVA_SERVER="+proxy.url))
	d.typed("souza")
	d.shows("1 found")
	d.typed(enter)
	d.shows("Enter menu")
	proxy.fail(func(int32) (bool, bool) { <-held; return false, false })
	d.typed(enter)
	d.shows("suspend the service for a time", "Esc leave")
	d.typed("1")
	d.shows("Enter yes")
	d.typed(enter)
	d.shows("Suspend Play Básico of Ana Souza…")
	_ = d.process.Process.Signal(syscall.SIGTERM)
	d.ends(cli.ExitTerminated)
	d.shows("ativa: Suspend Play Básico of Ana Souza: this was sent, and no answer came before the desk ended; it may have been carried out",
		"`ativa subscribers explain DOC` shows what became of it")
}

// Ctrl-Z restores the terminal and stops; continuing shows the screen again. Without a
// shell to continue it, it does nothing.
func TestDeskIsSuspended(t *testing.T) {
	t.Parallel()
	env := newExampleFixture(t).env
	d := showDesk(t, 80, 24, env)
	d.typed("souza")
	d.shows("1 found")
	d.typed("\x1a")
	d.typed("!")
	d.shows("Search: souza!")
	d.typed(ctrlC)
	d.ends(0)

	d = showUnder(t, 80, 24, env, "sh", "-mc", "ativa desk; echo stopped; read line; fg")
	d.shows("Search:")
	d.typed("\x1a")
	d.shows("stopped")
	d.terminalIsAsBefore()
	d.typed("\n")
	d.shows("Search:")
	d.typed("souza")
	d.shows("1 found")
	d.typed(ctrlC)
	d.ends(0)
}

// A token is typed without echo also after Ctrl-Z and fg, although shells such as bash turn the echo
// on for themselves.
func TestATokenStaysHiddenAfterCtrlZ(t *testing.T) {
	t.Parallel()
	d := showUnder(t, 80, 24, newExampleFixture(t).env, "sh", "-mc", "ativa login --storage file; echo stopped; read line; fg")
	d.shows("Access token:")
	fd := int(d.terminal.Fd())
	hides := func() {
		d.until("hides what is typed", func(string) bool {
			mode, err := term.GetState(fd)
			return err == nil && *mode != *d.before
		})
	}
	hides()
	d.typed("\x1a")
	d.shows("stopped")
	must(t, term.Restore(fd, d.before)) // as bash does
	d.typed("\n")
	hides()
	d.typed("secret\n")
	d.ends(cli.ExitAuth)
	if strings.Contains(d.written(), "secret") {
		t.Errorf("the token is shown:\n%s", d.text())
	}
}

// Without a terminal, with --no-input, or with flags that would cover the screen the desk
// reports an error.
func TestDeskWantsATerminal(t *testing.T) {
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
	if got := u.run(nil, "desk"); got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "needs a terminal") {
		t.Errorf("without a terminal: exit %d, %q", got.exit, got.stderr)
	}
	for _, c := range []struct{ term, flag, want string }{
		{"dumb", "--quiet", "TERM is dumb without one"}, // as in an Emacs shell
		{"", "--no-input", "needs input"}, {"", "--debug", "2>trace.log"}, {"", "--token-stdin", "keyboard"},
	} {
		u.env["TERM"] = c.term
		if exit, shown := u.typeAt("", "desk", c.flag); exit != cli.ExitUsage || !strings.Contains(strings.Join(strings.Fields(shown), " "), c.want) {
			t.Errorf("TERM=%s %s: exit %d, %q", c.term, c.flag, exit, shown)
		}
	}
}
