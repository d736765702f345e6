package server_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/server"
)

// writeCertificate writes a self-signed certificate for the name, and its key.
func writeCertificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	return writeCertificateUntil(t, dir, name, time.Now().Add(time.Hour))
}

func writeCertificateUntil(t *testing.T, dir, name string, end time.Time) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: end.Add(-90 * 24 * time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		replaceFile(t, path, pem.EncodeToMemory(block))
	}
	return cert, key
}

// replaceFile renames a new file over path, as programs that renew certificates do.
func replaceFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// tlsServer serves with the certificate and returns its address.
func tlsServer(t *testing.T, c *server.Certificate) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := server.NewHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }), "", nil)
	go func() { _ = srv.Serve(tls.NewListener(l, c.Config())) }()
	t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

// dialTLS returns a TLS connection and the name in the certificate of the server.
func dialTLS(t *testing.T, addr string, config *tls.Config) (*tls.Conn, string, error) {
	t.Helper()
	config.InsecureSkipVerify = true
	conn, err := tls.Dial("tcp", addr, config)
	if err != nil {
		return nil, "", err
	}
	t.Cleanup(func() { conn.Close() })
	return conn, conn.ConnectionState().PeerCertificates[0].DNSNames[0], nil
}

// wantCertificate checks the name in the certificate that a new connection gets.
func wantCertificate(t *testing.T, addr, want string) {
	t.Helper()
	_, name, err := dialTLS(t, addr, &tls.Config{})
	if err != nil || name != want {
		t.Fatalf("new connections are shown %s, %v, want %s", name, err, want)
	}
}

func getOverTLS(t *testing.T, conn *tls.Conn) {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("got %v, %v", res, err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
}

func TestANewCertificateIsTakenWithoutDroppingConnections(t *testing.T) {
	dir, log := t.TempDir(), &lockedBuffer{}
	var seconds atomic.Int64
	clock := func() time.Time { return time.Unix(seconds.Load(), 0) }
	cert, key := writeCertificate(t, dir, "old.example")
	c, err := server.LoadCertificate(cert, key, slog.New(slog.NewTextHandler(log, nil)), clock)
	if err != nil {
		t.Fatal(err)
	}
	addr := tlsServer(t, c)
	open, name, err := dialTLS(t, addr, &tls.Config{})
	if err != nil || name != "old.example" {
		t.Fatalf("got %s, %v", name, err)
	}
	getOverTLS(t, open)

	replaceFile(t, cert, []byte("not yet written")) // half a renewal
	for range 3 {
		seconds.Add(1)
		wantCertificate(t, addr, "old.example")
	}
	if n := strings.Count(log.String(), "not replaced"); n != 1 {
		t.Errorf("the fault was told %d times, want once: %s", n, log.String())
	}
	writeCertificate(t, dir, "new.example")
	wantCertificate(t, addr, "old.example") // the files are not looked at for every connection
	seconds.Add(1)
	wantCertificate(t, addr, "new.example")
	getOverTLS(t, open)
	if !strings.Contains(log.String(), "certificate replaced") {
		t.Error("the log does not say that the certificate was replaced")
	}
}

// A file that is missing is told once, and taken when it is there again.
func TestACertificateThatIsRemovedIsToldOnce(t *testing.T) {
	dir, log := t.TempDir(), &lockedBuffer{}
	now := time.Now()
	cert, key := writeCertificate(t, dir, "old.example")
	c, err := server.LoadCertificate(cert, key, slog.New(slog.NewTextHandler(log, nil)), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	want := func(name string) {
		t.Helper()
		now = now.Add(time.Second)
		if got, err := c.Config().GetCertificate(nil); err != nil || got.Leaf.DNSNames[0] != name {
			t.Fatalf("got %v, %v, want the certificate of %s", got, err, name)
		}
	}
	for _, path := range []string{key, cert} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			want("old.example")
		}
	}
	if n := strings.Count(log.String(), "not replaced"); n != 2 {
		t.Errorf("two faults were told %d times, want once each: %s", n, log.String())
	}
	writeCertificate(t, dir, "new.example")
	want("new.example")
}

// A certificate that expires while the service runs: it is warned of once a day
// from two weeks before, named as expired at once, and served until another is
// there, which is taken without a restart.
func TestACertificateThatExpiresWhileRunningIsNamed(t *testing.T) {
	const day = 24 * time.Hour
	dir, log := t.TempDir(), &lockedBuffer{}
	end := time.Now().Truncate(time.Second)
	var now atomic.Int64
	set := func(at time.Time) { now.Store(at.Unix()) }
	set(end.Add(-20 * day))
	cert, key := writeCertificateUntil(t, dir, "old.example", end)
	c, err := server.LoadCertificate(cert, key, slog.New(slog.NewTextHandler(log, nil)), func() time.Time { return time.Unix(now.Load(), 0) })
	if err != nil {
		t.Fatal(err)
	}
	addr := tlsServer(t, c)
	for _, step := range []struct {
		at            time.Duration // from the end
		soon, expired int           // lines so far
	}{{-15 * day, 0, 0}, {-14*day + time.Hour, 1, 0}, {-14*day + 2*time.Hour, 1, 0}, {-13*day + 2*time.Hour, 2, 0}, {-time.Minute, 3, 0},
		{time.Minute, 3, 1}, {time.Hour, 3, 1}, {2 * day, 3, 2}} {
		set(end.Add(step.at))
		wantCertificate(t, addr, "old.example")
		if soon, expired := strings.Count(log.String(), "ends soon"), strings.Count(log.String(), "has expired"); soon != step.soon || expired != step.expired {
			t.Errorf("%s from the end: got %d warnings and %d errors, want %d and %d", step.at, soon, expired, step.soon, step.expired)
		}
	}
	if !strings.Contains(log.String(), cert) || !strings.Contains(log.String(), "remedy") {
		t.Errorf("got %s, want the file and the remedy", log.String())
	}
	writeCertificateUntil(t, dir, "new.example", end.Add(90*day))
	set(end.Add(4 * day))
	wantCertificate(t, addr, "new.example")
	if n := strings.Count(log.String(), "has expired"); n != 2 || !c.NotAfter().Equal(end.Add(90*day).UTC()) {
		t.Errorf("got %d errors and %s after the renewal, want no more", n, c.NotAfter())
	}
}

func TestTLSBelow12IsRefused(t *testing.T) {
	cert, key := writeCertificate(t, t.TempDir(), "x.example")
	c, err := server.LoadCertificate(cert, key, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	addr := tlsServer(t, c)
	if _, _, err := dialTLS(t, addr, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
	if _, _, err := dialTLS(t, addr, &tls.Config{MaxVersion: tls.VersionTLS12}); err != nil {
		t.Errorf("TLS 1.2: %v", err)
	}
}

func TestAKeyThatEverybodyCanReadIsTold(t *testing.T) {
	cert, key := writeCertificate(t, t.TempDir(), "x.example")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		if _, err := server.LoadCertificate(cert, key, slog.New(slog.NewTextHandler(&log, nil)), nil); err != nil {
			t.Fatal(err)
		}
		if res := strings.Contains(log.String(), "can be read by every account"); res != want {
			t.Errorf("%o: told %t, want %t", mode, res, want)
		}
	}
}

func TestWhatIsNoCertificateIsNamed(t *testing.T) {
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, "x.example")
	for _, files := range [][2]string{{cert, cert}, {key, key}, {filepath.Join(dir, "none.pem"), key}, {cert, filepath.Join(dir, "none.pem")}} {
		_, err := server.LoadCertificate(files[0], files[1], slog.New(slog.DiscardHandler), nil)
		if err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v: got %v, want an error that names a file", files, err)
		}
	}
}
