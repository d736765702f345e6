package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/server"
)

// certificateFiles are the files of a self-signed certificate that a server has loaded.
type certificateFiles struct {
	t         *testing.T
	cert, key string
	log       strings.Builder
	loaded    *server.Certificate
}

// newCertificate loads a certificate for the name "old.example".
func newCertificate(t *testing.T, end time.Time) *certificateFiles {
	t.Helper()
	dir := t.TempDir()
	f := &certificateFiles{t: t, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	f.write("old.example", end)
	var err error
	f.loaded, err = server.LoadCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(&f.log, nil)))
	must(t, err)
	return f
}

const day = 24 * time.Hour

// write writes a certificate for the name, and its key.
func (f *certificateFiles) write(name string, end time.Time) {
	f.t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(f.t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: end.Add(-90 * day), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &k.PublicKey, k)
	must(f.t, err)
	private, err := x509.MarshalPKCS8PrivateKey(k)
	must(f.t, err)
	f.replace(f.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	f.replace(f.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// replace renames a new file over path, like certificate renewal programs.
func (f *certificateFiles) replace(path string, content []byte) {
	f.t.Helper()
	must(f.t, os.WriteFile(path+".new", content, 0o600))
	must(f.t, os.Rename(path+".new", path))
}

// wantName checks the certificate's name on the next connection, which is refused below TLS 1.2.
func (f *certificateFiles) wantName(want string) {
	f.t.Helper()
	config := f.loaded.Config()
	got, err := config.GetCertificate(nil)
	if err != nil || got.Leaf.DNSNames[0] != want || config.MinVersion != tls.VersionTLS12 {
		f.t.Fatalf("got %v, %v, and %s, want the certificate of %s, and TLS 1.2", got, err, tls.VersionName(config.MinVersion), want)
	}
}

// wantLogged counts a text in the log.
func (f *certificateFiles) wantLogged(text string, want int) {
	f.t.Helper()
	if got := strings.Count(f.log.String(), text); got != want {
		f.t.Errorf("%q was logged %d times, want %d: %s", text, got, want, f.log.String())
	}
}

// Unusable files, one of a pair or none, are logged once and keep the certificate; the next matching
// pair is used within a second.
func TestANewCertificateIsUsedWithoutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newCertificate(t, time.Now().Add(time.Hour))
		for i, spoil := range []func(){
			func() { f.replace(f.cert, []byte("not yet written")) },
			func() { _ = os.Remove(f.key) },
			func() { _ = os.Remove(f.cert) },
		} {
			spoil()
			for range 3 {
				time.Sleep(time.Second)
				f.wantName("old.example")
			}
			f.wantLogged("not replaced", i+1)
		}
		end := time.Now().Add(90 * day)
		f.write("new.example", end)
		f.wantName("old.example") // the files are not checked for every connection
		time.Sleep(time.Second)
		f.wantName("new.example")
		f.wantLogged("certificate replaced", 1)
		if !f.loaded.NotAfter().Equal(end.Truncate(time.Second)) {
			t.Errorf("got the end %s after the renewal", f.loaded.NotAfter())
		}
	})
}

func TestACertificateThatHasExpiredIsLogged(t *testing.T) {
	for age, want := range map[time.Duration]bool{-time.Hour: false, time.Hour: true} {
		f := newCertificate(t, time.Now().Add(-age))
		var log strings.Builder
		_, err := server.LoadCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(&log, nil)))
		if got := strings.Contains(log.String(), "has expired"); err != nil || got != want {
			t.Errorf("expired %s ago: logged: %t, %v, want %t", age, got, err, want)
		}
	}
}

func TestAKeyThatEveryAccountCanReadIsLogged(t *testing.T) {
	f := newCertificate(t, time.Now().Add(time.Hour))
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		must(t, os.Chmod(f.key, mode))
		var log strings.Builder
		if _, err := server.LoadCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "can be read by every account"); got != want {
			t.Errorf("%o: logged: %t, want %t", mode, got, want)
		}
	}
}

func TestAnErrorOfACertificateNamesItsFile(t *testing.T) {
	f := newCertificate(t, time.Now().Add(time.Hour))
	dir := filepath.Dir(f.cert)
	none, locked := filepath.Join(dir, "none.pem"), filepath.Join(dir, "locked.pem")
	f.replace(locked, []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n"))
	cert, key, cut := filepath.Join(dir, "a.pem"), filepath.Join(dir, "b.pem"), filepath.Join(dir, "c.pem")
	f.replace(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}))
	f.replace(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))
	f.replace(cut, []byte("-----BEGIN CERTIFICATE-----\nMIIBIjCByaAD\n"))
	other := newCertificate(t, time.Now().Add(time.Hour))
	for want, files := range map[string][2]string{
		f.key + " has no certificate in PEM form":                                                      {f.key, f.cert},
		f.cert + " has no private key in PEM form":                                                     {f.cert, f.cert},
		locked + " has a password: store it without one":                                               {f.cert, locked},
		other.key + " does not belong to the first certificate in":                                     {f.cert, other.key},
		"the certificate in file " + cert + " is damaged: get it again from its issuer":                {cert, f.key},
		key + " is damaged or of an unknown kind: copy it again, or make another with its certificate": {f.cert, key},
		none + ": no such file or directory":                                                           {none, f.key},
		"open " + none:                                                                                 {f.cert, none},
	} {
		_, err := server.LoadCertificate(files[0], files[1], slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
