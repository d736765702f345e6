package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/server"
	"ativa/internal/store"
)

// captured are the command lines whose screens are kept in testdata/capture.
func captured() []string {
	return []string{
		"subscribers list", "subscribers search silva", "subscribers search nobody", "subscribers get 52998224725",
		"subscribers get 52998224725 --columns document,name,email,phone,internet_speed_id,customer_plan,services,created_at",
		"subscribers history 52998224725", "subscribers deliveries 52998224725", "subscribers explain 52998224725", "subscribers explain 11144477735",
		"products", "status", "provision suspend --dry-run --product play-basic 52998224725 11144477735 39053344705",
		"sync assinantes.csv --dry-run", "events", "context list", "config list", "auth status", "doctor --offline",
		"admin providers list", "admin products list", "admin partners list", "admin operations list", "admin operations list --all",
		"admin deliveries list --all", "admin callbacks list", "admin check",
	}
}

// captureFixture is a service with fixed data and a fixed clock, and a person at a
// terminal: real HTTP, a real database, a real pseudo-terminal.
type captureFixture struct {
	t    *testing.T
	now  time.Time
	home string
	m    *provision.Manager
	env  map[string]string
}

// TestScreensAreAsCaptured types every list and detail command at a terminal and
// compares what a person sees, at 80 and 120 columns and in both languages, with
// testdata/capture, which -update writes.
func TestScreensAreAsCaptured(t *testing.T) {
	f := newCaptureFixture(t)
	for _, line := range captured() {
		var got strings.Builder
		for _, language := range []string{"en", "pt"} {
			for _, width := range []int{80, 120} {
				screen := f.screen(language, width, line)
				fmt.Fprintf(&got, "=== %s, %d columns\n$ ativa %s\n%s", language, width, line, screen)
			}
		}
		f.compare(line, got.String())
	}
}

// compare compares with the golden file of a command line.
func (f *captureFixture) compare(line, got string) {
	f.t.Helper()
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(line, "_"), "_")
	path := filepath.Join("testdata", "capture", name[:min(len(name), 60)]+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		f.t.Errorf("%s is not what a person sees (%v): look at it, then run go test ./cmd -run Captured -update; got\n%s", path, err, got)
	}
}

func newCaptureFixture(t *testing.T) *captureFixture {
	t.Helper()
	brt := time.FixedZone("BRT", -3*3600)
	f := &captureFixture{t: t, now: time.Date(2026, 11, 2, 9, 0, 0, 0, brt)}
	f.home = fmt.Sprintf("%s%08x", captureHome, os.Getpid()) // always of one length, as screens depend on it
	f.must(os.MkdirAll(f.home, 0o700))
	t.Cleanup(func() { f.must(os.RemoveAll(f.home)) })
	dsn := "sqlite:" + filepath.Join(f.home, "ativa.db")
	db, err := store.Open(context.Background(), dsn, store.Options{})
	f.must(err)
	t.Cleanup(func() { f.must(db.Close()) })
	clock := func() time.Time { return f.now }
	f.m = provision.NewManager(db, provision.Options{Clock: clock})
	partner, err := f.m.CreatePartner(t.Context(), provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
	f.must(err)
	for _, p := range operator.DevProducts() {
		p.Active, p.Can, p.Partner = true, provision.CanAll, partner.ID
		f.must(f.m.CreateProduct(t.Context(), p))
	}
	_, token, err := f.m.CreateProvider(t.Context(), provision.Provider{Name: "Provedor Azul", Limit: 3, AllProducts: true})
	f.must(err)
	s := httptest.NewServer(server.New(f.m, server.Options{Clock: clock, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Close)
	f.env = map[string]string{"HOME": f.home, "NO_COLOR": "1", "ATIVA_ACCESS_TOKEN": token, "ATIVA_DB": dsn}
	f.must(os.MkdirAll(filepath.Join(f.home, ".config/ativa"), 0o700))
	f.must(os.WriteFile(filepath.Join(f.home, ".config/ativa/config.yaml"), []byte("context: azul\ncontexts:\n  - {name: azul, server: \""+s.URL+"\"}\n"), 0o600))
	f.must(os.WriteFile(filepath.Join(f.home, "assinantes.csv"), []byte("nome;e-mail;cpf;telefone;produtos\n"+
		"Ana Souza;ana.souza@example.com.br;52998224725;11987654321;play-basic\nRui Alves;rui@example.com.br;15350946056;11987654399;musica\n"), 0o600))
	f.live()
	return f
}

const captureHome = "/tmp/ativa-capture-"

// live is what happened up to the morning on which the screens are captured.
func (f *captureFixture) live() {
	f.run("subscribers create --name|Ana Souza|--email|ana.souza@example.com.br|--document|52998224725|--phone|11987654321|--speed|10|--plan|Fibra 500 Mega")
	f.run("subscribers create --name|João Pedro da Silva Albuquerque Cavalcanti|--email|joao.albuquerque@example.com.br|--document|11144477735|--phone|1133334444")
	f.run("subscribers create --name|Maria Aparecida da Silva|--email|maria@example.com.br|--document|39053344705|--phone|11987654323|--plan|Fibra 100")
	f.run("provision activate --product play-basic 52998224725 11144477735")
	f.click()
	f.now = f.now.AddDate(0, 0, 17) // three days before
	f.run("provision activate --product musica 52998224725 39053344705")
	f.run("provision suspend --product play-basic 11144477735")
	f.now = f.now.AddDate(0, 0, 2).Add(9*time.Hour + 40*time.Minute) // yesterday, 18:40
	f.click()
	f.run("provision deactivate --yes --product musica 52998224725")
	f.now = f.now.Add(15*time.Hour + 22*time.Minute) // today, 10:02
	f.run("provision overdue --product play-basic 52998224725")
	f.now = f.now.Add(28 * time.Minute)
}

// click follows the links of all e-mails that are due.
func (f *captureFixture) click() {
	f.t.Helper()
	all, err := f.m.Claim(f.t.Context(), provision.EmailJob, 10, time.Minute)
	f.must(err)
	for _, d := range all {
		j := d.Job
		j.State, j.NextAt, j.LastAttemptAt = provision.JobDone, f.m.Now(), f.m.Now()
		f.must(f.m.Finish(f.t.Context(), []provision.Job{j}))
		_, err := f.m.FollowLink(f.t.Context(), d.LinkSecret)
		f.must(err)
	}
}

func (f *captureFixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// words splits a line at blanks, or from the first | on only at these.
func words(line string) []string {
	plain, quoted, _ := strings.Cut(line, "|")
	all := strings.Fields(plain)
	if quoted != "" {
		all = append(all, strings.Split(quoted, "|")...)
	}
	return all
}

// environment is what a command sees, with the file of the fixture by its name alone.
func (f *captureFixture) environment(out *os.File, language string) *cli.Env {
	env := func(name string) string {
		if name == "ATIVA_LANG" {
			return language
		}
		return f.env[name]
	}
	return &cli.Env{In: strings.NewReader(""), Out: out, Err: out, Getenv: env, Clock: func() time.Time { return f.now }}
}

func (f *captureFixture) run(line string) {
	f.t.Helper()
	var out strings.Builder
	e := f.environment(nil, "en")
	e.Out, e.Err = &out, &out
	if exit := run(f.t.Context(), e, words(line)); exit != cli.ExitOK {
		f.t.Fatalf("ativa %s: exit %d: %s", line, exit, out.String())
	}
}

// screen is what a person sees of a command on a terminal of that width.
func (f *captureFixture) screen(language string, width int, line string) string {
	f.t.Helper()
	other, terminal := newTerminal(f.t)
	size := [4]uint16{50, uint16(width)}
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); e != 0 {
		f.t.Fatal(e)
	}
	const end = "\x04end of the screen"
	seen := make(chan string)
	go func() { seen <- readTo(f.t, other, end) }()
	args := words(line)
	for i, arg := range args {
		if strings.HasSuffix(arg, ".csv") {
			args[i] = filepath.Join(f.home, arg)
		}
	}
	run(f.t.Context(), f.environment(terminal, language), args) // the screen tells of an error, too
	fmt.Fprintln(terminal, end)
	text, _, _ := strings.Cut(<-seen, end)
	return stable(strings.ReplaceAll(text, "\r\n", "\n"), f.home)
}

// stable replaces what differs from run to run by something of the same width.
func stable(screen, home string) string {
	screen = strings.ReplaceAll(screen, home, captureHome+"00000000")
	screen = regexp.MustCompile(`…[0-9a-f]+/`).ReplaceAllStringFunc(screen, func(cut string) string { // a path cut within that name
		return "…" + strings.Repeat("0", len(cut)-len("…/")) + "/"
	})
	screen = regexp.MustCompile(`127\.0\.0\.1:\d{5}`).ReplaceAllString(screen, "127.0.0.1:40000")
	return regexp.MustCompile(`\b(op|job|evt|ev)_[0-9a-z]+`).ReplaceAllStringFunc(screen, func(id string) string {
		prefix, rest, _ := strings.Cut(id, "_")
		return prefix + "_" + strings.Repeat("x", len(rest))
	})
}
