package cmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ativa/cmd/operator"
	"ativa/internal/service/domain"
)

// exampleFixture is a directory with files, a home, and a service.
type exampleFixture struct {
	t     *testing.T
	dir   string
	url   string
	token string
	env   []string
}

// exampleDatabase is the initial database of every example: one subscriber of "Provedor Azul" with an
// active service. The first test that needs it makes it.
var exampleDatabase struct {
	once    sync.Once
	content []byte
	token   string
}

func newExampleFixture(t *testing.T) *exampleFixture {
	t.Helper()
	if exampleDatabase.once.Do(func() { makeExampleDatabase(t) }); exampleDatabase.content == nil {
		t.Fatal("another test could not make the database")
	}
	w := &exampleFixture{t: t, dir: t.TempDir(), token: exampleDatabase.token}
	must(t, os.WriteFile(filepath.Join(w.dir, "ativa.db"), exampleDatabase.content, 0o600))
	s := startService(t, w.db(), filepath.Join(w.dir, "mail"))
	t.Cleanup(func() { must(t, s.Stop()) })
	w.configure(s.URL)
	return w
}

func makeExampleDatabase(t *testing.T) {
	t.Helper()
	w := &exampleFixture{t: t, dir: t.TempDir()}
	ctx := t.Context()
	s := startService(t, w.db(), filepath.Join(w.dir, "mail"))
	_, err := operator.CreateDemoData(ctx, s.Parts, 1, time.Millisecond)
	must(t, err)
	for _, name := range []string{"Azul", "Provedor Azul"} {
		_, w.token, err = s.Registry.CreateProvider(ctx, domain.Provider{Name: name, Limit: 1000, AllProducts: true})
		must(t, err)
	}
	w.configure(s.URL)
	w.print("ativa subscribers import first.csv --quiet")
	_, err = followLinks(ctx, filepath.Join(w.dir, "mail"), 1, "")
	must(t, err)
	eventually(t, "the end of all deliveries", func() bool { return len(w.print("ativa admin deliveries list -o name")) == 0 })
	must(t, s.Stop())
	exampleDatabase.content, err = os.ReadFile(filepath.Join(w.dir, "ativa.db"))
	must(t, err)
	exampleDatabase.token = w.token
}

func (w *exampleFixture) db() string { return "sqlite:" + filepath.Join(w.dir, "ativa.db") }

// startService starts a service in this process, which writes its e-mails into a directory.
func startService(t *testing.T, dsn, mail string) *operator.Service {
	t.Helper()
	o := operator.ServeOptions{Listen: "127.0.0.1:0", DB: dsn, DeliveryOptions: operator.DeliveryOptions{MailDir: mail, MailFrom: "a@example.com"}}
	s, err := operator.StartService(context.Background(), o, slog.New(slog.DiscardHandler))
	must(t, err)
	return s
}

// configure writes a home whose contexts lead to the service.
func (w *exampleFixture) configure(url string) {
	w.t.Helper()
	w.url = url
	home := filepath.Join(w.dir, "home")
	w.env = []string{"HOME=" + home, "LANG=C.UTF-8", "PAGER=cat", "PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"),
		"ATIVA_DB=" + w.db(), "ATIVA_ACCESS_TOKEN=" + w.token, "GORACE=atexit_sleep_ms=0"}
	for name, text := range exampleFiles() {
		w.write(name, text)
	}
	w.write("token", w.token+"\n")
	w.write("bin/pass", "#!/bin/sh\necho "+w.token+"\n")
	w.write("home/.config/ativa/config.yaml", "context: work\ncontexts:\n  - {name: work, server: \""+url+"\"}\n  - {name: dev, server: \""+url+"\"}\n")
}

func (w *exampleFixture) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(w.t, os.WriteFile(path, []byte(text), 0o700))
}

// exampleFiles are the texts by name, except those with the access token.
func exampleFiles() map[string]string {
	const head = "nome;e-mail;cpf;telefone;produtos\n"
	picture, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	return map[string]string{
		"first.csv":      head + "Ana Souza;ana@example.com.br;52998224725;11987654321;1\n",
		"assinantes.csv": head + "Ana Souza;ana@example.com.br;52998224725;11987654321;1\nJoão Silva;joao@example.com.br;11144477735;11987654322;2\n",
		"novos.csv":      head + "João Silva;joao@example.com.br;11144477735;11987654322;2\n",
		"documents.csv":  "52998224725\n",
		"fatura.csv":     "cpf;produto;dias\n52998224725;1;30\n52998224726;1;30\n",
		"backups/empty":  "",
		"uso.txt":        "Baixe o aplicativo.\n",
		"azul.png":       string(picture),
	}
}

// print types a line, which must succeed, and returns what it wrote to stdout.
func (w *exampleFixture) print(line string) []byte {
	w.t.Helper()
	c := exec.CommandContext(w.t.Context(), "bash", "-o", "pipefail", "-c", line)
	c.Dir, c.Env = w.dir, w.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		w.t.Errorf("%s: %v: %s%s", line, err, out, stderr.String())
	}
	return out
}
