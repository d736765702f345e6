package doctor_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ativa/cmd/doctor"
	"ativa/internal/cli"
	"ativa/internal/system/systemtest"
)

// apiServer returns a server that authenticates and lists a status, with this clock. about
// are members that describe the access token.
func apiServer(off time.Duration, about string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		if r.URL.Path == "/authenticate" {
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600`+about+`}}`)
			return
		}
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"status":[],"response":"success"}`)
	})
}

// tlsServer returns a server with its own certificate authority, and the authority's
// file.
func tlsServer(t *testing.T, h http.Handler, config *tls.Config) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.TLS, server.Config.ErrorLog = config, log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	must(t, os.WriteFile(ca, text, 0o600))
	return server.URL, ca
}

// certificateBy returns a certificate for 127.0.0.1 of an issuer whose own it lacks.
func certificateBy(t *testing.T, issuer string, end time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: end.Add(-90 * 24 * time.Hour), NotAfter: end,
		IsCA: true, BasicConstraintsValid: true}
	parent := *c
	parent.Subject.CommonName = issuer
	der, err := x509.CreateCertificate(rand.Reader, c, &parent, &key.PublicKey, key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// silentServer listens and never accepts or responds.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// fixture is a home and an environment for the doctor.
type fixture struct {
	home string
	env  map[string]string
}

func newFixture(t *testing.T, accessToken string) fixture {
	t.Helper()
	home := t.TempDir()
	return fixture{home: home, env: map[string]string{"HOME": home, "ATIVA_ACCESS_TOKEN": accessToken}}
}

// config writes the configuration file and returns its path.
func (f fixture) config(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(f.home, ".config", "ativa", "config.yaml")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

type printedCheck struct{ Check, Result, Finding, Remedy string }

// run runs the doctor and checks its exit code.
func (f fixture) run(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return f.env[name] }}
	root := &cobra.Command{Use: "ativa", SilenceErrors: true, SilenceUsage: true}
	root.AddGroup(&cobra.Group{ID: "setup"})
	root.AddCommand(doctor.New(e))
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return e.ApplySettings() }
	e.AddGlobalFlags(root)
	root.SetArgs(append([]string{"doctor", "--timeout", "30s"}, args...))
	if got := cli.Report(&errs, e.Lang, "", root.ExecuteContext(t.Context())); got != want {
		t.Errorf("%v: exit %d, want %d\n%s%s", args, got, want, &out, &errs)
	}
	return out.String(), errs.String()
}

// diagnose returns the doctor's checks by name.
func (f fixture) diagnose(t *testing.T, want int, args ...string) map[string]printedCheck {
	t.Helper()
	stdout, _ := f.run(t, want, append([]string{"-o", "json"}, args...)...)
	var printed struct{ Checks []printedCheck }
	must(t, json.Unmarshal([]byte(stdout), &printed))
	checks := map[string]printedCheck{}
	for _, c := range printed.Checks {
		checks[c.Check] = c
	}
	return checks
}

func wantCheck(t *testing.T, r printedCheck, result, finding, remedy string) {
	t.Helper()
	if r.Result != result || !strings.Contains(r.Finding, finding) || !strings.Contains(r.Remedy, remedy) {
		t.Errorf("got %+v, want %s: %s: %s", r, result, finding, remedy)
	}
}

func TestDoctorReportsNoFaultOfAGoodSetup(t *testing.T) {
	url, ca := tlsServer(t, apiServer(0, ""), nil)
	rows := newFixture(t, "t").diagnose(t, cli.ExitOK, "--server", url, "--ca-cert", ca)
	for check, finding := range map[string]string{
		"config": "no file", "permissions": "only you", "context": url, "proxy": "none", "name": "is an address", "connection": "answers",
		"tls": "TLS 1.3, certificate until", "clock": "within a minute", "keyring": "not needed", "token": "environment", "api": "no extensions",
	} {
		wantCheck(t, rows[check], doctor.ResultOK, finding, "")
	}
}

func TestDoctorNamesTheRemedyOfEachFault(t *testing.T) {
	t.Parallel()
	url, _ := tlsServer(t, apiServer(0, ""), nil)
	wantsCert, ca := tlsServer(t, apiServer(0, ""), &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	plain := httptest.NewServer(apiServer(-time.Hour, ""))
	t.Cleanup(plain.Close)
	silent := silentServer(t)
	expired, _ := tlsServer(t, apiServer(0, ""), &tls.Config{Certificates: []tls.Certificate{certificateBy(t, "", time.Now().Add(-time.Hour))}})
	ending, endingCA := tlsServer(t, apiServer(0, ""), &tls.Config{Certificates: []tls.Certificate{certificateBy(t, "", time.Now().Add(13*24*time.Hour))}})
	alone, _ := tlsServer(t, apiServer(0, ""), &tls.Config{Certificates: []tls.Certificate{certificateBy(t, "Intermediate", time.Now().Add(90*24*time.Hour))}})
	for _, c := range []struct {
		name                           string
		args                           []string
		exit                           int
		check, result, finding, remedy string
	}{
		{"no intermediate certificate", []string{"--server", alone, "--ca-cert", ca}, cli.ExitAuth, "tls", doctor.ResultError, "unknown authority", "whole chain"},
		{"plain http to TLS", []string{"--server", strings.Replace(url, "https", "http", 1)}, cli.ExitUnavailable, "api", doctor.ResultError, "must begin with https://", "--server"},
		{"own authority", []string{"--server", url}, cli.ExitAuth, "tls", doctor.ResultError, "unknown authority", "--ca-cert"},
		{"client certificate", []string{"--server", wantsCert, "--ca-cert", ca}, cli.ExitUnavailable, "tls", doctor.ResultError, "certificate required", "--client-cert"},
		{"expired certificate", []string{"--server", expired}, cli.ExitAuth, "tls", doctor.ResultError, "certificate has expired", "needs a new certificate"},
		{"certificate that ends soon", []string{"--server", ending, "--ca-cert", endingCA}, cli.ExitOK, "tls", doctor.ResultWarning, "certificate until", "ends soon"},
		{"no TLS there", []string{"--server", strings.Replace(plain.URL, "http", "https", 1)}, cli.ExitUnavailable, "tls", doctor.ResultError, "does not speak TLS", "port"},
		{"clock", []string{"--server", plain.URL}, cli.ExitOK, "clock", doctor.ResultWarning, "ahead of the server", "set the clock"},
		{"silent", []string{"--timeout", "3s", "--server", "http://" + silent}, cli.ExitUnavailable, "connection", doctor.ResultError, "gives no answer", "port"},
		{"nobody", []string{"--server", "http://127.0.0.1:1"}, cli.ExitUnavailable, "connection", doctor.ResultError, "refused", "running"},
		{"no name", []string{"--server", "https://no-such.invalid"}, cli.ExitUnavailable, "name", doctor.ResultError, "no-such.invalid", "spelling"},
		{"plain http", []string{"--server", "http://provisioning.example.com"}, cli.ExitUsage, "connection", doctor.ResultError, "plain http", "URL"},
		{"silent proxy", []string{"--timeout", "3s", "--server", "https://provisioning.example.com", "--proxy", "http://u:hidden@" + silent}, cli.ExitUnavailable, "proxy", doctor.ResultOK, "http://u:xxxxx@", ""},
		{"no server", nil, cli.ExitUsage, "context", doctor.ResultError, "no server", "ativa context add"},
		{"no context", []string{"--context", "nowhere"}, cli.ExitNotFound, "context", doctor.ResultError, "nowhere", "ativa context add"},
		{"offline", []string{"--server", url, "--offline"}, cli.ExitOK, "api", doctor.ResultSkipped, "--offline", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := newFixture(t, "t").diagnose(t, c.exit, c.args...)
			wantCheck(t, rows[c.check], c.result, c.finding, c.remedy)
		})
	}
}

func TestATableOfTheDoctorHasEachRemedyBelowIt(t *testing.T) {
	f := newFixture(t, "")
	must(t, os.Chmod(f.config(t, "context: c\n"), 0o644))
	table, stderr := f.run(t, cli.ExitUnavailable, "-o", "table", "--server", "http://127.0.0.1:1")
	if !strings.Contains(table, "refused") || !strings.Contains("\n"+stderr, "\npermissions: ") || !strings.Contains(stderr, "chmod 600") {
		t.Errorf("got\n%s\n%s", table, stderr)
	}
}

func TestDoctorChecksFilesAndTokens(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(apiServer(0, ""))
	t.Cleanup(plain.Close)
	f := newFixture(t, "")
	config := f.config(t, "context: work\ncontexts:\n  - {name: work, server: \""+plain.URL+"\", token_command: sleep 60}\n")
	rows := f.diagnose(t, cli.ExitAuth, "--timeout", "5s")
	wantCheck(t, rows["token"], doctor.ResultError, "no answer in time", "ativa login")
	wantCheck(t, rows["api"], doctor.ResultSkipped, "needs a token", "")

	f.config(t, "context: work\ncontexts:\n  - {name: work, server: \""+plain.URL+"\"}\n")
	must(t, os.Chmod(config, 0o622))
	wantCheck(t, f.diagnose(t, cli.ExitAuth, "--offline")["permissions"], doctor.ResultWarning, "others have access to "+config, "chmod 600")

	f.config(t, "contxt: work\n")
	rows = f.diagnose(t, cli.ExitUsage)
	wantCheck(t, rows["config"], doctor.ResultError, `line 1: unknown key "contxt"`, "did you mean context")
	wantCheck(t, rows["context"], doctor.ResultSkipped, "cannot be read", "")
}

func TestDoctorReportsTheScopesOfTheToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ members, result, finding, remedy string }{
		{``, "", "", ""},
		{`,"name":"painel","scopes":["read","cancel"],"access_token_expires_at":null`, doctor.ResultOK, "token painel, which may read, cancel and does not expire", ""},
		{`,"name":"painel","scopes":["read"],"access_token_expires_at":"` + time.Now().Add(15*24*time.Hour).UTC().Format(time.RFC3339) + `"`, doctor.ResultOK, "expires on", ""},
		{`,"name":"painel","scopes":["read"],"access_token_expires_at":"` + time.Now().Add(13*24*time.Hour).UTC().Format(time.RFC3339) + `"`, doctor.ResultWarning, "expires on", "ativa login"},
	} {
		server := httptest.NewServer(apiServer(0, c.members))
		t.Cleanup(server.Close)
		rows := newFixture(t, "t").diagnose(t, cli.ExitOK, "--server", server.URL)
		if c.result == "" {
			if got, ok := rows["scopes"]; ok {
				t.Errorf("a server without scopes: got %+v", got)
			}
			continue
		}
		wantCheck(t, rows["scopes"], c.result, c.finding, c.remedy)
	}
}

var must = systemtest.Must
