package cmd

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/service/domain"
)

// notRun says why the examples of a command are not run.
func notRun() map[string]string {
	return map[string]string{
		"serve":                 "listens on the addresses that it names",
		"desk":                  "wants a terminal; TestDesk… show it one",
		"demo":                  "runs for seconds, and is run by .ci/run",
		"admin copy":            "wants a database that nobody serves, and is run by a script",
		"completion zsh":        "written for zsh",
		"completion fish":       "written for fish",
		"completion powershell": "written for PowerShell",
		"admin callbacks test":  "calls the provider's own server",
		"help":                  "run as the topics",
	}
}

// exampleExits are the examples that do not end with 0 where nobody
// is at a terminal, there is no keyring, and the ids of the help do not exist.
func exampleExits() map[string]int {
	return map[string]int{
		"ativa login": cli.ExitAuth,
		"ativa subscribers search silva --context all":                                                 cli.ExitUsage, // the token is in the environment
		"ativa subscribers get 52998224725 --context all":                                              cli.ExitUsage,
		"ativa subscribers delete 529.982.247-25":                                                      cli.ExitUsage, // asks
		"ativa provision deactivate --product play-basic 529.982.247-25":                               cli.ExitUsage, // asks
		"ativa sync assinantes.csv --yes --max-changes 5%":                                             cli.ExitInvalidInput,
		"ativa events --follow -o jsonl >> events.jsonl":                                               cli.ExitInterrupted,
		"ativa events --follow --forward-to http://localhost:8080/events":                              cli.ExitInterrupted,
		"ativa provision schedule cancel sch_1y2p0ij32e8e7":                                            cli.ExitNotFound,
		"ativa provision schedule cancel sch_1y2p0ij32e8e7 --quiet":                                    cli.ExitNotFound,
		"ativa admin operations confirm op_1y2p0ij32e8e7":                                              cli.ExitNotFound,
		"ativa admin operations fail op_1y2p0ij32e8e7 --reason rejected":                               cli.ExitNotFound,
		`ativa admin operations fail op_1y2p0ij32e8e7 --reason "not this customer" --quiet`:            cli.ExitNotFound,
		"ativa admin deliveries retry job_1y2p0ij32e8e7":                                               cli.ExitNotFound,
		"ativa admin deliveries retry $(ativa admin deliveries list --dead -o name)":                   cli.ExitUsage,   // there is none
		`ativa admin callbacks replay "Provedor Azul" --feed --after ev_2gosa7pa2gw`:                   cli.ExitRefused, // of another feed
		"ativa admin export-data Azul 52998224725 --jq .subscriber":                                    cli.ExitNotFound,
		"ativa imports show 7f3a9c2e-1":                                                                cli.ExitNotFound,
		"ativa imports show 7f3a9c2e-1 -o json":                                                        cli.ExitNotFound,
		"ativa imports resume 7f3a9c2e-1":                                                              cli.ExitNotFound,
		"ativa imports resume 7f3a9c2e-1 -o json":                                                      cli.ExitNotFound,
		"ativa imports undo 7f3a9c2e-1 --dry-run":                                                      cli.ExitNotFound,
		"ativa imports undo 7f3a9c2e-1 --yes -o json":                                                  cli.ExitNotFound,
		"ativa imports purge 7f3a9c2e-1":                                                               cli.ExitNotFound,
		"ativa report reconcile fatura.csv":                                                            cli.ExitPartial, // of months before the fixture was made
		"ativa report reconcile fatura.csv --month 2026-10 --map-value 'products:Pacote A=play-basic'": cli.ExitPartial,
		"ativa report reconcile fatura.csv --month 2026-10 --excel --output-file conferencia.csv":      cli.ExitPartial,
	}
}

// before are the commands that an example needs to have run.
func before() map[string][]string {
	callbacks := []string{"admin callbacks set Azul http://127.0.0.1:9/ --allow-private", "admin callbacks set 'Provedor Azul' http://127.0.0.1:9/ --feed --allow-private"}
	tokens := []string{"admin tokens create 'Provedor Azul' --name ci", "admin tokens create Azul --name desk", "admin tokens create Azul --name ci"}
	own := []string{"tokens create maria", "tokens create joao", "tokens create jose"}
	const otherDB = "admin products create --db sqlite:other.db --id "
	return map[string][]string{
		"logout":                   {"login --storage file --token-stdin < token"},
		"subscribers resend":       {"provision activate --product 3 52998224725"},
		"provision settle":         {"provision overdue --product 1 --wait 52998224725"},
		"subscribers create":       {"provision deactivate --product 1 --yes --wait 52998224725", "subscribers delete 52998224725 --yes"},
		"subscribers delete":       {"provision deactivate --product 1 --yes --wait 52998224725"},
		"provision activate":       {"provision suspend --product 1 --wait 52998224725"},
		"admin operations confirm": {"provision activate --product 3 52998224725"},
		"admin callbacks enable":   callbacks,
		"admin callbacks list":     callbacks,
		"admin callbacks disable":  callbacks,
		"admin callbacks replay":   callbacks,
		"tokens revoke":            own,
		"tokens rotate":            own,
		"admin tokens revoke":      tokens,
		"admin tokens rotate":      tokens,
		"admin partners update":    {"admin partners create parceiro --driver http --url https://partner.example.com/ativa"},
		"admin products create":    {"admin products update 1 --code other", "admin partners create parceiro --driver manual"},
		"admin products update":    {"admin products create --id 7 --name S --code s"},
		"admin providers create":   {otherDB + "1 --name A --code a", otherDB + "2 --name B --code b"},
	}
}

// TestExamplesOfTheHelpRun types every example into a shell, each in a fixture
// of its own: a service with a provider, and a subscriber who has a service.
func TestExamplesOfTheHelpRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are written for a shell of Unix")
	}
	all := commands()
	for name := range notRun() {
		if all[name] == nil {
			t.Errorf("notRun names %q, which does not exist", name)
		}
	}
	template := newExampleTemplate(t)
	for name, c := range all {
		if c.HasSubCommands() || notRun()[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range examples(c) {
				w := template.copy(t)
				for _, first := range before()[name] {
					w.run("ativa "+first, cli.ExitOK)
				}
				w.run(line, exampleExits()[line])
			}
		})
	}
}

// exampleFixture is a directory with files, a home, and a service.
type exampleFixture struct {
	t     *testing.T
	dir   string
	url   string
	token string
	env   []string
}

// exampleTemplate is the database that every example starts from: that of a
// service with one subscriber of "Provedor Azul" whose service is active.
type exampleTemplate struct {
	once     sync.Once
	database []byte
	token    string
}

// theExampleTemplate is made by the first test that wants it.
var theExampleTemplate exampleTemplate

func newExampleTemplate(t *testing.T) *exampleTemplate {
	t.Helper()
	theExampleTemplate.once.Do(func() { theExampleTemplate.make(t) })
	if theExampleTemplate.database == nil {
		t.Fatal("another test could not make the template")
	}
	return &theExampleTemplate
}

func (e *exampleTemplate) make(t *testing.T) {
	t.Helper()
	w := &exampleFixture{t: t, dir: t.TempDir()}
	ctx := t.Context()
	s := w.start()
	if _, err := operator.CreateDemoData(ctx, s.Parts, 1, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Azul", "Provedor Azul"} {
		var err error
		if _, w.token, err = s.Registry.CreateProvider(ctx, domain.Provider{Name: name, Limit: 1000, AllProducts: true}); err != nil {
			t.Fatal(err)
		}
	}
	w.configure(s.URL)
	w.run("ativa subscribers import first.csv --quiet", cli.ExitOK)
	letters, err := operator.WaitForEmails(ctx, filepath.Join(w.dir, "mail"), 1)
	if err != nil {
		t.Fatal(err)
	}
	link, err := operator.ActivationLink(letters[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := operator.FollowLink(ctx, link); err != nil {
		t.Fatal(err)
	}
	w.waitUntilDelivered()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if e.database, err = os.ReadFile(filepath.Join(w.dir, "ativa.db")); err != nil {
		t.Fatal(err)
	}
	e.token = w.token
}

// waitUntilDelivered waits until every e-mail and request has been delivered.
func (w *exampleFixture) waitUntilDelivered() {
	w.t.Helper()
	for start := time.Now(); len(w.print("ativa admin deliveries list -o name")) > 0; <-time.After(10 * time.Millisecond) {
		if time.Since(start) > testTimeout {
			w.t.Fatal("something is always to be delivered")
		}
	}
}

// copy is a fixture of its own, with its own service.
func (e *exampleTemplate) copy(t *testing.T) *exampleFixture {
	t.Helper()
	c := &exampleFixture{t: t, dir: t.TempDir(), token: e.token}
	if err := os.WriteFile(filepath.Join(c.dir, "ativa.db"), e.database, 0o600); err != nil {
		t.Fatal(err)
	}
	s := c.start()
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	c.configure(s.URL)
	return c
}

func (w *exampleFixture) db() string { return "sqlite:" + filepath.Join(w.dir, "ativa.db") }

func (w *exampleFixture) start() *operator.Service {
	w.t.Helper()
	o := operator.ServeOptions{Listen: "127.0.0.1:0", DB: w.db(), DeliveryOptions: operator.DeliveryOptions{MailDir: filepath.Join(w.dir, "mail"), MailFrom: "a@example.com"}}
	s, err := operator.StartService(context.Background(), o, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// configure writes a home whose contexts lead to the service.
func (w *exampleFixture) configure(url string) {
	w.t.Helper()
	w.url = url
	home := filepath.Join(w.dir, "home")
	w.env = []string{"HOME=" + home, "LANG=C.UTF-8", "PAGER=cat", "PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"),
		"ATIVA_DB=" + w.db(), "ATIVA_ACCESS_TOKEN=" + w.token, "GORACE=atexit_sleep_ms=0"}
	w.files()
	w.write("home/.config/ativa/config.yaml", "context: work\ncontexts:\n  - {name: work, server: \""+url+"\"}\n  - {name: dev, server: \""+url+"\"}\n")
}

func (w *exampleFixture) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// files writes what the examples read, and stand-ins for other programs.
func (w *exampleFixture) files() {
	for name, text := range exampleFiles() {
		w.write(name, text)
	}
	w.write("token", w.token+"\n")
	w.write("bin/pass", "#!/bin/sh\necho "+w.token+"\n")
}

// exampleFiles are the texts by name, but for those with the access token.
var exampleFiles = sync.OnceValue(func() map[string]string {
	const head = "nome;e-mail;cpf;telefone;produtos\n"
	files := map[string]string{
		"first.csv":      head + "Ana Souza;ana@example.com.br;52998224725;11987654321;1\n",
		"assinantes.csv": head + "Ana Souza;ana@example.com.br;52998224725;11987654321;1\nJoão Silva;joao@example.com.br;11144477735;11987654322;2\n",
		"novos.csv":      head + "João Silva;joao@example.com.br;11144477735;11987654322;2\n",
		"documents.csv":  "52998224725\n",
		"fatura.csv":     "cpf;produto;dias\n52998224725;1;30\n52998224726;1;30\n",
		"bin/curl":       "#!/bin/sh\ncase \"$2\" in *' atb_'*) ;; *) exit 7;; esac\n",
		"backups/empty":  "",
		"atendentes.csv": "name\nana\n",
		"uso.txt":        "Baixe o aplicativo.\n",
	}
	var picture, workbook bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	book := excelize.NewFile()
	for i, row := range [][]string{{"nome", "e-mail", "cpf", "telefone", "produtos"}, {"João Silva", "joao@example.com.br", "11144477735", "11987654322", "2"}} {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			panic(err)
		}
	}
	if err := book.Write(&workbook); err != nil {
		panic(err)
	}
	files["azul.png"], files["assinantes.xlsx"] = picture.String(), workbook.String()
	return files
})

// run types a line and wants its exit code.
func (w *exampleFixture) run(line string, want int) {
	w.t.Helper()
	typed := strings.NewReplacer("/var/backups/ativa", "backups", "/var/lib/ativa", w.dir).Replace(line)
	if strings.Contains(line, "--follow") {
		typed = "timeout --preserve-status -s INT 1 " + typed
	}
	if strings.Contains(line, "providers create") { // the names are taken in the fixture's own
		typed += " --db sqlite:other.db"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", typed)
	c.Dir, c.Env = w.dir, w.env
	out, _ := c.CombinedOutput() // the exit code is what counts
	if got := c.ProcessState.ExitCode(); got != want {
		w.t.Errorf("%s\nexit %d, want %d\n%s", fmt.Sprint(line), got, want, out)
	}
}
