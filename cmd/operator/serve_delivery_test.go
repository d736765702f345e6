package operator

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// mailSession is a connection to a mail server with a password. It passes the e-mails on.
type mailSession struct {
	emails chan string
	signed bool
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if s.signed = user == "ativa" && password == "from a file"; !s.signed {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error {
	if !s.signed {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *mailSession) Reset()                               {}
func (s *mailSession) Logout() error                        { return nil }

func (s *mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.emails <- string(text)
	return err
}

// The settings of serve reach the mail server: URL, password file, sender,
// language.
func TestServeSendsItsMailToTheServerOfItsSettings(t *testing.T) {
	emails := make(chan string, 10)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{emails: emails}, nil }))
	server.AllowInsecureAuth = true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go server.Serve(l)
	defer server.Close()
	dir := t.TempDir()
	password := filepath.Join(dir, "password")
	must(t, os.WriteFile(password, []byte("from a file\n"), 0o600))
	e := &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(name string) string {
		return map[string]string{"ATIVA_SMTP": "smtp://ativa@" + l.Addr().String(), "ATIVA_MAIL_FROM": "ativacao@provedor.example"}[name]
	}}
	file := filepath.Join(dir, "serve.yaml")
	must(t, os.WriteFile(file, []byte("listen: 127.0.0.1:0\nmail_language: en\npublic_url: https://ativa.example\nsmtp_password_file: "+password+"\n"), 0o600))
	var o ServeOptions
	c := &cobra.Command{Use: "serve"}
	o.addFlags(c.Flags())
	must(t, c.ParseFlags([]string{"--db", "sqlite:" + filepath.Join(dir, "ativa.db")}))
	must(t, newServeSettings(e, c, file).apply(t.Context(), &o))
	must(t, o.complete(e))
	s, err := StartService(t.Context(), o, slog.New(slog.DiscardHandler))
	must(t, err)
	defer s.Stop()
	if _, err := CreateDemoData(t.Context(), s.Parts, 10, 0); err != nil {
		t.Fatal(err)
	}
	importOne(t, s.Parts)
	select {
	case text := <-emails:
		for _, want := range []string{"Content-Language: en", "<ativacao@provedor.example>", "https://ativa.example/activate/", "@provedor.example>"} {
			if !strings.Contains(strings.ReplaceAll(text, "=\r\n", ""), want) {
				t.Errorf("the e-mail lacks %q:\n%s", want, text)
			}
		}
	case <-time.After(time.Minute):
		t.Fatal("no e-mail came")
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
