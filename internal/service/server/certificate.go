package server

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"ativa/internal/system"
)

const (
	certificateInterval = time.Second         // minimum time between checks of the files
	expiryWarning       = 14 * 24 * time.Hour // how long before its end a warning is logged, as in `ativa doctor`
	expiryInterval      = 24 * time.Hour      // minimum time between warnings
)

// Certificate is a TLS certificate that is reloaded when its files change. New connections get the
// new certificate; open ones stay. While the files are unusable, for example because only one has
// been replaced so far, the current certificate remains. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger
	clock     func() time.Time

	mu      sync.Mutex
	pair    *tls.Certificate
	files   [2]fs.FileInfo // as of the last attempt to load them
	checked time.Time
	warned  time.Time // of the end of the certificate
	expired bool      // whether it had expired at the last warning
}

// LoadCertificate reads the PEM files of a certificate with its chain and of its key. clock,
// [time.Now] if nil, determines when the files are checked again.
func LoadCertificate(cert, key string, log *slog.Logger, clock func() time.Time) (*Certificate, error) {
	if clock == nil {
		clock = time.Now
	}
	c := &Certificate{cert: cert, key: key, log: log, clock: clock, checked: clock()}
	if _, err := c.load(); err != nil {
		return nil, err
	}
	c.warnOfExpiry(c.checked)
	return c, nil
}

// Config returns a configuration with the certificate, for TLS 1.2 or newer.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get}
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.clock(); now.Sub(c.checked) >= certificateInterval {
		c.checked = now
		c.refresh()
		c.warnOfExpiry(now)
	}
	return c.pair, nil
}

// NotAfter returns when the certificate expires.
func (c *Certificate) NotAfter() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.NotAfter
}

// warnOfExpiry logs once a day that the certificate expires soon, and at once when it has expired.
// An expired certificate is still served: refusing it is up to the clients, and one whose clock is
// wrong may not.
func (c *Certificate) warnOfExpiry(now time.Time) {
	end := c.pair.Leaf.NotAfter
	expired := now.After(end)
	if end.Sub(now) >= expiryWarning || expired == c.expired && now.Sub(c.warned).Abs() < expiryInterval {
		return
	}
	c.warned, c.expired = now, expired
	const remedy = "renew it; new files are taken without a restart"
	if expired {
		c.log.Error("the certificate has expired: clients refuse to connect", "file", c.cert, "not_after", end, "remedy", remedy)
		return
	}
	c.log.Warn("the certificate ends soon", "file", c.cert, "not_after", end, "remedy", remedy)
}

// Reload checks the files now instead of at the next connection.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked = c.clock()
	c.refresh()
}

func (c *Certificate) refresh() {
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
	var files [2]fs.FileInfo
	for i, path := range []string{c.cert, c.key} {
		files[i], _ = os.Stat(path) // reading the file reports the error
	}
	if c.pair != nil && same(files, c.files) {
		return false, nil
	}
	c.files = files
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return true, fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	c.pair = &pair
	if private, err := system.IsPrivateTo(c.key, 0o007); err == nil && !private {
		// Refusing the key would stop those who mount secrets for a single account.
		c.log.Warn("the key can be read by every account of this machine", "remedy", system.Privatise(c.key))
	}
	return true, nil
}

func same(a, b [2]fs.FileInfo) bool {
	for i := range a {
		if a[i] == nil && b[i] == nil {
			continue
		}
		if !os.SameFile(a[i], b[i]) || !a[i].ModTime().Equal(b[i].ModTime()) || a[i].Size() != b[i].Size() {
			return false
		}
	}
	return true
}
