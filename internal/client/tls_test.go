package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// startTLS starts a server with HTTP/2 and writes its certificate as a CA file.
func startTLS(t *testing.T, auth tls.ClientAuthType, h http.HandlerFunc) (server *httptest.Server, caFile string) {
	t.Helper()
	server = httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{ClientAuth: auth}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, writePEM(t, "CERTIFICATE", server.Certificate().Raw)
}

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pem")
	must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return path
}

func TestServerCertificateMustBeTrusted(t *testing.T) {
	var served atomic.Int32
	server, ca := startTLS(t, tls.NoClientCert, func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		if r.ProtoMajor != 2 {
			t.Errorf("got %s, want HTTP/2", r.Proto)
		}
		respond(w, 200, `{"status":[],"response":"success"}`)
	})
	trusting := apitest.Client(t, client.Options{Server: server.URL, CAFile: ca})
	if _, err := trusting.Statuses(t.Context()); err != nil {
		t.Errorf("with the CA file: %v", err)
	}
	retries := 0
	strict := apitest.Client(t, client.Options{Server: server.URL, OnRetry: func(time.Duration, error) { retries++ }})
	_, err := strict.Statuses(t.Context())
	if client.KindOf(err) != client.KindUnavailable || served.Load() != 1 || retries > 0 {
		t.Errorf("without: got %v after %d requests and %d retries, want unavailable after 1", err, served.Load(), retries)
	}
}

func TestClientCertificateIsShown(t *testing.T) {
	server, ca := startTLS(t, tls.RequireAnyClientCert, answer(200, `{"status":[]}`))
	// The server's own pair serves as the client's.
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	must(t, err)
	with := apitest.Client(t, client.Options{Server: server.URL, CAFile: ca, CertFile: ca, KeyFile: writePEM(t, "PRIVATE KEY", key)})
	if _, err := with.Statuses(t.Context()); err != nil {
		t.Errorf("with a certificate: %v", err)
	}
	without := apitest.Client(t, client.Options{Server: server.URL, CAFile: ca, Retry: apitest.Once()})
	if _, err := without.Statuses(t.Context()); client.KindOf(err) != client.KindUnavailable {
		t.Errorf("without: got %v, want unavailable", err)
	}
}

// A body that goes silent is a time-out over HTTP/2, too.
func TestABodyThatStallsOverHTTP2IsATimeout(t *testing.T) {
	server, ca := startTLS(t, tls.NoClientCert, stallHalfway)
	c := apitest.Client(t, client.Options{Server: server.URL, CAFile: ca, Retry: apitest.Once(), IdleTimeout: 50 * time.Millisecond})
	if _, err := c.Statuses(t.Context()); !client.IsTimeout(err) {
		t.Errorf("got %v, want a time-out", err)
	}
}
