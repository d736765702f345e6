package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// deafConn is a connection that loses everything, without an end, once it is dead.
type deafConn struct {
	net.Conn
	dead *atomic.Bool
}

func (c deafConn) Read(b []byte) (n int, err error) {
	for n, err = c.Conn.Read(b); err == nil && c.dead.Load(); {
		n, err = c.Conn.Read(b)
	}
	return n, err
}

func (c deafConn) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// A repetition over HTTP/2 does not use the connection that went dead.
func TestARepetitionLeavesADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, dead := apitest.NewNetwork(), &atomic.Bool{}
		server := httptest.NewUnstartedServer(answer(200, `{"status":[],"response":"success"}`))
		server.Listener, server.EnableHTTP2 = network, true
		server.StartTLS()
		defer server.Close()
		c, err := client.New(client.Options{Server: "https://127.0.0.1", CAFile: writePEM(t, "CERTIFICATE", server.Certificate().Raw), Tokens: apitest.Token("t"),
			Transport: func(tr *http.Transport) http.RoundTripper {
				tr.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					conn, err := network.Dial(ctx, "", "")
					if network.Dials.Load() == 1 {
						conn = deafConn{conn, dead}
					}
					return conn, err
				}
				return tr
			}})
		must(t, err)
		defer c.Close()
		must(t, statuses(t.Context(), c))
		dead.Store(true)
		if err := statuses(t.Context(), c); err != nil || network.Dials.Load() != 2 {
			t.Errorf("got %v after %d connections, want an answer on the second", err, network.Dials.Load())
		}
	})
}

// A body that goes silent is a time-out over HTTP/2, too.
func TestABodyThatStallsOverHTTP2IsATimeout(t *testing.T) {
	server, ca := startTLS(t, tls.NoClientCert, stallHalfway)
	c := apitest.Client(t, client.Options{Server: server.URL, CAFile: ca, Retry: apitest.Once(), IdleTimeout: 50 * time.Millisecond})
	if _, err := c.Statuses(t.Context()); !client.IsTimeout(err) {
		t.Errorf("got %v, want a time-out", err)
	}
}
