package cmd

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
)

// doctorServer is a server that authenticates and lists a status, with the clock
// that is given.
func doctorServer(off time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		if r.URL.Path == "/authenticate" {
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`)
			return
		}
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"status":[],"response":"success"}`)
	})
}

// tlsServer is a server with a certificate of its own authority, which is
// written to the file that is returned.
func tlsServer(t *testing.T, h http.Handler, config *tls.Config) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.TLS, server.Config.ErrorLog = config, log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, ca
}

// silentServer takes connections and never says a word.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	return l.Addr().String()
}

// diagnosis runs the doctor and returns its rows by check.
func diagnosis(t *testing.T, u *user, want int, args ...string) map[string]checkRow {
	t.Helper()
	got := u.run(nil, append([]string{"doctor", "-o", "json", "--timeout", "3s"}, args...)...)
	if got.exit != want {
		t.Errorf("%v: exit %d, want %d\n%s%s", args, got.exit, want, got.stdout, got.stderr)
	}
	rows := map[string]checkRow{}
	for _, r := range decode[struct{ Checks []checkRow }](t, got.stdout).Checks {
		rows[r.Check] = r
	}
	return rows
}

func wantRow(t *testing.T, r checkRow, result, finding, remedy string) {
	t.Helper()
	if r.Result != result || !strings.Contains(r.Finding.String(), finding) || !strings.Contains(r.Remedy.String(), remedy) {
		t.Errorf("got %+v, want %s: %s: %s", r, result, finding, remedy)
	}
}

func TestDoctorFindsNothingWrongWhereNothingIs(t *testing.T) {
	url, ca := tlsServer(t, doctorServer(0), nil)
	u := newUser(t, map[string]string{"ATIVA_ACCESS_TOKEN": "t"})
	rows := diagnosis(t, u, cli.ExitOK, "--server", url, "--ca-cert", ca)
	for check, finding := range map[string]string{
		"config": "no file", "permissions": "only you", "context": url, "proxy": "none", "name": "is an address", "connection": "answers",
		"tls": "TLS 1.3, certificate until", "clock": "within a minute", "keyring": "not needed", "token": "environment", "api": "no extensions",
	} {
		wantRow(t, rows[check], checkOK, finding, "")
	}
}

func TestDoctorNamesTheRemedyOfEachFault(t *testing.T) {
	t.Parallel()
	url, _ := tlsServer(t, doctorServer(0), nil)
	wantsCert, ca := tlsServer(t, doctorServer(0), &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	plain := httptest.NewServer(doctorServer(-time.Hour))
	t.Cleanup(plain.Close)
	silent := silentServer(t)
	for _, c := range []struct {
		name                           string
		args                           []string
		exit                           int
		check, result, finding, remedy string
	}{
		{"own authority", []string{"--server", url}, cli.ExitUnavailable, "tls", checkError, "unknown authority", "--ca-cert"},
		{"client certificate", []string{"--server", wantsCert, "--ca-cert", ca}, cli.ExitUnavailable, "tls", checkError, "certificate required", "--client-cert"},
		{"no TLS there", []string{"--server", strings.Replace(plain.URL, "http", "https", 1)}, cli.ExitUnavailable, "tls", checkError, "does not speak TLS", "port"},
		{"clock", []string{"--server", plain.URL}, cli.ExitOK, "clock", checkWarning, "ahead of the server", "set the clock"},
		{"silent", []string{"--server", "http://" + silent}, cli.ExitUnavailable, "connection", checkError, "gives no answer", "port"},
		{"silent TLS", []string{"--server", "https://" + silent}, cli.ExitUnavailable, "connection", checkError, "gives no answer", "port"},
		{"nobody", []string{"--server", "http://127.0.0.1:1"}, cli.ExitUnavailable, "connection", checkError, "refused", "running"},
		{"no name", []string{"--server", "https://no-such.invalid"}, cli.ExitUnavailable, "name", checkError, "no-such.invalid", "spelling"},
		{"plain http", []string{"--server", "http://provisioning.example.com"}, cli.ExitUsage, "connection", checkError, "plain http", "URL"},
		{"silent proxy", []string{"--server", "https://provisioning.example.com", "--proxy", "http://u:hidden@" + silent}, cli.ExitUnavailable, "proxy", checkOK, "http://u:xxxxx@", ""},
		{"no server", nil, cli.ExitUsage, "context", checkError, "no server", "ativa context add"},
		{"no context", []string{"--context", "nowhere"}, cli.ExitNotFound, "context", checkError, "nowhere", "ativa context add"},
		{"offline", []string{"--server", url, "--offline"}, cli.ExitOK, "api", checkSkipped, "--offline", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			rows := diagnosis(t, newUser(t, map[string]string{"ATIVA_ACCESS_TOKEN": "t"}), c.exit, c.args...)
			wantRow(t, rows[c.check], c.result, c.finding, c.remedy)
			if took := time.Since(start); took > testTimeout {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestDoctorLooksAtFilesAndTokens(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(doctorServer(0))
	t.Cleanup(plain.Close)
	u := newUser(t, nil)
	if got := u.run(nil, "context", "add", "work", "--server", plain.URL, "--token-command", "sleep 60"); got.exit != cli.ExitOK {
		t.Fatal(got.stderr)
	}
	rows := diagnosis(t, u, cli.ExitAuth)
	wantRow(t, rows["token"], checkError, "no answer in time", "ativa login")
	wantRow(t, rows["api"], checkSkipped, "needs a token", "")

	config := filepath.Join(u.env["XDG_CONFIG_HOME"], "ativa", "config.yaml")
	if err := os.Chmod(config, 0o644); err != nil {
		t.Fatal(err)
	}
	wantRow(t, diagnosis(t, u, cli.ExitAuth, "--offline")["permissions"], checkWarning, config, "chmod 600")

	if err := os.WriteFile(config, []byte("contxt: work\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows = diagnosis(t, u, cli.ExitUsage)
	wantRow(t, rows["config"], checkError, `line 1: unknown key "contxt"`, "did you mean context")
	wantRow(t, rows["context"], checkSkipped, "cannot be read", "")
}
