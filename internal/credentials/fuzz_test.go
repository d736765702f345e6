package credentials_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/credentials"
	"ativa/internal/system"
)

// A token read from any file is the whole text without surrounding white space and Windows
// encodings, is valid in a header, and never appears in an error.
func FuzzTokenFile(f *testing.F) {
	for _, text := range []string{"", "ativa_1\n", " ativa_1\r\n\r\n", "ativa_1\nativa_2", "\ufeffativa_1", "ativa_\x00", "açúcar", strings.Repeat("x", 4096), strings.Repeat("x", 4097), strings.Repeat("x", 4096) + "\n\nx", strings.Repeat("x", 4096) + strings.Repeat("\n", 5000) + "x", "-----BEGIN KEY-----\n"} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "token")
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(path, content, 0o600))
		token, _, err := credentials.Resolve(context.Background(), credentials.Sources{File: path, Getenv: func(string) string { return "" }})
		text := strings.TrimSpace(string(system.InUTF8(content)))
		if err != nil {
			if _, named := errors.AsType[*credentials.Error](err); !named || !strings.Contains(err.Error(), path) || len(text) > 12 && strings.Contains(err.Error(), text) {
				t.Errorf("got %v, want an error that names the file and nothing of what it holds", err)
			}
			return
		}
		if token.Value != text || strings.ContainsFunc(token.Value, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("got the token %q of %q", token.Value, content)
		}
	})
}

// Any cache file gives a fresh bearer; otherwise the source makes a new one.
func FuzzBearerCache(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"token":"kept","issued_at":"2026-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`, `{"token":"kept","issued_at":"2027-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`,
		`{"token":"kept","issued_at":"0001-01-01T00:00:00Z","expires_at":"9999-12-31T23:59:59Z"}`, `{"token":"a\nb","issued_at":"2026-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`,
	} {
		f.Add([]byte(text))
	}
	cache, now := &credentials.Cache{Dir: f.TempDir()}, newClock()
	source := func() *credentials.BearerSource {
		return &credentials.BearerSource{
			Sources: credentials.Sources{Account: credentials.Account{Server: "https://a.example"}, Getenv: func(name string) string {
				return map[string]string{credentials.TokenVariable: "ativa_1"}[name]
			}},
			Cache: cache, Now: now.now,
			Authenticate: func(context.Context, string) (api.Bearer, error) {
				return api.Bearer{Token: "new", IssuedAt: now.at, ExpiresAt: now.at.Add(6 * time.Hour)}, nil
			},
		}
	}
	if _, err := source().Bearer(context.Background()); err != nil {
		f.Fatal(err)
	}
	path := onlyFile(f, cache.Dir)
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(path, content, 0o600))
		b, err := source().Bearer(t.Context())
		if err != nil || b.Token == "" || b.IssuedAt.After(now.at) || !b.ExpiresAt.After(now.at) || strings.ContainsFunc(b.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("got %+v, %v of %q", b, err, content)
		}
	})
}

// onlyFile returns the file in a directory that is not a lock.
func onlyFile(f *testing.F, dir string) string {
	f.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	all = slices.DeleteFunc(all, func(path string) bool { return filepath.Ext(path) == ".lock" })
	if err != nil || len(all) != 1 {
		f.Fatalf("got %q, %v, want one file", all, err)
	}
	return all[0]
}
