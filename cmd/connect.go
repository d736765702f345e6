package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/render"
)

// connect makes the client of the chosen context.
func (e *env) connect() (*client.Client, error) {
	chosen, err := e.chosen()
	if err != nil {
		return nil, err
	}
	o := e.clientOptions(chosen)
	o.Tokens = tokens{e.session(chosen)}
	return client.New(o)
}

func (e *env) clientOptions(c contextSettings) client.Options {
	o := client.Options{
		Server: c.Server, UserAgent: "ativa/" + version, AllowHTTP: c.InsecureHTTP,
		CAFile: c.CACert, CertFile: c.ClientCert, KeyFile: c.ClientKey, Proxy: c.Proxy, Timeout: e.global.timeout,
	}
	if e.global.debug {
		o.Trace = e.err
	}
	if isTerminal(e.err) && !e.global.quiet {
		o.OnRetry = e.tellRetry
	}
	return o
}

// tellRetry tells the person at the terminal that a request is sent again, and
// why, so that nobody takes the wait for a hang.
func (e *env) tellRetry(_ time.Duration, cause error) {
	text := e.text("%s; trying again", errorWords(e.lang, cause))
	if e.progress != nil {
		e.progress.Note(text) // above the bar
		return
	}
	fmt.Fprintln(e.err, render.Sanitize(text))
}

// session finds tokens for the context, and exchanges them.
func (e *env) session(c contextSettings) *credentials.BearerSource {
	var cache *credentials.Cache // without a home directory nothing is cached
	if dir, err := e.cacheDir(); err == nil {
		cache = &credentials.Cache{Dir: filepath.Join(dir, "bearer")}
	}
	return &credentials.BearerSource{
		Sources: e.sources(c), Cache: cache,
		Authenticate: func(ctx context.Context, accessToken string) (credentials.IssuedBearer, error) {
			return e.authenticate(ctx, c, accessToken)
		},
	}
}

func (e *env) authenticate(ctx context.Context, c contextSettings, accessToken string) (credentials.IssuedBearer, error) {
	api, err := client.New(e.clientOptions(c))
	if err != nil {
		return credentials.IssuedBearer{}, err
	}
	defer api.Close()
	a, err := api.Authenticate(ctx, accessToken)
	return credentials.IssuedBearer{Token: a.Token, Base: a.Base, Lifetime: a.Lifetime}, err
}

// sources are where an access token of the context may be found.
func (e *env) sources(c contextSettings) credentials.Sources {
	var stored *credentials.FileStorage
	if config, err := e.configDir(); err == nil {
		stored = &credentials.FileStorage{Dir: filepath.Join(config, "tokens")}
	}
	s := credentials.Sources{
		Account: credentials.Account{Server: strings.TrimSuffix(c.Server, "/"), Context: c.Name},
		Getenv:  e.getenv, Command: c.TokenCommand, CommandErr: e.err, File: c.TokenFile,
		Storage: credentials.Storage(c.Storage), Keyring: &credentials.Keyring{},
		FileStorage: stored,
	}
	if e.global.tokenStdin {
		s.Stdin = e.in
	}
	return s
}

// tokens lets the client use a session.
type tokens struct{ session *credentials.BearerSource }

func (t tokens) Bearer(ctx context.Context) (client.Bearer, error) {
	b, err := t.session.Bearer(ctx)
	return client.Bearer{Token: b.Token, Base: b.Base}, err
}

func (t tokens) Renew(ctx context.Context, old string) (client.Bearer, error) {
	b, err := t.session.Renew(ctx, old)
	return client.Bearer{Token: b.Token, Base: b.Base}, err
}
