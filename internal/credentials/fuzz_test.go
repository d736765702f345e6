package credentials_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/credentials"
	"ativa/internal/system"
)

// A token read from any file is the whole text without surrounding white space and in any encoding
// of Windows, where editors and PowerShell write a mark or UTF-16; anything that cannot be in a
// header is refused by an error that shows nothing of it.
func FuzzTokenFile(f *testing.F) {
	const long = 4096
	for _, text := range []string{"", "ativa_1\n", " ativa_1\r\n\r\n", "ativa_1\nativa_2", "\ufeffativa_1\r\n", "\xff\xfea\x00t\x00\r\x00\n\x00", "ativa_\x00", "açúcar", strings.Repeat("x", long),
		strings.Repeat("x", long+1), strings.Repeat("x", long) + "\n\nx", strings.Repeat("x", long) + strings.Repeat("\n", long+1), "-----BEGIN KEY-----\n"} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "token")
	must(f, system.WritePrivate(path, nil))
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(path, content, 0o600)) // it stays private on Windows, too
		token, _, err := credentials.Resolve(context.Background(), credentials.Sources{File: path})
		text := strings.TrimSpace(string(system.InUTF8(content)))
		whole := text != "" && len(text) <= long && len(content) <= 2*long && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
		if whole && (err != nil || token.Value != text) {
			t.Errorf("got the token %q of %q, %v", token.Value, content, err)
		}
		if e, named := errors.AsType[*credentials.Error](err); !whole && (!named || e.Reason != credentials.Malformed || !strings.Contains(err.Error(), path) || len(text) > 12 && strings.Contains(err.Error(), text)) {
			t.Errorf("got %v of %q, want an error that names the file and nothing of what it holds", err, content)
		}
	})
}

// Any cache file gives a fresh bearer; otherwise the source makes a new one.
func FuzzBearerCache(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"token":"b`, `{"token":"kept","issued_at":"2026-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`, `{"token":"kept","issued_at":"2027-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`,
		`{"token":"kept","issued_at":"0001-01-01T00:00:00Z","expires_at":"9999-12-31T23:59:59Z"}`, `{"token":"a\nb","issued_at":"2026-01-31T12:00:00Z","expires_at":"2026-01-31T18:00:00Z"}`,
	} {
		f.Add([]byte(text))
	}
	x := newFixture(f)
	sources := credentials.Sources{Account: account(), Getenv: environment(credentials.TokenVariable, "ativa_1")}
	x.wants(x.of(sources), "bearer-1", "first")
	files := x.files("*.json")
	if len(files) != 1 {
		f.Fatalf("got %q, want one file", files)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(files[0], content, 0o600))
		b, err := x.of(sources).Bearer(t.Context())
		if err != nil || b.Token == "" || b.IssuedAt.After(x.at) || !b.ExpiresAt.After(x.at) || strings.ContainsFunc(b.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("got %+v, %v of %q", b, err, content)
		}
	})
}
