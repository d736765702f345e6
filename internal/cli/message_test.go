package cli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/sheet"
)

// TestErrorsSayWhatHappenedAndWhatToDo checks both lines of an error.
func TestErrorsSayWhatHappenedAndWhatToDo(t *testing.T) {
	full := fmt.Errorf("write out.csv: %w", syscall.ENOSPC)
	raw := func(o render.Options) error { return render.Raw(t.Context(), io.Discard, o, []byte("null")) }
	refused := &client.Error{Route: "POST /subscribers", Status: 422, Code: api.CodeValidationFailed, Message: "invalid fields",
		Problem: api.Problem{Errors: []api.FieldError{{Field: "email", Code: "x", Detail: "must be an address"}}}}
	for _, c := range []struct {
		name string
		err  error
		l    lang.Language
		exit int
		want string
	}{
		{"the same twice", errors.Join(full, full), lang.English, cli.ExitError,
			"ativa: write out.csv: the disk is full\nmake room on the disk and run the same command again\n"},
		{"two", errors.Join(errors.New("b"), errors.New("a")), lang.English, cli.ExitError, "ativa: a; b\n"},
		{"fields", refused, lang.English, cli.ExitRefused,
			"ativa: the server refused it: \"invalid fields: email: must be an address\"\nnothing was changed"},
		{"by its code", &client.Error{Route: "GET /subscribers/{document}", Status: 404, Code: api.CodeSubscriberNotFound, Message: "nobody there"}, lang.Portuguese, cli.ExitNotFound,
			"ativa: o assinante não existe\n`ativa subscribers search TERMO`"},
		{"a field in our server's words", &client.Error{Route: "POST /subscribers", Status: 422, Code: api.CodeValidationFailed, Message: "the subscriber has invalid fields",
			Problem: api.Problem{Errors: []api.FieldError{{Field: "email", Code: "invalid_email", Detail: "must be one plain e-mail address"}}}}, lang.Portuguese, cli.ExitRefused,
			"ativa: o assinante tem campos inválidos: e-mail: não é um endereço de e-mail válido; confira o e-mail e tente de novo\nnada foi alterado"},
		{"no TLS", &client.UnavailableError{Route: "GET /products", Err: fmt.Errorf("Get: %w", http.ErrSchemeMismatch)}, lang.English, cli.ExitUnavailable,
			"ativa: the server cannot be reached: there is no TLS at this address; it may be meant to begin with http://\ntry again later"},
		{"no such name", &client.UnavailableError{Route: "GET /products", Err: &net.DNSError{Name: "api.example.com", IsNotFound: true}}, lang.English, cli.ExitUnavailable,
			"ativa: the server cannot be reached: no machine has the name api.example.com\ncheck the address of the server"},
		{"an interrupted write", &client.UnavailableError{Route: "POST /subscribers", Sent: true, Unknown: true, Err: context.Canceled}, lang.Portuguese, cli.ExitInterrupted,
			"ativa: interrompido, e o pedido pode ter sido executado\n"},
		{"a dead proxy", &client.UnavailableError{Route: "GET /products", Err: &client.ProxyError{Proxy: "proxy:3128", Err: syscall.ECONNREFUSED}}, lang.Portuguese, cli.ExitUnavailable,
			"ativa: não foi possível falar com o proxy proxy:3128\no proxy"},
		{"an untrusted certificate", &client.UnavailableError{Route: "GET /products", Err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}, lang.English, cli.ExitAuth,
			"ativa: the server cannot be reached: its certificate is from an authority that is not trusted here\nif the authority is your own, trust it: --ca-cert FILE"},
		{"a certificate for another name", &client.UnavailableError{Route: "GET /products", Err: &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"a.example"}}, Host: "b.example"}}}, lang.English, cli.ExitAuth,
			"ativa: the server cannot be reached: its certificate is for another name\nuse the name that the certificate is for; until then send nothing there\n"},
		{"an expired certificate", &client.UnavailableError{Route: "GET /products", Err: &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}}, lang.English, cli.ExitAuth,
			"ativa: the server cannot be reached: its certificate has expired or is not valid yet, or a clock is wrong\ncheck the clock of this machine; "},
		{"no such type", &client.UnexpectedResponseError{Route: "GET /products", Err: errors.New("json: cannot unmarshal string into Go value of type int")}, lang.English, cli.ExitError,
			"ativa: the server gave an answer that this program cannot read\n"},
		{"another address", &client.Error{Route: "GET /products", Status: 302, Code: client.CodeRedirect, Message: "the answer points to another address", Location: "https://portal.example.com"}, lang.Portuguese, cli.ExitUnavailable,
			"ativa: a resposta aponta para https://portal.example.com: "},
		{"interrupted", &cli.Failure{Exit: cli.ExitInterrupted, Message: cli.Msg("the import is not complete: %d [row|rows] without an answer, %d not sent", 0, 3), Err: fmt.Errorf("batch: %w", context.Canceled)}, lang.Portuguese, cli.ExitInterrupted,
			"ativa: a importação não está completa: 0 linhas sem resposta, 3 não enviadas: interrompido\n"},
		{"a report on a full disk", &fs.PathError{Op: "write", Path: "x.csv", Err: syscall.ENOSPC}, lang.English, cli.ExitError, "ativa: x.csv: the disk is full\nmake room on the disk and run the same command again\n"},
		{"output on a full disk", fmt.Errorf("print: %w", &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}), lang.English, cli.ExitError,
			"ativa: " + os.Stdout.Name() + ": the disk is full\nmake room on the disk; what the command changed is done"},
		{"a refusal, and output on a full disk", errors.Join(refused, &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}), lang.English, cli.ExitRefused,
			"ativa: " + os.Stdout.Name() + ": the disk is full; the server refused it: "},
		{"reported failures, and output on a full disk", errors.Join(&cli.SilentExit{Code: cli.ExitPartial}, &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}), lang.English, cli.ExitPartial,
			"ativa: " + os.Stdout.Name() + ": the disk is full\nmake room"},
		{"a refusal, and a closed pipe", errors.Join(cli.NotFound("nobody"), syscall.EPIPE), lang.English, cli.ExitNotFound, "ativa: nobody\n"},
		{"half a filter", raw(render.Options{JQ: ".a["}), lang.Portuguese, cli.ExitUsage,
			"ativa: --jq: o filtro não pode ser lido (unexpected EOF)\nveja"},
		{"half a document in a filter", raw(render.Options{JQ: "fromjson"}), lang.Portuguese, cli.ExitError, "ativa: --jq: fromjson cannot be applied to: null\n"},
	} {
		var out bytes.Buffer
		if got := cli.Report(&out, c.l, "", c.err); got != c.exit || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%s: got exit %d and %q, want %d and %q", c.name, got, out.String(), c.exit, c.want)
		}
	}
}

// full is a file on a full disk.
type faulty struct{ err error }

func (f faulty) Write([]byte) (int, error) { return 0, f.err }

// A program sees the exit code even where the log of standard error takes no more.
func TestAnErrorThatCannotBeWrittenKeepsItsExitCode(t *testing.T) {
	for _, format := range []string{render.FormatTable, render.FormatJSON} {
		if got := cli.Report(faulty{syscall.ENOSPC}, lang.English, format, cli.Usage("wrong")); got != cli.ExitUsage {
			t.Errorf("%s: got exit %d, want %d", format, got, cli.ExitUsage)
		}
	}
}

// The text of a kind of problem is a whole sentence without values of its rows.
func TestTheTextOfAKindOfProblemIsAWholeSentence(t *testing.T) {
	for code, want := range map[string]string{
		sheet.CodeTooFewColumns: "a linha tem menos colunas que o cabeçalho",
		sheet.CodeDuplicate:     "a linha … já tem este CPF com outros dados",
	} {
		if got := sheet.KindText(lang.Portuguese, code); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}
