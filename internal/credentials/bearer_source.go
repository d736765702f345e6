package credentials

import (
	"context"
	"sync"
	"time"
)

// BearerSource gives bearer tokens for one account: from memory, from the cache, or
// new. It is safe for concurrent use and must not be copied.
type BearerSource struct {
	Sources Sources
	// Cache may be nil: then nothing outlives the process.
	Cache *Cache
	// Authenticate exchanges an access token for a bearer.
	Authenticate func(ctx context.Context, accessToken string) (IssuedBearer, error)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Warn is told when the cache cannot be written or locked. The work goes
	// on without. It may be nil.
	Warn func(error)

	once    sync.Once
	mutex   chan struct{} // held while the fields below are used
	current Bearer
	// given is the token of a source that can be read only once.
	stdinToken Token
}

// Bearer is a bearer with more than a tenth of its life left. Its errors are
// those of Resolve and Authenticate.
func (s *BearerSource) Bearer(ctx context.Context) (Bearer, error) {
	return s.renew(ctx, "")
}

// Renew is a bearer other than old, which the server has refused. When another
// goroutine or process has renewed it already, theirs is taken.
func (s *BearerSource) Renew(ctx context.Context, old string) (Bearer, error) {
	return s.renew(ctx, old)
}

func (s *BearerSource) renew(ctx context.Context, refused string) (Bearer, error) {
	leave, err := s.acquire(ctx)
	if err != nil {
		return Bearer{}, err
	}
	defer leave()
	if s.isUsable(s.current, refused) {
		return s.current, nil
	}
	b, err := s.lookUp(ctx, refused)
	if err == nil {
		s.current = b
	}
	return b, err
}

// Cached is a bearer that is at hand: no keyring is opened, no command run,
// nobody asked and nothing sent. It is for completion in a shell.
func (s *BearerSource) Cached(ctx context.Context) (Bearer, bool) {
	if s.Cache == nil {
		return Bearer{}, false
	}
	var b Bearer
	if slot := s.hashPath(); slot != "" {
		b = s.Cache.load(s.bearerPathFor(slot))
	} else {
		quick := s.Sources
		quick.Stdin, quick.Command, quick.Keyring = nil, "", nil
		if token, _, err := Resolve(ctx, quick); err == nil {
			b = s.Cache.load(s.Cache.bearerPath(s.Sources.Account.Server, token.Value))
		}
	}
	return b, s.isUsable(b, "")
}

// acquire waits for the turn of this goroutine, as a mutex that heeds the context.
func (s *BearerSource) acquire(ctx context.Context) (leave func(), err error) {
	s.once.Do(func() { s.mutex = make(chan struct{}, 1) })
	select {
	case s.mutex <- struct{}{}:
		return func() { <-s.mutex }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isUsable reports whether a bearer is fresh and not the refused one.
func (s *BearerSource) isUsable(b Bearer, refused string) bool {
	return b.isFresh(s.now()) && b.Token != refused
}

func (s *BearerSource) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// lookUp looks into the cache, without asking a slow source if possible, and
// authenticates where the cache has no good bearer.
func (s *BearerSource) lookUp(ctx context.Context, refused string) (Bearer, error) {
	slot := s.hashPath()
	if slot == "" {
		return s.authenticateOnce(ctx, refused, slot)
	}
	if b := s.Cache.load(s.bearerPathFor(slot)); s.isUsable(b, refused) {
		return b, nil
	}
	// One process asks the slow source, the others wait for what it finds.
	defer s.lock(ctx, slot)()
	if b := s.Cache.load(s.bearerPathFor(slot)); s.isUsable(b, refused) {
		return b, nil
	}
	return s.authenticateOnce(ctx, refused, slot)
}

// bearerPathFor is the path of the bearer that the slot leads to, or empty.
func (s *BearerSource) bearerPathFor(slot string) string {
	return s.Cache.bearerPathByHash(slot, s.Sources.Account.Server)
}

// authenticateOnce resolves the access token and exchanges it, once for all processes
// that share the cache.
func (s *BearerSource) authenticateOnce(ctx context.Context, refused, slot string) (Bearer, error) {
	token, err := s.accessToken(ctx)
	if err != nil {
		return Bearer{}, err
	}
	if s.Cache == nil {
		return s.authenticate(ctx, token)
	}
	path := s.Cache.bearerPath(s.Sources.Account.Server, token.Value)
	if b := s.Cache.load(path); s.isUsable(b, refused) {
		s.saveHash(slot, token)
		return b, nil
	}
	defer s.lock(ctx, path)()
	if b := s.Cache.load(path); s.isUsable(b, refused) {
		s.saveHash(slot, token)
		return b, nil
	}
	b, err := s.authenticate(ctx, token)
	if err != nil {
		return Bearer{}, err
	}
	s.warn(s.Cache.save(path, b))
	s.saveHash(slot, token)
	return b, nil
}

func (s *BearerSource) authenticate(ctx context.Context, token Token) (Bearer, error) {
	start := s.now()
	issued, err := s.Authenticate(ctx, token.Value)
	if err != nil {
		return Bearer{}, err
	}
	return Bearer{
		Token: issued.Token, Base: issued.Base,
		IssuedAt: start, ExpiresAt: start.Add(issued.Lifetime),
	}, nil
}

// accessToken resolves the access token. Standard input is read once only.
func (s *BearerSource) accessToken(ctx context.Context) (Token, error) {
	if s.stdinToken.Value != "" {
		return s.stdinToken, nil
	}
	token, _, err := Resolve(ctx, s.Sources)
	if err == nil && token.Source == FromStdin {
		s.stdinToken = token
	}
	return token, err
}

// hashPath is where the cache remembers the token of the source that will be used,
// if that source is a slow one; else it is empty.
func (s *BearerSource) hashPath() string {
	from, account := s.Sources, s.Sources.Account
	switch {
	case s.Cache == nil, from.Stdin != nil, from.getenv(TokenVariable) != "":
		return ""
	case from.Command != "":
		return s.Cache.hashPath(string(FromCommand), account.key(), from.Command)
	case from.File != "", from.getenv(DirectoryVariable) != "", from.Storage == StorageFile:
		return ""
	}
	return s.Cache.hashPath(string(FromKeyring), account.key())
}

func (s *BearerSource) saveHash(slot string, token Token) {
	if slot != "" && (token.Source == FromCommand || token.Source == FromKeyring) {
		s.warn(s.Cache.saveHash(slot, token.Value))
	}
}

func (s *BearerSource) lock(ctx context.Context, path string) func() {
	unlock, err := s.Cache.lock(ctx, path)
	if ctx.Err() == nil {
		s.warn(err)
	}
	return unlock
}

func (s *BearerSource) warn(err error) {
	if err != nil && s.Warn != nil {
		s.Warn(err)
	}
}

// Forget removes the bearers of the account from memory and cache. A logout
// calls it before it deletes the access token, by which they are found.
func (s *BearerSource) Forget(ctx context.Context) error {
	leave, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.current = Bearer{}
	if s.Cache == nil {
		return nil
	}
	var paths []string
	if slot := s.hashPath(); slot != "" {
		paths = append(paths, s.bearerPathFor(slot), slot)
	}
	if token, err := s.accessToken(ctx); err == nil {
		paths = append(paths, s.Cache.bearerPath(s.Sources.Account.Server, token.Value))
	}
	return s.Cache.remove(paths...)
}
