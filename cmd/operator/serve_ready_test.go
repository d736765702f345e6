package operator

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// checkReadyAs returns the output of `ativa serve --check-ready` in an environment.
func checkReadyAs(t *testing.T, env map[string]string) (exit int, message string) {
	t.Helper()
	c := NewServe(&cli.Env{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return env[name] }})
	c.SetArgs([]string{"--check-ready"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(t.Context()); err != nil {
		return failure.OutcomeOf(err).Exit, err.Error()
	}
	return cli.ExitOK, ""
}

// A container's health check works with the server's settings, whatever address and
// certificate they name.
func TestAHealthCheckAsksTheServerOfItsSettings(t *testing.T) {
	s := running(t, ServeOptions{})
	listen := strings.TrimPrefix(s.URL, "http://")
	for _, l := range []string{listen, strings.Replace(listen, "127.0.0.1", "0.0.0.0", 1), strings.TrimPrefix(listen, "127.0.0.1")} {
		if exit, message := checkReadyAs(t, map[string]string{"ATIVA_LISTEN": l}); exit != cli.ExitOK {
			t.Errorf("--listen %s: got %d, %q, want a server that is ready", l, exit, message)
		}
	}
	must(t, s.Stop())
	exit, message := checkReadyAs(t, map[string]string{"ATIVA_LISTEN": listen})
	if exit != cli.ExitUnavailable || !strings.HasPrefix(message, "no server answers at "+listen) {
		t.Errorf("stopped: got %d, %q", exit, message)
	}

	broken := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"detail":"asked `+r.URL.Path+`"}`)
	}))
	defer broken.Close()
	exit, message = checkReadyAs(t, map[string]string{"ATIVA_LISTEN": broken.Listener.Addr().String(), "ATIVA_TLS_CERT": "c.pem", "ATIVA_TLS_KEY": "k.pem"})
	if exit != cli.ExitUnavailable || message != "the server says that it is not ready: asked /readyz" {
		t.Errorf("not ready, with TLS: got %d, %q", exit, message)
	}
	listen = broken.Listener.Addr().String()
	exit, message = checkReadyAs(t, map[string]string{"ATIVA_LISTEN": listen})
	if exit != cli.ExitUnavailable || message != "the server at http://"+listen+"/readyz does not answer as ativa does: 400 Bad Request" {
		t.Errorf("without TLS: got %d, %q", exit, message)
	}
	if exit, message = checkReadyAs(t, map[string]string{"ATIVA_LISTEN": "nowhere"}); exit != cli.ExitUsage {
		t.Errorf("no address: got %d, %q", exit, message)
	}
}

func TestUnusableSettingsAreNamedByTheirFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mail")
	must(t, os.WriteFile(file, nil, 0o600))
	for flag, c := range map[string]struct{ value, want, hint string }{
		"--listen":   {"203.0.113.1:8443", "--listen 203.0.113.1:8443: this machine does not have the address", "choose another address with --listen"},
		"--mail-dir": {file, "--mail-dir: " + file + ": it is not a directory", "name a directory that this user may write in"},
	} {
		s := NewServe(&cli.Env{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }})
		s.SetArgs([]string{"--listen=127.0.0.1:0", "--metrics-listen=off", "--trusted-proxy=192.0.2.1", "--db=sqlite:" + filepath.Join(t.TempDir(), "a.db"), flag, c.value})
		s.SilenceErrors, s.SilenceUsage = true, true
		err := s.ExecuteContext(t.Context())
		o := failure.OutcomeOf(err)
		if got := failure.Text(lang.English, err); o.Exit != cli.ExitUsage || got != c.want || !strings.HasPrefix(o.Hint.Text(lang.English), c.hint) {
			t.Errorf("got exit %d, %q and %q, want 2, %q and %q", o.Exit, got, o.Hint.Text(lang.English), c.want, c.hint)
		}
	}
}
