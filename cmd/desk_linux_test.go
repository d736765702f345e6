package cmd

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/hinshun/vt10x"
	"golang.org/x/term"

	"ativa/internal/cli"
)

// shownDesk is `ativa desk` in a terminal, whose screen can be read.
type shownDesk struct {
	*testing.T
	process *exec.Cmd
	// other is the side of the person, terminal that of the program.
	other, terminal *os.File
	before          *term.State
	ended           chan error
	pressed         int

	mutex  sync.Mutex
	screen vt10x.Terminal
	raw    bytes.Buffer // all that the program wrote
}

// showDesk starts the desk in a terminal of that size, with the environment of a
// person beside what a fixture has.
func showDesk(t *testing.T, columns, lines int, env []string, args ...string) *shownDesk {
	t.Helper()
	return showUnder(t, columns, lines, env, append([]string{"ativa", "desk"}, args...)...)
}

// showUnder runs any command in such a terminal.
func showUnder(t *testing.T, columns, lines int, env []string, command ...string) *shownDesk {
	t.Helper()
	d := &shownDesk{T: t, ended: make(chan error, 1), screen: vt10x.New(vt10x.WithSize(columns, lines))}
	d.other, d.terminal = newTerminal(t)
	d.resize(columns, lines)
	var err error
	if d.before, err = term.GetState(int(d.terminal.Fd())); err != nil {
		t.Fatal(err)
	}
	d.process = exec.Command(command[0], command[1:]...)
	d.process.Env = append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, env...)
	d.process.Stdin, d.process.Stdout, d.process.Stderr = d.terminal, d.terminal, d.terminal
	d.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := d.process.Start(); err != nil {
		t.Fatal(err)
	}
	go d.read()
	go func() { d.ended <- d.process.Wait() }()
	t.Cleanup(func() { _ = d.process.Process.Kill() })
	return d
}

func (d *shownDesk) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := d.other.Read(buf)
		if err != nil {
			return
		}
		d.mutex.Lock()
		d.raw.Write(buf[:n])
		_, _ = d.screen.Write(buf[:n])
		d.mutex.Unlock()
	}
}

func (d *shownDesk) resize(columns, lines int) {
	d.Helper()
	size := [4]uint16{uint16(lines), uint16(columns)}
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, d.other.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); e != 0 {
		d.Fatal(e)
	}
	d.mutex.Lock()
	d.screen.Resize(columns, lines)
	d.mutex.Unlock()
	if d.process != nil {
		_ = d.process.Process.Signal(syscall.SIGWINCH)
	}
}

// text is what the terminal shows.
func (d *shownDesk) text() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.screen.String()
}

func (d *shownDesk) written() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.raw.String()
}

// press types keys, each counted.
func (d *shownDesk) press(keys ...string) {
	d.Helper()
	for _, k := range keys {
		d.pressed++
		if _, err := d.other.WriteString(k); err != nil {
			d.Fatal(err)
		}
	}
}

// typed presses each letter of a text.
func (d *shownDesk) typed(text string) { d.press(strings.Split(text, "")...) }

const enter, esc, ctrlC = "\r", "\x1b", "\x03"

// shows waits until all texts are on the screen.
func (d *shownDesk) shows(texts ...string) {
	d.Helper()
	d.until("shows "+strings.Join(texts, ", "), func(screen string) bool {
		screen = strings.Join(strings.Fields(screen), " ") // a text may be broken into lines
		for _, t := range texts {
			if !strings.Contains(screen, strings.Join(strings.Fields(t), " ")) {
				return false
			}
		}
		return true
	})
}

// until waits until the screen is as it should be.
func (d *shownDesk) until(what string, content func(screen string) bool) {
	d.Helper()
	for start := time.Now(); !content(d.text()); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > testTimeout {
			d.Fatalf("the desk never %s:\n%s", what, d.text())
		}
	}
}

// ends waits for the end of the program and checks that the terminal is as before.
func (d *shownDesk) ends(code int) {
	d.Helper()
	select {
	case err := <-d.ended:
		got := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		} else if err != nil {
			d.Fatal(err)
		}
		if got != code {
			d.Errorf("the desk ended with %d, want %d:\n%s", got, code, d.text())
		}
	case <-time.After(testTimeout):
		d.Fatalf("the desk goes on:\n%s", d.text())
	}
	d.terminalIsAsBefore()
}

func (d *shownDesk) terminalIsAsBefore() {
	d.Helper()
	after, err := term.GetState(int(d.terminal.Fd()))
	if err != nil {
		d.Fatal(err)
	}
	if *after != *d.before {
		d.Errorf("the terminal is left in another mode: %+v, want %+v", *after, *d.before)
	}
	// Of what was written, some may not be read yet.
	const last = "that is all"
	read := strings.Count(d.written(), last)
	if _, err := d.terminal.WriteString(last); err != nil {
		d.Fatal(err)
	}
	d.until("ended", func(string) bool { return strings.Count(d.written(), last) > read })
	written := d.written()
	for _, mode := range []string{"\x1b[?1049", "\x1b[?25", "\x1b[?2004"} { // alternate screen, cursor, bracketed paste
		want := map[string]string{"\x1b[?1049": "l", "\x1b[?25": "h", "\x1b[?2004": "l"}[mode]
		if last := strings.LastIndex(written, mode); last >= 0 && written[last+len(mode):][:1] != want {
			d.Errorf("the terminal is left with %q%s", mode[1:], written[last+len(mode):][:1])
		}
	}
}

// copied is the last text that was sent to the clipboard.
func (d *shownDesk) copied() string {
	d.Helper()
	_, after, _ := strings.Cut(d.written(), "\x1b]52;c;")
	encoded, _, _ := strings.Cut(after, "\x07")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

// deskFixture is a server with subscribers whose services stand differently.
func deskFixture(t *testing.T) *processFixture {
	t.Helper()
	w := newProcessFixture(t)
	w.start()
	for _, person := range [][]string{
		{"Ana Souza", "52998224725", "ana@example.com"}, {"Bruno Ávila", "11144477735", "bruno@example.com"}, {"Ana Lima", "39053344705", "lima@example.com"},
	} {
		w.run("subscribers", "create", "--name", person[0], "--document", person[1], "--email", person[2], "--phone", "11987654321")
	}
	w.run("provision", "activate", "--product", "1", "52998224725", "39053344705", "--quiet")
	return w
}

// A subscriber is found by a part of the name, and why there is no service is read,
// with fifteen keys at most.
func TestDeskSaysWhyThereIsNoService(t *testing.T) {
	t.Parallel()
	d := showDesk(t, 80, 24, deskFixture(t).env)
	d.shows("Search:")
	d.typed("souza")
	d.shows("1 found", "Ana Souza", "***.982.247-**", "inProgress")
	d.press(enter)
	d.shows("waits for the subscriber to follow the link in the activation e-mail")
	if d.pressed > 15 {
		t.Errorf("it took %d keys, want at most 15", d.pressed)
	}
	t.Logf("%d keys", d.pressed)
	d.press("q")
	d.ends(0)
}

// At a real server: acting, seeing what happens elsewhere, the CPF and the message.
func TestDeskActsAndShowsWhatHappensElsewhere(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 100, 30, w.env, "--lang", "pt")
	d.shows("Buscar:")
	d.typed("bruno")
	d.shows("1 encontrado")
	d.press(enter)
	d.shows("nenhum ainda; ativar um produto", "sair")
	w.run("provision", "activate", "--product", "1", "11144477735", "--quiet") // somebody else does
	d.shows("em ativação", "clicar no link", "Entregas", "e-mail")
	d.press("d")
	d.shows("111.444.777-35")
	d.press("m")
	d.shows("copiada")
	if got := d.copied(); !strings.Contains(got, "Olá, Bruno!") || !strings.Contains(got, "bruno@example.com") {
		t.Errorf("copied %q", got)
	}
	d.press("x")
	d.shows("Cancelar ", "Bruno Ávila definitivamente?")
	d.press("s")
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
	d.ends(130)
}

// A token that may only read is offered nothing else; a protected context is red and
// asks; without colours there are none.
func TestDeskKeepsToContextAndToken(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	origin, err := url.Parse("http://127.0.0.1:" + w.port)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(origin)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.URL.Path != "/authenticate" {
			return nil
		}
		var body struct {
			Authorization map[string]any `json:"authorization"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return err
		}
		body.Authorization["name"], body.Authorization["scopes"] = "leitura", []string{"read"}
		changed, err := json.Marshal(body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
		r.Header.Set("Content-Length", strconv.Itoa(len(changed)))
		return err
	}
	reader := httptest.NewServer(proxy)
	t.Cleanup(reader.Close)
	d := showDesk(t, 80, 24, append(slices.Clone(w.env), "ATIVA_SERVER="+reader.URL, "NO_COLOR=1"))
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("inProgress", "m message", "q quit")
	if got := d.text(); strings.Contains(got, "x cancel") || strings.Contains(got, "r resend") || strings.Contains(got, "another product") {
		t.Errorf("a token that may only read is offered changes:\n%s", got)
	}
	if strings.Contains(d.written(), "\x1b[3") || strings.Contains(d.written(), "\x1b[1m") {
		t.Error("there are colours in spite of NO_COLOR")
	}
	d.press("q")
	d.ends(0)

	w.run("context", "add", "producao", "--server", "http://127.0.0.1:"+w.port)
	w.run("config", "set", "protected", "true", "--context", "producao", "--yes")
	d = showDesk(t, 80, 24, w.env, "--context", "producao")
	d.shows("producao  protected")
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("r resend")
	d.press("r")
	d.shows("Context producao is protected. Type its name to go on:")
	d.typed("wrong")
	d.press(enter)
	d.shows("not confirmed; nothing was sent")
	d.press("r")
	d.shows("Type its name")
	d.typed("producao")
	d.press(enter)
	d.shows("a new activation e-mail of")
	if !strings.Contains(d.written(), "\x1b[31m") {
		t.Error("the protected context is not red")
	}
	d.press("q")
	d.ends(0)
}

// The server is killed and started again under the desk, which says so, keeps what
// it shows, and goes on by itself.
func TestDeskOutlivesItsServer(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 80, 24, w.env)
	d.typed("souza")
	d.shows("1 found")
	d.press(enter)
	d.shows("waits for the subscriber")
	_ = w.server.Process.Kill()
	_ = w.server.Wait()
	d.shows("trying again", "waits for the subscriber")
	w.start()
	w.run("provision", "deactivate", "--product", "1", "52998224725", "--yes", "--quiet")
	d.shows("waitingCancellation")
	d.until("says that it is back", func(screen string) bool { return !strings.Contains(screen, "trying again") })
	_ = d.process.Process.Signal(syscall.SIGTERM)
	d.ends(143)
}

// Ctrl-Z gives the terminal back and stops; going on shows the screen again. Where no
// shell could let it go on, it does nothing.
func TestDeskIsSuspended(t *testing.T) {
	t.Parallel()
	w := deskFixture(t)
	d := showDesk(t, 80, 24, w.env)
	d.typed("souza")
	d.shows("1 found")
	d.press("\x1a")
	d.typed("!")
	d.shows("Search: souza!")
	d.press(ctrlC)
	d.ends(130)

	d = showUnder(t, 80, 24, w.env, "sh", "-mc", "ativa desk; echo stopped; read line; fg")
	d.shows("Search:")
	d.press("\x1a")
	d.shows("stopped")
	d.terminalIsAsBefore()
	d.press("\n")
	d.shows("Search:")
	d.typed("bruno")
	d.shows("Bruno")
	d.press(ctrlC)
	d.ends(130)
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
	d.shows(`the status "checkout" is not one that this program knows`, "the server keeps none", "s suspend")
	if got := d.text(); strings.Contains(got, "non-payment") {
		t.Errorf("what the server lacks is offered:\n%s", got)
	}
	d.press("s")
	d.shows("Play  suspend", "suspended for a time")
	broken.Store(true)
	d.press(esc)
	d.shows("Enter open")
	d.press(enter)
	d.shows("ativa login")
	d.press(ctrlC)
	d.ends(130)
}

// Without a terminal, without input, and with what would cover the screen it says so.
func TestDeskWantsATerminal(t *testing.T) {
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
	if got := u.run(nil, "desk"); got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "needs a terminal") {
		t.Errorf("without a terminal: exit %d, %q", got.exit, got.stderr)
	}
	for _, c := range []struct{ flag, want string }{{"--no-input", "without input"}, {"--debug", "2>trace.log"}, {"--token-stdin", "keyboard"}} {
		_, terminal := newTerminal(t)
		var stderr bytes.Buffer
		e := &cli.Env{In: terminal, Out: terminal, Err: &stderr, Getenv: func(name string) string { return u.env[name] }}
		if c.flag == "--debug" {
			e.Err = terminal
		}
		if exit := run(t.Context(), e, []string{"desk", c.flag}); exit != cli.ExitUsage || c.flag != "--debug" && !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit %d, %q", c.flag, exit, stderr.String())
		}
	}
}
