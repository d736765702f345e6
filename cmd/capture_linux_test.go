package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

// captureFixture is a service with fixed data and clock, and a person at a terminal: real
// HTTP, database and pseudo-terminal.
type captureFixture struct {
	t *testing.T
	// shoot types a command line and stores its screen; answers are the input at its
	// questions.
	shoot func(line string, answers ...string)
	now   time.Time
	home  string
	lines int // terminal lines
	m     *servicetest.Service
	env   map[string]string
}

// TestScreensAreAsCaptured types every command at a terminal of 80 columns in Portuguese, whose
// words are longer, and at one of 120 in English. It compares a few screens with testdata/screens.txt,
// which -update writes, and checks general rules on all of them. Each terminal has its own service,
// so all make the same changes.
func TestScreensAreAsCaptured(t *testing.T) {
	stored, err := filepath.Abs("testdata/screens.txt")
	must(t, err)
	var lines []string
	printed := map[string]string{} // by language and line
	for language, width := range map[string]int{"en": 120, "pt": 80} {
		t.Run(language, func(t *testing.T) {
			f := newCaptureFixture(t)
			t.Chdir(f.home) // a person types file names without directories
			f.shoot = func(line string, answers ...string) {
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
				screen := f.screen(language, width, line, answers...)
				printed[language+line] += screen
				checkScreen(t, width, line, screen)
			}
			f.morning()
		})
	}
	var kept strings.Builder
	for _, line := range keptScreens() {
		if !slices.Contains(lines, line) {
			t.Errorf("%q has a stored screen and is never typed", line)
		}
		typed := "$ ativa " + strings.ReplaceAll(line, "|", " ") + "\n"
		kept.WriteString(typed + printed["pt"+line] + typed + printed["en"+line] + "\n")
	}
	golden(t, stored, kept.String())
	for _, line := range lines {
		in := strings.Join(strings.Fields(printed["en"+line]), " ")
		if in != "" && in == strings.Join(strings.Fields(printed["pt"+line]), " ") && !slices.Contains(untranslated(), line) {
			t.Errorf("ativa %s prints the same in both languages:\n%s", line, in)
		}
	}
}

// untranslated are the command lines that print only data, or a message to a subscriber.
func untranslated() []string {
	return []string{"subscribers export", "subscribers explain 52998224725 --message", "config get lang", "config set timeout 30s",
		"admin export-data|Provedor Azul|11144477735"}
}

// checkScreen fails for a control character or a line wider than the terminal, except
// data, paths, addresses and commands, which are never broken.
func checkScreen(t *testing.T, width int, line, screen string) {
	t.Helper()
	for shown := range strings.Lines(screen) {
		shown = strings.TrimSuffix(shown, "\n")
		whole := strings.ContainsAny(shown, "/`'") || slices.Contains(untranslated(), line)
		if w := runewidth.StringWidth(shown); w > width && !whole {
			t.Errorf("ativa %s: a line of %d columns on %d: %s", line, w, width, shown)
		}
		if strings.ContainsFunc(shown, unicode.IsControl) {
			t.Errorf("ativa %s: a control character: %q", line, shown)
		}
	}
}

func newCaptureFixture(t *testing.T) *captureFixture {
	t.Helper()
	brt := time.FixedZone("BRT", -3*3600)
	f := &captureFixture{t: t, lines: 50, now: time.Date(2026, 9, 2, 9, 0, 0, 0, brt)}
	f.home = fmt.Sprintf("%s%08x", captureHome, os.Getpid()) // of constant length, because screens depend on it
	must(f.t, os.MkdirAll(f.home, 0o700))
	t.Cleanup(func() { must(f.t, os.RemoveAll(f.home)) })
	dsn := "sqlite:" + filepath.Join(f.home, "ativa.db")
	db, err := store.Open(context.Background(), dsn, store.Options{})
	must(f.t, err)
	t.Cleanup(func() { must(f.t, db.Close()) })
	clock := func() time.Time { return f.now }
	f.m = servicetest.New(db, servicetest.Options{Clock: clock})
	partner, err := f.m.CreatePartner(t.Context(), domain.Partner{Name: "parceiro", Driver: domain.DriverManual})
	must(f.t, err)
	for _, p := range operator.DevProducts() {
		p.Active, p.Can, p.Partner = true, domain.CanAll, partner.ID
		must(f.t, f.m.CreateProduct(t.Context(), p))
	}
	_, token, err := f.m.CreateProvider(t.Context(), domain.Provider{Name: "Provedor Azul", Limit: 3, AllProducts: true})
	must(f.t, err)
	s := httptest.NewServer(server.New(f.m.Parts(), server.Options{Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Close)
	f.env = map[string]string{"HOME": f.home, "NO_COLOR": "1", "ATIVA_PAGER": "cat", "ATIVA_ACCESS_TOKEN": token, "ATIVA_DB": dsn}
	must(f.t, os.MkdirAll(filepath.Join(f.home, ".config/ativa"), 0o700))
	must(f.t, os.WriteFile(filepath.Join(f.home, ".config/ativa/config.yaml"), []byte("context: azul\ncontexts:\n  - {name: azul, server: \""+s.URL+"\"}\n"), 0o600))
	must(f.t, os.WriteFile(filepath.Join(f.home, "assinantes.csv"), []byte("nome;e-mail;cpf;telefone;produtos\n"+
		"Ana Souza;ana.souza@example.com.br;52998224725;11987654321;play-basic\nRui Alves;rui@example.com.br;15350946056;11987654399;musica\n"), 0o600))
	must(f.t, os.WriteFile(filepath.Join(f.home, "fatura.csv"), []byte("Fatura 2026-09\nCPF;Produto;Dias\n529.982.247-25;play-basic;30\n***.444.777-**;Play Básico;17\n"+
		"390.533.447-05;musica-familia;5\n153.509.460-56;musica;30\n529.982.247-26;musica;1\nTotal;;83\n"), 0o600))
	must(f.t, os.WriteFile(filepath.Join(f.home, "combos.csv"), []byte("CPF;Produto\n52998224725;Combo 500\n11144477735;Combo 500\n"), 0o600))
	f.live()
	return f
}

const captureHome = "/tmp/ativa-capture-"

// live creates the events before the morning of the captures.
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

// confirm has the partner confirm all pending operations.
func (f *captureFixture) confirm() {
	f.t.Helper()
	for id := range strings.FieldsSeq(f.run("admin operations list -o name")) {
		f.run("admin operations confirm " + id)
	}
}

// click follows the links of all due e-mails.
func (f *captureFixture) click() {
	f.t.Helper()
	all, err := f.m.Claim(f.t.Context(), domain.Destination{Kind: domain.EmailDelivery}, 10, time.Minute)
	must(f.t, err)
	must(f.t, f.m.Finish(f.t.Context(), nil, all))
	for _, d := range all {
		j := d.Delivery
		j.State, j.NextAt, j.LastAttemptAt = domain.OutboxDone, f.m.Now(), f.m.Now()
		must(f.t, f.m.Finish(f.t.Context(), []domain.Delivery{j}, nil))
		view, err := f.m.ViewLink(f.t.Context(), d.LinkSecret)
		must(f.t, err)
		must(f.t, f.m.RecordOpening(f.t.Context(), view))
		_, err = f.m.FollowLink(f.t.Context(), d.LinkSecret)
		must(f.t, err)
	}
}

func (f *captureFixture) shootAll(lines ...string) {
	for _, line := range lines {
		f.shoot(line)
	}
}

// words splits a line at blanks, or from the first | on only at |.
func words(line string) []string {
	plain, quoted, _ := strings.Cut(line, "|")
	all := strings.Fields(plain)
	if quoted != "" {
		all = append(all, strings.Split(quoted, "|")...)
	}
	return all
}

func (f *captureFixture) environment(out *os.File, language string) *cli.Env {
	f.env["ATIVA_LANG"] = language
	return &cli.Env{In: strings.NewReader(f.env["ATIVA_ACCESS_TOKEN"] + "\n"), Out: out, Err: out,
		Getenv: func(name string) string { return f.env[name] }, Process: cli.Process{Clock: func() time.Time { return f.now }}}
}

func (f *captureFixture) run(line string) string {
	f.t.Helper()
	var out strings.Builder
	e := f.environment(nil, "en")
	e.Out, e.Err = &out, &out
	if exit := Run(f.t.Context(), e, words(line)); exit != cli.ExitOK {
		f.t.Fatalf("ativa %s: exit %d: %s", line, exit, out.String())
	}
	return out.String()
}

// screen returns the screen of a command on a terminal of that width.
func (f *captureFixture) screen(language string, width int, line string, answers ...string) string {
	f.t.Helper()
	d, args := openTerminal(f.t, width, f.lines, answers...), f.fill(words(line))
	e := f.environment(d.terminal, language)
	if len(answers) > 0 {
		e.In = d.terminal
	}
	Run(f.t.Context(), e, args) // the screen shows errors
	return stable(strings.ReplaceAll(d.output(), "\r\n", "\n"), f.home)
}

// fill replaces {NAME} in a command line by the first such id of this run.
func (f *captureFixture) fill(args []string) []string {
	f.t.Helper()
	lists := map[string]string{"{operation}": "admin operations list -o name", "{delivery}": "admin deliveries list -o name", "{run}": "imports list -o name"}
	for i, arg := range args {
		if list, ok := lists[arg]; ok {
			args[i], _, _ = strings.Cut(f.run(list), "\n")
		}
	}
	return args
}

// stable replaces values that differ between runs by texts of the same width, and drops
// overwritten text such as progress.
func stable(screen, home string) string {
	screen = strings.ReplaceAll(screen, home[len(captureHome):], "00000000")
	screen = regexp.MustCompile(`(?m)^.*\r *`).ReplaceAllString(screen, "")
	screen = regexp.MustCompile(`(?m)^(took|duração)( +).*`).ReplaceAllString(screen, "${1}${2}1ms")
	for changing, as := range map[string]string{
		`(…)([0-9a-f]+)(/)`:        "0", // a path cut within the home's name
		`(127\.0\.0\.1:)(\d{5})()`: "4",
		`((?:op|job|evt|ev|tok|whsec|ativa|test)_)([-0-9A-Za-z+/=_]{8,})()`: "x", // ids and secrets
		`\b()([0-9a-f]{8})(-\d+\b)`:                                         "0", // runs over files
		`\b()([0-9a-f]{32})(\b)`:                                            "0", // checksums
	} {
		r := regexp.MustCompile(changing)
		screen = r.ReplaceAllStringFunc(screen, func(found string) string {
			parts := r.FindStringSubmatch(found)
			return parts[1] + strings.Repeat(as, len(parts[2])) + parts[3]
		})
	}
	return screen
}
