package credentials

import (
	"context"
	"encoding/json"
	"errors"
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
// What it cannot write is missing, and costs the next process a request.
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

func (c *Cache) save(path string, b api.Bearer) {
	if content, err := json.Marshal(b); err == nil {
		_ = system.WritePrivate(path, content)
	}
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

func (c *Cache) saveHash(hashFile, accessToken string) {
	_ = system.WritePrivate(hashFile, []byte(shortHash(accessToken)))
}

// remove removes the files of bearers and hashes that exist.
func (c *Cache) remove(paths ...string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// lock lets one process at a time renew the bearer at path. It waits for another one up
// to 30 s; renewing without the lock only costs a request more.
func (c *Cache) lock(ctx context.Context, path string) (unlock func()) {
	unlock, _ = system.LockFile(ctx, path, 30*time.Second)
	return unlock
}
