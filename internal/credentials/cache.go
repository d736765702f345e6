package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ativa/internal/api"
	"ativa/internal/system"
)

// isFresh reports whether the bearer has more than a tenth of its lifetime left.
// One that was issued in the future comes from a wrong clock and is not fresh.
func isFresh(b api.Bearer, now time.Time) bool {
	renewAt := b.IssuedAt.Add(b.ExpiresAt.Sub(b.IssuedAt) / 10 * 9)
	return b.Token != "" && !now.Before(b.IssuedAt) && now.Before(renewAt)
}

// Cache keeps bearer tokens in files of mode 0600, one for each server and
// access token. It also keeps the hash of the access token that a keyring or a
// command returned last, so that a bearer is found without calling them.
type Cache struct {
	// Dir is created when a bearer is saved.
	Dir string
}

func (c *Cache) bearerPath(server, accessToken string) string {
	return c.bearerPathOf(server, shortHash(accessToken))
}

func (c *Cache) bearerPathOf(server, tokenHash string) string {
	return filepath.Join(c.Dir, "bearer-"+shortHash(server, tokenHash)+".json")
}

// hashPath returns the path of the file that keeps the hash of the access token
// of a slow source.
func (c *Cache) hashPath(parts ...string) string {
	return filepath.Join(c.Dir, "slot-"+shortHash(parts...))
}

// load returns the bearer in a file, or the zero Bearer if there is none or the
// file is not trusted.
func (c *Cache) load(path string) api.Bearer {
	f, _, err := openSecret(path, 0o077)
	if err != nil {
		return api.Bearer{}
	}
	defer f.Close()
	var b api.Bearer
	if json.NewDecoder(io.LimitReader(f, 64<<10)).Decode(&b) != nil || !isVisible(b.Token) {
		return api.Bearer{}
	}
	return b
}

func (c *Cache) save(path string, b api.Bearer) error {
	content, err := json.Marshal(b)
	if err == nil {
		err = system.WritePrivate(path, content)
	}
	if err != nil {
		return fmt.Errorf("bearer cache: %w", err)
	}
	return nil
}

// bearerPathByHash returns the path of the bearer for the access token whose hash
// is in a file, or "" if there is none.
func (c *Cache) bearerPathByHash(hashFile, server string) string {
	f, _, err := openSecret(hashFile, 0o077)
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

func (c *Cache) saveHash(hashFile, accessToken string) error {
	if err := system.WritePrivate(hashFile, []byte(shortHash(accessToken))); err != nil {
		return fmt.Errorf("bearer cache: %w", err)
	}
	return nil
}

// remove removes the files of bearers and hashes that exist.
func (c *Cache) remove(paths ...string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

const lockTimeout = 30 * time.Second // for which another process that renews the bearer is waited for

// lock lets one process at a time renew the bearer at path. After lockTimeout it
// returns an error; renewing without the lock only costs a request more.
func (c *Cache) lock(ctx context.Context, path string) (unlock func(), err error) {
	unlock, err = system.LockFile(ctx, path, lockTimeout)
	if err != nil {
		err = fmt.Errorf("bearer cache: %w", err)
	}
	return unlock, err
}
