package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ativa/internal/cli"
)

// A subscriber is found by a part of the name, and why there is no service is read,
// with fifteen keys at most.
func TestDeskSaysWhyThereIsNoService(t *testing.T) {
	t.Parallel()
	d := showDesk(t, 80, 24, deskFixture(t).Env)
	d.shows("Search:")
	d.typed("souza")
	d.shows("1 found", "Ana Souza", "***.982.247-**", "activating")
	d.press(enter)
	d.shows("waits for the subscriber to follow the link in the activation e-mail")
	if d.pressed > 15 {
		t.Errorf("it took %d keys, want at most 15", d.pressed)
	}
	t.Logf("%d keys", d.pressed)
	d.press(ctrlQ)
	d.ends(0)
}

// At a real server: acting, seeing what happens elsewhere, the CPF and the message.
func TestDeskActsAndShowsWhatHappensElsewhere(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 100, 30, w.Env, "--lang", "pt")
	d.shows("Buscar:")
	d.typed("bruno")
	d.shows("1 encontrado")
	d.press(enter)
	d.shows("nenhum ainda; ativar um produto", "Ctrl-Q sair")
	w.Must("provision", "activate", "--product", "1", "11144477735", "--quiet") // somebody else does
	d.shows("em ativação", "clicar no link", "Entregas", "e-mail")
	d.choose("mostrar o CPF completo")
	d.shows("111.444.777-35")
	d.choose("mensagem para o assinante")
	d.shows("copiada")
	if got := d.copied(); !strings.Contains(got, "Olá, Bruno!") || !strings.Contains(got, "bruno@example.com") {
		t.Errorf("copied %q", got)
	}
	d.shows("Olá, Bruno!", "Enter ou Esc volta")
	d.press(esc)
	d.shows("Enter menu")
	d.choose("cancelar o serviço definitivamente")
	d.shows("Cancelar ", "Bruno Ávila definitivamente", "Digite cancelar e Enter")
	d.typed("cancelar")
	d.press(enter)
	d.shows("em cancelamento")
	d.resize(60, 20)
	d.shows("Bruno", "sair")
	d.resize(59, 20)
	d.shows("Aumente a janela")
	d.resize(120, 40)
	d.shows("em cancelamento", "sair")
	if !strings.Contains(d.written(), "\x1b[36m") {
		t.Error("there are no colours")
	}
	d.press(ctrlC)
	d.ends(0)
}

// withToken is the environment with a token that an operator made with just these
// scopes.
func (w *processFixture) withToken(scopes string) []string {
	w.Helper()
	var made struct {
		Secret string `json:"access_token"`
	}
	if err := json.Unmarshal(w.Must("admin", "tokens", "create", "Azul", "--name", "atendimento "+scopes, "--scope", scopes, "-o", "json"), &made); err != nil {
		w.Fatal(err)
	}
	return append(slices.Clone(w.Env), "ATIVA_ACCESS_TOKEN="+made.Secret)
}

// What the operator's scopes and the product's --can leave is offered, and works.
func TestDeskOffersWhatTokenAndProductAllow(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	w.Must("admin", "products", "create", "--id", "77", "--name", "Fixo", "--code", "fixo", "--can", "activate")
	w.Must("admin", "products", "grant", "Azul", "77")
	w.Must("provision", "activate", "--product", "fixo", "11144477735", "--quiet")
	for _, c := range []struct{ scopes, who, offered, withheld string }{
		{"manage", "souza", "send the activation e-mail again", "cancel the service,another product"},
		{"provision", "souza", "another product", "send the activation e-mail,cancel the service"},
		{"cancel", "souza", "cancel the service for good", "send the activation e-mail,another product"},
		{"manage,provision,cancel", "bruno", "send the activation e-mail again", "cancel the service"}, // its product cannot be cancelled
	} {
		d := showDesk(t, 80, 24, w.withToken(c.scopes))
		d.typed(c.who)
		d.shows("1 found")
		d.press(enter)
		d.shows("activating", "Deliveries")
		d.press(enter)
		d.shows("digit, or", c.offered)
		for _, withheld := range strings.Split(c.withheld, ",") {
			if strings.Contains(d.text(), withheld) {
				t.Errorf("%s: %q is offered:\n%s", c.scopes, withheld, d.text())
			}
		}
		if c.scopes == "manage" {
			d.press("1")
			d.shows("Enter yes")
			d.press(enter)
			d.shows("a new activation e-mail of")
		}
		d.press(ctrlC)
		d.ends(0)
	}
}

// A token that may only read is offered nothing else; a protected context is red and
// asks; without colours there are none.
func TestDeskKeepsToContextAndToken(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 80, 24, append(w.withToken("read"), "NO_COLOR=1"))
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("activating", "Deliveries")
	d.press(enter)
	d.shows("message for the subscriber", "digit, or")
	if got := d.text(); strings.Contains(got, "cancel the service") || strings.Contains(got, "activation e-mail again") || strings.Contains(got, "another product") {
		t.Errorf("a token that may only read is offered changes:\n%s", got)
	}
	if strings.Contains(d.written(), "\x1b[3") || strings.Contains(d.written(), "\x1b[1m") {
		t.Error("there are colours in spite of NO_COLOR")
	}
	d.press(ctrlQ)
	d.ends(0)

	w.Must("context", "add", "producao", "--server", "http://127.0.0.1:"+w.Port)
	w.Must("config", "set", "protected", "true", "--context", "producao", "--yes")
	d = showDesk(t, 80, 24, w.Env, "--context", "producao")
	d.shows("producao  protected")
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("activating", "Deliveries")
	d.choose("send the activation e-mail again")
	d.shows("Context producao is protected. Type its name to go on:")
	d.typed("wrong")
	d.press(enter)
	d.shows("not confirmed; nothing was sent")
	d.choose("send the activation e-mail again")
	d.shows("Type its name")
	d.typed("producao")
	d.press(enter)
	d.shows("a new activation e-mail of")
	if !strings.Contains(d.written(), "\x1b[31m") {
		t.Error("the protected context is not red")
	}
	d.press(ctrlQ)
	d.ends(0)
}

// The server is killed and started again under the desk, which says so, keeps what
// it shows, and goes on by itself.
func TestDeskOutlivesItsServer(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 80, 24, w.Env)
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("waits for the subscriber")
	_ = w.Server.Process.Kill()
	_ = w.Server.Wait()
	d.shows("trying again", "waits for the subscriber")
	w.Start()
	w.Must("provision", "deactivate", "--product", "1", "52998224725", "--yes", "--quiet")
	d.shows("cancelling")
	d.until("says that it is back", func(screen string) bool { return !strings.Contains(screen, "trying again") })
	_ = d.process.Process.Signal(syscall.SIGTERM)
	d.ends(143)
}

// Ctrl-Z gives the terminal back and stops; going on shows the screen again. Where no
// shell could let it go on, it does nothing.
func TestDeskIsSuspended(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 80, 24, w.Env)
	d.typed("souza")
	d.shows("1 found")
	d.press("\x1a")
	d.typed("!")
	d.shows("Search: souza!")
	d.press(ctrlC)
	d.ends(0)

	d = showUnder(t, 80, 24, w.Env, "sh", "-mc", "ativa desk; echo stopped; read line; fg")
	d.shows("Search:")
	d.press("\x1a")
	d.shows("stopped")
	d.terminalIsAsBefore()
	d.press("\n")
	d.shows("Search:")
	d.typed("bruno")
	d.shows("Bruno")
	d.press(ctrlC)
	d.ends(0)
}

// A server that follows api.md and nothing more: statuses of its own, no history, no
// feed, answers to writes that say nothing.
func TestDeskAtAServerThatFollowsTheAPIOnly(t *testing.T) {
	t.Parallel()
	var changed, broken atomic.Bool
	slow := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, id := "checkout", 2
		if changed.Load() {
			status, id = "suspend", 4
		}
		subscriber := fmt.Sprintf(`{"name":"Ana Souza","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321","services":[`+
			`{"content_supplier_product_id":25,"content_supplier_product_name":"Play","status_id":%d,"status":%q}]}`, id, status)
		switch r.Method + " " + r.URL.Path {
		case "POST /authenticate":
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`)
		case "GET /products":
			_, _ = io.WriteString(w, `{"content_supplier_products":[{"id":25,"name":"Play","code":"p","active":1,"can":["activate","suspend","deactivate"]}],"message":"success"}`)
		case "GET /products/status":
			_, _ = io.WriteString(w, `{"status":[{"id":1,"name":"active"}],"message":"success"}`)
		case "GET /subscribers/search/an":
			<-slow // until the end of the test
		case "GET /subscribers/search/ana":
			_, _ = io.WriteString(w, `{"message":"success","subscribers":[`+subscriber+`]}`)
		case "GET /subscribers/52998224725":
			if broken.Load() {
				http.Error(w, "no", http.StatusForbidden)
				return
			}
			_, _ = io.WriteString(w, `{"message":"success","subscriber":`+subscriber+`}`)
		case "POST /provision/suspend":
			changed.Store(true)
			_, _ = io.WriteString(w, "OK")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(slow) })
	d := showDesk(t, 80, 24, []string{"HOME=" + t.TempDir(), "LANG=C.UTF-8", "ATIVA_SERVER=" + server.URL, "ATIVA_ACCESS_TOKEN=t"})
	d.shows("Search:")
	d.typed("an")
	d.shows("searching…") // and the slow answer blocks nothing
	d.typed("a")
	d.shows("1 found", "checkout")
	d.press(enter)
	d.shows(`the status "checkout" is not one that this program knows`, "the server keeps none")
	d.press(enter)
	d.shows("suspend the service for a time", "digit, or")
	if got := d.text(); strings.Contains(got, "lack of payment") {
		t.Errorf("what the server lacks is offered:\n%s", got)
	}
	d.press(esc)
	d.choose("suspend the service for a time")
	d.shows("Enter yes")
	d.press(enter)
	d.shows("Play  suspended", "suspended for a time")
	broken.Store(true)
	d.press(esc)
	d.shows("Enter open")
	d.press(enter)
	d.shows("ativa login")
	d.press(ctrlC)
	d.ends(0)
}

// Without a terminal, without input, and with what would cover the screen it says so.
func TestDeskWantsATerminal(t *testing.T) {
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
	if got := u.run(nil, "desk"); got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "needs a terminal") {
		t.Errorf("without a terminal: exit %d, %q", got.exit, got.stderr)
	}
	_, terminal := newTerminal(t)
	var stderr bytes.Buffer
	u.env["TERM"] = "dumb" // as in a shell of Emacs
	e := &cli.Env{In: terminal, Out: terminal, Err: &stderr, Getenv: func(name string) string { return u.env[name] }}
	if exit := Run(t.Context(), e, []string{"desk"}); exit != cli.ExitUsage || !strings.Contains(stderr.String(), "TERM is dumb") || !strings.Contains(stderr.String(), "without one") {
		t.Errorf("in a terminal of lines: exit %d, %q", exit, stderr.String())
	}
	delete(u.env, "TERM")
	for _, c := range []struct{ flag, want string }{{"--no-input", "without input"}, {"--debug", "2>trace.log"}, {"--token-stdin", "keyboard"}} {
		_, terminal := newTerminal(t)
		var stderr bytes.Buffer
		e := &cli.Env{In: terminal, Out: terminal, Err: &stderr, Getenv: func(name string) string { return u.env[name] }}
		if c.flag == "--debug" {
			e.Err = terminal
		}
		if exit := Run(t.Context(), e, []string{"desk", c.flag}); exit != cli.ExitUsage || c.flag != "--debug" && !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit %d, %q", c.flag, exit, stderr.String())
		}
	}
}
