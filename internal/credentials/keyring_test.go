package credentials_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"ativa/internal/credentials"
)

func TestStoragesKeepATokenPerServerAndContext(t *testing.T) {
	fakeSessionBus(t)
	ctx, a := t.Context(), account()
	k, f := &credentials.Keyring{Timeout: time.Minute}, &credentials.FileStorage{Dir: filepath.Join(t.TempDir(), "new")}
	for name, s := range map[string]interface {
		Save(ctx context.Context, a credentials.Account, token string) error
		Delete(ctx context.Context, a credentials.Account) error
	}{"keyring": k, "file": f} {
		load := func(a credentials.Account) (string, error) {
			if name == "file" {
				return stored(ctx, f, a)
			}
			return k.Load(ctx, a)
		}
		t.Run(name, func(t *testing.T) {
			for _, token := range []string{"first", "second"} {
				must(t, s.Save(ctx, a, token))
			}
			for server, found := range map[string]bool{
				"https://api.example.com": true, "HTTPS://API.example.com/": true,
				"http://api.example.com": false, "https://api.example.com/api": false, "https://api.example.com.evil.net": false,
			} {
				got, err := load(credentials.Account{Server: server, Context: "default"})
				if (err == nil) != found || found && got != "second" {
					t.Errorf("%s: got %q, %v; want found %t", server, got, err, found)
				}
			}
			if _, err := load(credentials.Account{Server: a.Server, Context: "other"}); reasonOf(err) != credentials.NotFound {
				t.Errorf("another context: got %v, want none", err)
			}
			for range 2 {
				if err := s.Delete(ctx, a); err != nil {
					t.Error(err)
				}
			}
			if _, err := load(a); reasonOf(err) != credentials.NotFound {
				t.Errorf("deleted: got %v, want none", err)
			}
		})
	}
}

// stored returns the token that a login stored in a file.
func stored(ctx context.Context, f *credentials.FileStorage, a credentials.Account) (string, error) {
	token, _, err := credentials.Resolve(ctx, credentials.Sources{Account: a, Storage: credentials.StorageFile, FileStorage: f})
	return token.Value, err
}

func reasonOf(err error) credentials.Reason {
	if e, ok := errors.AsType[*credentials.Error](err); ok {
		return e.Reason
	}
	return ""
}

func TestKeyringSaysWhyItFails(t *testing.T) {
	fakeSessionBus(t)
	k := &credentials.Keyring{}
	if err := k.Probe(t.Context(), account()); err != nil {
		t.Errorf("probe of an empty keyring: got %v", err)
	}
	keyring.MockInitWithError(errors.New("prompt dismissed"))
	defer keyring.MockInit()
	for name, err := range map[string]error{
		"probe":  k.Probe(t.Context(), account()),
		"save":   k.Save(t.Context(), account(), "t"),
		"delete": k.Delete(t.Context(), account()),
	} {
		if reasonOf(err) != credentials.Unavailable {
			t.Errorf("%s: got %v, want %s", name, err, credentials.Unavailable)
		}
	}
}
