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
)

// tokensServer is a server with the token eva, which calls made before it answers with a new secret.
func tokensServer(made func()) *apitest.Server {
	s := apitest.New(api.ExtTokens)
	s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		const token = `{"id":"tok_2","name":"eva"}`
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

func TestASecretWhoseFileCannotBeCompletedIsAnErrorThatSaysSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there an open file cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	u := userOf(t, tokensServer(func() { must(t, os.RemoveAll(dir)) }))
	got := u.run(nil, "tokens", "rotate", "eva", "-o", "json", "--output-file", filepath.Join(dir, "secret.json"))
	if got.exit != cli.ExitError || !strings.Contains(got.stderr, `"code":"secret_lost"`) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}

// After a lost response the token may exist: its name is then taken, and only a rotation gives it a
// known secret. The hint of a file stands once, below what was made.
func TestATokenWhoseAnswerIsLostIsRotated(t *testing.T) {
	people := writeFile(t, "pessoas.csv", "name\nana\nbia\nmaria\n")
	for args, c := range map[string]struct {
		kept int // answers before the lost one
		want string
	}{
		"tokens create maria": {0, "the access token maria may have been made: "},
		"tokens create --file " + people + " --output-file " + people + ".secrets": {2, "2 of 3 access tokens were made: "},
	} {
		u := userOf(t, tokensServer(func() {
			if c.kept--; c.kept < 0 {
				panic(http.ErrAbortHandler)
			}
		}))
		got := u.run(nil, strings.Fields(args)...)
		if got.exit != cli.ExitUnavailable || strings.Count(got.stderr, c.want) != 1 || strings.Count(got.stderr, "no answer came") != 1 ||
			!strings.HasSuffix(got.stderr, "if `ativa tokens list` shows maria, `ativa tokens rotate` gives it another secret\n") {
			t.Errorf("%s: exit %d, %s", args, got.exit, got.stderr)
		}
	}
}
