package credentials

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// IssuedBearer is a new bearer token as the server gave it.
type IssuedBearer struct {
	Token string
	// Base is the form of the server's URL that gave it.
	Base string
	// Lifetime counts from the request for it.
	Lifetime time.Duration
}

// Bearer is a bearer token with its life.
type Bearer struct {
	Token     string    `json:"token"`
	Base      string    `json:"base"`
	IssuedAt  time.Time `json:"issued_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// isFresh reports whether the bearer has more than a tenth of its life left. One
// from the future comes from a clock that was wrong, and is not trusted.
func (b Bearer) isFresh(now time.Time) bool {
	renewAt := b.IssuedAt.Add(b.ExpiresAt.Sub(b.IssuedAt) / 10 * 9)
	return b.Token != "" && !now.Before(b.IssuedAt) && now.Before(renewAt)
}

// Cache keeps bearer tokens in files of mode 0600, one for each server and
// access token. It also remembers, by a hash, which access token a keyring or a
// command gave last, so that a good bearer is found without asking them.
type Cache struct {
	// Dir is created when a bearer is saved.
	Dir string
	// LockTimeout limits the wait for another process that is renewing; 30 s
	// if zero.
	LockTimeout time.Duration
}

func (c *Cache) bearerPath(server, accessToken string) string {
	return c.bearerPathOf(server, shortHash(accessToken))
}

func (c *Cache) bearerPathOf(server, tokenHash string) string {
	return filepath.Join(c.Dir, "bearer-"+shortHash(server, tokenHash)+".json")
}

// hashPath is where the hash of a slow source's token is remembered.
func (c *Cache) hashPath(parts ...string) string {
	return filepath.Join(c.Dir, "slot-"+shortHash(parts...))
}

// load is the bearer in a file; the zero Bearer when there is none to trust.
func (c *Cache) load(path string) Bearer {
	f, _, err := openSecret(path, 0o077)
	if err != nil {
		return Bearer{}
	}
	defer f.Close()
	var b Bearer
	if json.NewDecoder(io.LimitReader(f, 64<<10)).Decode(&b) != nil {
		return Bearer{}
	}
	return b
}

func (c *Cache) save(path string, b Bearer) error {
	content, err := json.Marshal(b)
	if err == nil {
		err = WritePrivateFile(path, content)
	}
	if err != nil {
		return fmt.Errorf("bearer cache: %w", err)
	}
	return nil
}

// bearerPathByHash is the path of the bearer that belongs to a slow source, empty if
// it is not known.
func (c *Cache) bearerPathByHash(slot, server string) string {
	f, _, err := openSecret(slot, 0o077)
	if err != nil {
		return ""
	}
	defer f.Close()
	hash, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil || len(hash) != 32 {
		return ""
	}
	return c.bearerPathOf(server, string(hash))
}

func (c *Cache) saveHash(slot, accessToken string) error {
	if err := WritePrivateFile(slot, []byte(shortHash(accessToken))); err != nil {
		return fmt.Errorf("bearer cache: %w", err)
	}
	return nil
}

// remove removes what load and remembered would find.
func (c *Cache) remove(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// lock lets one process at a time renew the bearer at path. It gives up after
// LockTimeout: then two may renew, which costs a request and breaks nothing.
func (c *Cache) lock(ctx context.Context, path string) (unlock func(), err error) {
	unlock, err = LockFile(ctx, path, cmp.Or(c.LockTimeout, 30*time.Second))
	if err != nil {
		err = fmt.Errorf("bearer cache: %w", err)
	}
	return unlock, err
}
