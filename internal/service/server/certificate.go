package server

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/system"
)

// certificateInterval is the minimum time between checks of the files.
const certificateInterval = time.Second

// Certificate is a TLS certificate that is reloaded when its files change. New connections get the
// new certificate; open ones stay. While the files are unusable, for example because only one has
// been replaced so far, the current certificate stays in use, even after it has expired: its
// clients decide whether to accept it. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	files   [2]fileState // as of the last attempt to load them
	checked time.Time
}

// fileState changes when a file is replaced. It is zero for an absent file, and for a pipe, which
// can be read only once.
type fileState struct{ modified, size int64 }

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return fileState{} // reading the file reports the error
	}
	return fileState{info.ModTime().UnixNano(), info.Size()}
}

// LoadCertificate reads the PEM files of a certificate with its chain and of its key.
func LoadCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log, checked: time.Now()}
	if _, err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config returns a configuration with the certificate, for TLS 1.2 or newer.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get}
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) >= certificateInterval {
		c.refresh()
	}
	return c.pair, nil
}

// Reload checks the files now instead of at the next connection.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
}

// pairFault says what is wrong with a certificate and a key, which crypto/tls refuses with err.
func pairFault(certFile, keyFile string, cert, key []byte, err error) error {
	switch {
	case !bytes.Contains(cert, []byte("-----BEGIN CERTIFICATE-----")):
		return &domain.TextError{Detail: "file %s has no certificate in PEM form", Args: []any{certFile}}
	case !bytes.Contains(key, []byte("PRIVATE KEY-----")):
		return &domain.TextError{Detail: "file %s has no private key in PEM form", Args: []any{keyFile}}
	case bytes.Contains(key, []byte("ENCRYPTED")): // the type of the block, or its header Proc-Type
		return &domain.TextError{Detail: "the private key in file %s has a password: store it without one", Args: []any{keyFile}}
	case strings.Contains(err.Error(), "does not match"):
		return &domain.TextError{Detail: "the private key in file %s does not belong to the first certificate in file %s", Args: []any{keyFile, certFile}}
	case !isCertificate(cert):
		return &domain.TextError{Detail: "the certificate in file %s is damaged: get it again from its issuer", Args: []any{certFile}}
	}
	return &domain.TextError{Detail: "the private key in file %s is damaged or of an unknown kind: copy it again, or make another with its certificate",
		Args: []any{keyFile}}
}

// isCertificate reports whether the first certificate in PEM form can be read.
func isCertificate(chain []byte) bool {
	for block, rest := pem.Decode(chain); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			_, err := x509.ParseCertificate(block.Bytes)
			return err == nil
		}
	}
	return false
}

// NotAfter returns when the certificate expires.
func (c *Certificate) NotAfter() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.NotAfter
}

func (c *Certificate) refresh() {
	c.checked = time.Now()
	switch changed, err := c.load(); {
	case !changed:
	case err != nil:
		c.log.Warn("certificate not replaced", "error", err)
	default:
		c.log.Info("certificate replaced", "not_after", c.pair.Leaf.NotAfter)
	}
}

// load reads the files if they have changed, were removed or have reappeared. It remembers their
// state even if they are unusable, so that each fault is logged once.
func (c *Certificate) load() (changed bool, err error) {
	files := [2]fileState{stateOf(c.cert), stateOf(c.key)}
	if c.pair != nil && files == c.files {
		return false, nil
	}
	c.files = files
	cert, err := os.ReadFile(c.cert)
	if err != nil {
		return true, err
	}
	key, err := os.ReadFile(c.key)
	if err != nil {
		return true, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return true, pairFault(c.cert, c.key, cert, key, err)
	}
	c.pair = &pair
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		c.log.Warn("the certificate has expired: clients will refuse it", "certificate", c.cert, "not_after", end)
	}
	if private, err := system.IsPrivateTo(c.key, 0o007); err == nil && !private {
		// Not an error: a secret that is mounted for a single account may have this mode.
		c.log.Warn("the key can be read by every account of this machine", "remedy", system.Privatise(c.key))
	}
	return true, nil
}
