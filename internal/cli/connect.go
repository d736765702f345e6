package cli

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/failure"
	"ativa/internal/settings"
)

// WithClient runs do with a client of the chosen context and closes it.
func (e *Env) WithClient(ctx context.Context, do func(context.Context, *client.Client) error) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	c, err := NewClient(ctx, e.ClientOptions(chosen), e.BearerSource(chosen))
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

// NewClient returns a client that gets its bearer tokens from source, and makes the client exchange
// access tokens for source. If a certificate file is a pipe, it waits for the writer until ctx ends. The
// caller closes the client.
func NewClient(ctx context.Context, o client.Options, source *credentials.BearerSource) (*client.Client, error) {
	o.Tokens = source
	c, err := Await(ctx, func() (*client.Client, error) { return client.New(o) })
	if err == nil {
		source.Authenticate = c.Authenticate
	}
	return c, err
}

// ClientOptions returns the client's options for the server of c, without its tokens.
func (e *Env) ClientOptions(c settings.Context) client.Options {
	o := client.Options{
		Server: c.Server, UserAgent: "ativa/" + Version, AllowHTTP: c.InsecureHTTP,
		CAFile: c.CACert, CertFile: c.ClientCert, KeyFile: c.ClientKey, Proxy: c.Proxy, Timeout: e.Global.Timeout,
		Headers: c.Headers, ResendProduct: c.ResendProduct,
		Transport: e.Transport, Retry: client.RetryPolicy{Random: e.Random},
	}
	if e.Global.Debug {
		o.Trace = e.note
	}
	if isTerminal(e.Err) && !e.Global.Quiet {
		o.OnRetry = e.noticeRetry
	}
	return o
}

// PollTimeout returns how long the server may hold a response of the event feed: 20 s, but at most
// half the time limit of a request.
func (e *Env) PollTimeout() time.Duration {
	const most = 20 * time.Second
	if limit := e.Global.Timeout; limit > 0 {
		return min(most, (limit / 2).Truncate(time.Second))
	}
	return most
}

// noticeRetry reports a retry and its reason at the terminal, so that the wait does not look like
// a hang.
func (e *Env) noticeRetry(wait time.Duration, cause error) {
	seconds := max(1, int(wait.Round(time.Second).Seconds()))
	e.note(e.Text("%s; trying again in %d s", failure.Text(e.Lang, cause), seconds))
}

// BearerSource returns the source of bearer tokens for the context. It cannot make new ones before
// [NewClient] has connected it to a client.
func (e *Env) BearerSource(c settings.Context) *credentials.BearerSource {
	var cache *credentials.Cache // without a home directory nothing is cached
	if dir, err := e.CacheDir(); err == nil {
		cache = &credentials.Cache{Dir: filepath.Join(dir, "bearer")}
	}
	return &credentials.BearerSource{Sources: e.Sources(c), Cache: cache}
}

// Sources returns the places where an access token of the context may be.
func (e *Env) Sources(c settings.Context) credentials.Sources {
	var stored *credentials.FileStorage
	if config, err := e.ConfigDir(); err == nil {
		stored = &credentials.FileStorage{Dir: filepath.Join(config, "tokens")}
	}
	s := credentials.Sources{
		Account: credentials.Account{Server: strings.TrimSuffix(c.Server, "/"), Context: c.Name},
		Getenv:  e.Getenv, Command: c.TokenCommand, CommandErr: e.Err, File: c.TokenFile,
		Storage: c.Storage, Keyring: &credentials.Keyring{},
		FileStorage: stored,
	}
	s.FileFirst = c.TokenFileFirst
	if e.Global.TokenStdin {
		s.Stdin = e.In
	}
	return s
}
