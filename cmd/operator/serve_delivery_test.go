package operator

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
)

// The settings of serve name the mail server with the password of a file, and the sender, the language
// and the links of its e-mails.
func TestServeSendsItsMailAsItsSettingsSay(t *testing.T) {
	const server = "smtp://ativa@mail.example.com"
	dir := t.TempDir()
	password, file := filepath.Join(dir, "password"), filepath.Join(dir, "serve.yaml")
	must(t, os.WriteFile(password, []byte("from a file\n"), 0o600))
	must(t, os.WriteFile(file, []byte("listen: 127.0.0.1:0\nmail_language: en\npublic_url: https://ativa.example\nsmtp_password_file: "+password+"\n"), 0o600))
	e := &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(name string) string {
		return map[string]string{"ATIVA_SMTP": server, "ATIVA_MAIL_FROM": "ativacao@provedor.example"}[name]
	}}
	var o ServeOptions
	c := &cobra.Command{Use: "serve"}
	o.addFlags(c.Flags())
	must(t, c.ParseFlags([]string{"--db", "sqlite:" + filepath.Join(dir, "ativa.db")}))
	must(t, newServeSettings(e, c, file).apply(t.Context(), &o))
	must(t, o.complete(e))
	want, err := outbox.ParseMailServer(server, "from a file")
	must(t, err)
	if !reflect.DeepEqual(o.mailServer, want) {
		t.Errorf("got the mail server %+v, want %+v", o.mailServer, want)
	}
	o.mailServer, o.MailDir = nil, filepath.Join(dir, "mail")
	s, err := StartService(t.Context(), o, slog.New(slog.DiscardHandler))
	must(t, err)
	defer s.Stop()
	_, err = CreateDemoData(t.Context(), s.Parts, 10, 0)
	must(t, err)
	importOne(t, s.Parts)
	emails, err := WaitForEmails(t.Context(), o.MailDir, 1)
	must(t, err)
	text, err := os.ReadFile(emails[0])
	must(t, err)
	for _, want := range []string{"Content-Language: en", "<ativacao@provedor.example>", "https://ativa.example/activate/", "@provedor.example>"} {
		if !strings.Contains(strings.ReplaceAll(string(text), "=\r\n", ""), want) {
			t.Errorf("the e-mail lacks %q:\n%s", want, text)
		}
	}
}

func importOne(t *testing.T, service *Parts) {
	t.Helper()
	providers, err := service.Store.Providers(context.Background())
	must(t, err)
	_, err = service.Rules.Import(context.Background(), rules.Call{Provider: providers[0].ID}, []rules.Registration{{
		Products: []int{1}, Fields: rules.Fields{Name: domain.Some("Ana Souza"), Email: domain.Some("ana@example.com.br"),
			Document: domain.Some("52998224725"), Phone: domain.Some("+5511987654321")}}})
	must(t, err)
}
