package cmd

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/credentials"
	"ativa/internal/render"
)

type loginOptions struct {
	storage string
}

func newLogin(e *env) *cobra.Command {
	var o loginOptions
	c := &cobra.Command{
		Use: "login", Short: "Check an access token and keep it for the context", Args: args(cobra.NoArgs),
		Long: `Check an access token and keep it for the context, in the keyring of the
operating system. Where there is no keyring, --storage file keeps it in a file
that only you can read; nothing is ever kept in clear without that flag.`,
		Example: "  ativa login\n  pass show ativa | ativa login --token-stdin --storage file",
		RunE:    func(c *cobra.Command, _ []string) error { return runLogin(c.Context(), e, o) },
	}
	c.Flags().StringVar(&o.storage, "storage", "keyring", "where to keep the token: keyring or file")
	return c
}

// storage is one place where login keeps a token.
type storage interface {
	Save(context.Context, credentials.Account, string) error
	Delete(context.Context, credentials.Account) error
}

func runLogin(ctx context.Context, e *env, o loginOptions) error {
	chosen, err := e.chosen()
	if err != nil {
		return err
	}
	if chosen.Name == "" {
		return usage("login needs a context").hinting(e.contextHint(chosen.Server))
	}
	s := e.sources(chosen)
	var place storage
	switch credentials.Storage(o.storage) {
	case credentials.StorageKeyring:
		if err := s.Keyring.Probe(ctx, s.Account); err != nil { // before anybody types a secret in vain
			return &failure{exit: exitAuth, code: "keyring", message: say("the keyring cannot be used"), err: err,
				hint: say("unlock or start it, or keep the token in a file with --storage file")}
		}
		place = s.Keyring
	case credentials.StorageFile:
		place = s.FileStorage
	default:
		return usage("--storage is keyring or file, not %q", o.storage)
	}
	token, err := e.askToken(ctx)
	if err != nil {
		return err
	}
	if _, err := e.authenticate(ctx, chosen, token); err != nil {
		return err
	}
	if err := place.Save(ctx, s.Account, token); err != nil {
		return err
	}
	return e.pin(chosen.Name, o.storage)
}

// contextHint says how to make a context current that has the server.
func (e *env) contextHint(server string) phrase {
	if s, err := e.loadSettings(); err == nil {
		if c, ok := s.servedBy(server); ok {
			return say("ativa context use %s", c.Name)
		}
	}
	return say("ativa context add NAME --server %s --use", server)
}

// pin remembers in the configuration where the token of a context is kept.
func (e *env) pin(name, storage string) error {
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	if err := s.set(key{name: "storage", inContext: true}, name, storage); err != nil {
		return err
	}
	e.remark("logged in: the token of context %s is kept in the %s", name, storage)
	return nil
}

// remark tells something on standard error that is not an error.
func (e *env) remark(format string, args ...any) {
	if !e.global.quiet {
		fmt.Fprintln(e.err, render.Sanitize(e.text(format, args...)))
	}
}

// askToken reads the access token from standard input, unseen on a terminal.
func (e *env) askToken(ctx context.Context) (string, error) {
	var token string
	switch {
	case e.global.tokenStdin:
		line, err := bufio.NewReader(e.in).ReadString('\n')
		if err != nil && line == "" {
			return "", unread(err, usage("no token on standard input"))
		}
		token = line
	case e.interactive():
		fmt.Fprint(e.err, e.text("Access token")+": ")
		fd, _ := terminal(e.in)
		b, err := readUnseen(ctx, fd)
		fmt.Fprintln(e.err)
		if err != nil {
			return "", err
		}
		token = string(b)
	default:
		return "", usage("there is no terminal to ask for the access token").withHint("pipe it in with --token-stdin")
	}
	return strings.TrimSpace(token), nil
}

func newLogout(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the token of the context", Args: args(cobra.NoArgs), Example: "  ativa logout\n  ativa logout --context work",
		RunE: func(c *cobra.Command, _ []string) error { return runLogout(c.Context(), e) },
	}
}

func runLogout(ctx context.Context, e *env) error {
	chosen, err := e.chosen()
	if err != nil {
		return err
	}
	session := e.session(chosen)
	if err := session.Forget(ctx); err != nil { // needs the token, so it comes first
		e.remark("the cached bearer token could not be removed: %s", err)
	}
	s := session.Sources
	if credentials.Storage(chosen.Storage) == credentials.StorageFile {
		return s.FileStorage.Delete(ctx, s.Account)
	}
	return s.Keyring.Delete(ctx, s.Account)
}
