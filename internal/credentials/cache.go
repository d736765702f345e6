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

// isFresh reports whether the bearer has more than a tenth of its lifetime left. A bearer
// issued in the future comes from a wrong clock and is not fresh.
func isFresh(b api.Bearer, now time.Time) bool {
	renewAt := b.IssuedAt.Add(b.ExpiresAt.Sub(b.IssuedAt) / 10 * 9)
	return b.Token != "" && !now.Before(b.IssuedAt) && now.Before(renewAt)
}

// Cache keeps bearer tokens in files of mode 0600: one per access token of a file or variable,
// and one per keyring entry or command, to find a bearer without calling these. Write errors
// only cost the next process a request. A nil Cache is empty and keeps nothing.
type Cache struct {
	// Dir is created when a bearer is saved.
	Dir string
}

// path returns the path of the bearer that the key identifies.
func (c *Cache) path(key ...string) string {
	if c == nil {
		return ""
	}
	return filepath.Join(c.Dir, "bearer-"+shortHash(key...)+".json")
}

// load returns the bearer in a file, or the zero Bearer if there is none or the
// file is not trusted.
func (c *Cache) load(path string) api.Bearer {
	if c == nil {
		return api.Bearer{}
	}
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
	if content, err := json.Marshal(b); c != nil && err == nil {
		_ = system.WritePrivate(path, content)
	}
}

// remove removes the existing bearers of the keys. It waits for a process that renews one, which would
// write it again.
func (c *Cache) remove(ctx context.Context, keys [][]string) error {
	var errs []error
	for _, key := range keys {
		path := c.path(key...)
		unlock := c.lock(ctx, path)
		errs = append(errs, os.RemoveAll(path)) // "" removes nothing
		unlock()
	}
	return errors.Join(errs...)
}

// lock lets one process at a time renew the bearer at path. It waits for another one up to 30 s,
// then returns without the lock, which only costs an extra request.
func (c *Cache) lock(ctx context.Context, path string) (unlock func()) {
	if c == nil {
		return func() {}
	}
	unlock, _ = system.LockFile(ctx, path, 30*time.Second)
	return unlock
}
