package cmd

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/lang"
)

// A file of tokens is read in every form that an import takes. Another form is refused with a remedy.
func TestAFileOfTokensIsReadAsASpreadsheetSavesIt(t *testing.T) {
	for content, want := range map[string]string{"nome;permissões\r\nJoão;read manage\r\n": "", "nome;permiss\xf5es;;\r\nJo\xe3o;read manage;;\r\n;;;\r\n": "", "\xd0\xcf\x11\xe0": "save it as CSV or .xlsx"} {
		rows, problems, err := parseTokensFile("atendentes.csv", []byte(content), time.Now())
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v", content, err)
			}
		case err != nil || len(problems) > 0 || len(rows) != 1 || rows[0].Name != "João" || len(rows[0].Scopes) != 2:
			t.Errorf("%q: got %+v, %v, %v", content, rows, problems, err)
		}
	}
}

// A problem names its line of the file, also below a blank line and a cell of two lines.
func TestAProblemOfAFileOfTokensNamesItsLine(t *testing.T) {
	rows, problems, err := parseTokensFile("atendentes.csv", []byte("nome;expires\n\n\"Ana\nSouza\";\nBia;amanhã\n"), time.Now())
	if err != nil || len(rows) != 2 || rows[0].line != 3 || rows[1].line != 5 || len(problems) != 1 || !strings.HasPrefix(problems[0].Text(lang.English), "line 5: ") {
		t.Errorf("got %+v, %v, %v", rows, problems, err)
	}
}

// tokensServer is a server with the token maria, which calls made before it answers with a new secret.
func tokensServer(made func()) *apitest.Server {
	s := apitest.New(api.ExtTokens)
	s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		const token = `{"id":"tok_2","name":"maria"}`
		switch {
		case r.Path == api.PathTokens && r.Method == http.MethodGet:
			fmt.Fprintf(w, `{"tokens":[%s],"response":"success"}`, token)
		case strings.HasPrefix(r.Path, api.PathTokens):
			made()
			fmt.Fprintf(w, `{"token":%s,"access_token":"ativa_new","response":"success"}`, token)
		default:
			return false
		}
		return true
	}
	return s
}

// Ctrl-C during the request does not lose the secret: no server shows it again, and the old one may
// have ended.
func TestAnInterruptedCommandStillShowsTheNewSecret(t *testing.T) {
	for _, args := range []string{"tokens create maria", "tokens rotate tok_2 --jq .access_token"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := tokensServer(func() {
			cancel()
			time.Sleep(100 * time.Millisecond) // in which an interrupted request would end
		})
		var stdout, stderr bytes.Buffer
		exit := Run(ctx, userOf(t, s).environment(strings.NewReader(""), &stdout, &stderr), strings.Fields(args))
		if exit != cli.ExitOK || !strings.Contains(stdout.String(), "ativa_new") {
			t.Errorf("%s: exit %d, %q, %s", args, exit, stdout.String(), stderr.String())
		}
	}
}

// If the file of --output-file cannot be completed, the error says that the secret is lost.
func TestASecretWhoseFileCannotBeCompletedIsAnErrorThatSaysSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there an open file cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	u := userOf(t, tokensServer(func() { must(t, os.RemoveAll(dir)) }))
	got := u.run(nil, "tokens", "rotate", "maria", "-o", "json", "--output-file", filepath.Join(dir, "secret.json"))
	if got.exit != cli.ExitError || !strings.Contains(got.stderr, `"code":"secret_lost"`) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}

// After a lost response the token may exist: its name is then taken, and only a rotation gives it a
// known secret.
func TestATokenWhoseAnswerIsLostIsRotated(t *testing.T) {
	u := userOf(t, tokensServer(func() { panic(http.ErrAbortHandler) }))
	got := u.run(nil, "tokens", "create", "maria")
	if got.exit != cli.ExitUnavailable || !strings.Contains(got.stderr, "the access token maria may have been made: ") ||
		!strings.HasSuffix(got.stderr, "\nif `ativa tokens list` shows maria, `ativa tokens rotate` gives it another secret\n") {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}
