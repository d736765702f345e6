package credentials

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/failure"
)

// BearerSource returns bearer tokens for one account: from memory, from the
// cache, or new ones. It is safe for concurrent use and must not be copied.
type BearerSource struct {
	Sources Sources
	// Cache keeps bearers between processes; nil keeps none.
	Cache *Cache
	// Authenticate exchanges an access token for a bearer.
	Authenticate func(ctx context.Context, accessToken string) (api.Bearer, error)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Known is the access token if it was resolved already; standard input can be read only once.
	Known Token

	once    sync.Once
	mutex   chan struct{} // held while the fields below are used
	current api.Bearer
}

// Bearer returns a bearer with more than a tenth of its lifetime left. It returns
// the errors of Resolve and Authenticate.
func (s *BearerSource) Bearer(ctx context.Context) (api.Bearer, error) {
	return s.Renew(ctx, "")
}

// Renew returns a bearer other than the one that the server refused. Another goroutine or
// process may have renewed it already.
func (s *BearerSource) Renew(ctx context.Context, refused string) (api.Bearer, error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return api.Bearer{}, err
	}
	defer release()
	if s.isUsable(s.current, refused) {
		return s.current, nil
	}
	b, err := s.lookUp(ctx, refused)
	if err == nil {
		s.current = b
	}
	return b, err
}

// Cached returns a source of the bearer in the cache alone, and whether that is usable. It opens no
// keyring, runs no command, does not prompt and sends nothing: it is for shell completion.
func (s *BearerSource) Cached(ctx context.Context) (*BearerSource, bool) {
	key := s.slowKey()
	if key == nil {
		quick := s.Sources
		quick.Stdin, quick.Command, quick.Keyring = nil, "", nil
		token, _, err := Resolve(ctx, quick)
		if err != nil {
			return nil, false
		}
		key = s.tokenKey(token)
	}
	b := s.Cache.load(s.Cache.path(key...))
	return &BearerSource{current: b, Now: s.Now}, s.isUsable(b, "")
}

// acquire locks the mutex, or returns an error if the context ends first.
func (s *BearerSource) acquire(ctx context.Context) (release func(), err error) {
	s.once.Do(func() { s.mutex = make(chan struct{}, 1) })
	select {
	case s.mutex <- struct{}{}:
		return func() { <-s.mutex }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isUsable reports whether a bearer is fresh and not the refused one.
func (s *BearerSource) isUsable(b api.Bearer, refused string) bool {
	return isFresh(b, s.now()) && b.Token != refused
}

func (s *BearerSource) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// lookUp returns a usable bearer from the cache, or else exchanges the access token for a new one. The
// process that holds the lock of its cache file makes it; others wait. A slow source is read only then.
func (s *BearerSource) lookUp(ctx context.Context, refused string) (api.Bearer, error) {
	var token Token
	key := s.slowKey()
	if key == nil {
		var err error
		if token, err = s.accessToken(ctx); err != nil {
			return api.Bearer{}, err
		}
		key = s.tokenKey(token)
	}
	path := s.Cache.path(key...)
	fresh := token.Value == "" && s.Known.Value != "" // the cached bearer may be of a former token of the slow source
	if b := s.Cache.load(path); !fresh && s.isUsable(b, refused) {
		return b, nil
	}
	defer s.Cache.lock(ctx, path)()
	if b := s.Cache.load(path); !fresh && s.isUsable(b, refused) {
		return b, nil
	}
	if token.Value == "" {
		var err error
		if token, err = s.accessToken(ctx); err != nil {
			return api.Bearer{}, err
		}
	}
	b, err := s.exchange(ctx, token)
	if _, refused := errors.AsType[*refusedError](err); refused {
		_ = os.Remove(path) // else `ativa auth status` and `ativa auth token` would go on using the former one
	}
	if err == nil {
		s.Cache.save(path, b)
	}
	return b, err
}

// exchange authenticates with the access token. The error of a refusal names the token's source.
func (s *BearerSource) exchange(ctx context.Context, token Token) (api.Bearer, error) {
	b, err := s.Authenticate(ctx, token.Value)
	if err != nil && failure.OutcomeOf(err).Code == api.CodeInvalidAccessToken {
		err = &refusedError{from: token, err: err}
	}
	return b, err
}

// accessToken resolves the access token. Standard input is read once only.
func (s *BearerSource) accessToken(ctx context.Context) (Token, error) {
	if s.Known.Value != "" {
		return s.Known, nil
	}
	token, _, err := Resolve(ctx, s.Sources)
	if err == nil && token.Source == FromStdin {
		s.Known = token
	}
	return token, err
}

// tokenKey identifies the bearer of an access token in the cache.
func (s *BearerSource) tokenKey(token Token) []string {
	return []string{s.Sources.Account.Server, token.Value}
}

// slowKey identifies the bearer of the keyring entry or command in use in the cache. It is nil for a
// fast source, whose bearer the access token identifies.
func (s *BearerSource) slowKey() []string {
	from, account := s.Sources, s.Sources.Account
	switch {
	case from.Stdin != nil, from.FileFirst && from.File != "", from.getenv(TokenVariable) != "":
		return nil
	case from.Command != "":
		return []string{string(FromCommand), account.key(), from.Command}
	case from.File != "", from.getenv(DirectoryVariable) != "", from.Storage == StorageFile:
		return nil
	}
	return []string{string(FromKeyring), account.key()}
}

// Forget returns a function that removes the bearers of the account from memory and cache: those of
// the source in use and those of a login, which another source may precede. A login or a logout calls
// Forget before it changes the stored access token, which is needed to find them, and the function
// after that, when no other process can make one of the former token.
func (s *BearerSource) Forget(ctx context.Context) (remove func() error) {
	account := s.Sources.Account
	keys := [][]string{{string(FromKeyring), account.key()}}
	if key := s.slowKey(); key != nil {
		keys = append(keys, key)
	} else if token, err := s.accessToken(ctx); err == nil {
		keys = append(keys, s.tokenKey(token))
	}
	stored := Sources{Account: account, FileStorage: s.Sources.FileStorage, Storage: s.Sources.Storage}
	if token, _, err := Resolve(ctx, stored); err == nil {
		keys = append(keys, s.tokenKey(token))
	}
	return func() error {
		release, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		defer release()
		s.current = api.Bearer{}
		return s.Cache.remove(ctx, keys)
	}
}
