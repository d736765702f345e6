package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/settings"
	"ativa/internal/system"
)

type loginOptions struct {
	storage string
}

func newLogin(e *cli.Env) *cobra.Command {
	var o loginOptions
	c := &cobra.Command{
		Use: "login", Short: "Check an access token and store it for the context", GroupID: "setup", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"signin", "entrar"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Long: `Check an access token and store it for the context, in the keyring of the
operating system. Without a keyring, --storage file stores it in a file that
only you can read; nothing is ever stored in clear text without that flag.`,
		Example: "  ativa login\n  pass show ativa | ativa login --token-stdin --storage file",
		RunE:    func(c *cobra.Command, _ []string) error { return runLogin(c.Context(), e, o) },
	}
	c.Flags().StringVar(&o.storage, "storage", "keyring", "where to keep the token: keyring or file")
	e.CompleteFlag(c, "storage", cli.KeyValues("storage"))
	return c
}

// storage is one place for a login's token.
type storage interface {
	Save(context.Context, credentials.Account, string) error
	Delete(context.Context, credentials.Account) error
}

// storageOf returns the storage of a kind; the keyring is the default.
func storageOf(s credentials.Sources, kind string) storage {
	if kind == credentials.StorageFile {
		return s.FileStorage
	}
	return s.Keyring
}

func runLogin(ctx context.Context, e *cli.Env, o loginOptions) error {
	chosen, file, err := loginContext(e)
	if err != nil {
		return err
	}
	s := e.Sources(chosen)
	switch o.storage {
	case credentials.StorageKeyring:
		if err := s.Keyring.Probe(ctx, s.Account); err != nil { // before asking for the secret
			return err
		}
	case credentials.StorageFile:
	default:
		return cli.Usage("--storage is keyring or file, not %q", o.storage)
	}
	token, err := askToken(ctx, e)
	if err != nil {
		return err
	}
	err = e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		_, err := c.Authenticate(ctx, token)
		return err
	})
	if err != nil {
		return err
	}
	removeBearers := e.BearerSource(chosen).Forget(ctx)
	if err := storageOf(s, o.storage).Save(ctx, s.Account, token); err != nil {
		return err
	}
	if chosen.Storage != o.storage {
		if err := file.Set("storage", chosen.Name, o.storage); err != nil {
			return errors.Join(err, storageOf(s, o.storage).Delete(ctx, s.Account)) // the former token is still in its place
		}
		if chosen.Storage != "" {
			if err := storageOf(s, chosen.Storage).Delete(ctx, s.Account); err != nil {
				e.Notice("the token stored in the %s could not be removed: %s", lang.Term(chosen.Storage), err)
			}
		}
	}
	if err := removeBearers(); err != nil {
		e.Notice("the cached bearer token could not be removed: %s", err)
	}
	e.Notice("logged in: the token of context %s is stored in the %s", chosen.Name, lang.Term(o.storage))
	if before := s.BeforeStored(); before != "" {
		e.Notice("commands do not use it yet: the token from %s comes before it", before)
	}
	return e.PrintSuccess(ctx)
}

// loginContext returns the chosen context and the configuration file with it. A login is kept for a
// context and its own server, so any other server is a usage error, whose hint makes a context of it
// current.
func loginContext(e *cli.Env) (settings.Context, *settings.File, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return chosen, nil, err
	}
	s, err := e.LoadSettings()
	if err != nil {
		return chosen, nil, err
	}
	if own, ok := s.Find(chosen.Name); ok && settings.SameServer(own.Server, chosen.Server) {
		return chosen, s, nil
	}
	wrong := cli.Usage("a login needs a context of the server %s", chosen.Server)
	if c, ok := s.ServedBy(chosen.Server); ok {
		return chosen, nil, wrong.WithHint("ativa context use %s", c.Name)
	}
	return chosen, nil, wrong.WithHint("ativa context add NAME --server %s --use", chosen.Server)
}

// askToken reads the access token from a flag's source or from the terminal without echo.
func askToken(ctx context.Context, e *cli.Env) (string, error) {
	var token string
	switch {
	case e.Global.TokenStdin:
		line, err := bufio.NewReader(e.In).ReadString('\n')
		if err != nil && line == "" {
			return "", cli.ReadError(err, cli.Usage("no token on standard input"))
		}
		token = string(system.InUTF8([]byte(strings.TrimSuffix(line, "\n"))))
	case e.Global.TokenFile != "":
		found, _, err := credentials.Resolve(ctx, credentials.Sources{File: e.Global.TokenFile, FileFirst: true, Getenv: func(string) string { return "" }})
		if err != nil {
			return "", err
		}
		token = found.Value
	case e.Interactive():
		fmt.Fprint(e.Err, e.Text("Access token")+": ")
		in, _ := cli.Terminal(e.In)
		b, err := cli.ReadPassword(ctx, int(in.Fd()))
		fmt.Fprintln(e.Err)
		if err != nil {
			return "", err
		}
		token = string(b)
	default:
		return "", cli.Usage("there is no terminal to ask for the access token").WithHint("pipe it in with --token-stdin")
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", cli.Usage("the access token is empty")
	}
	return token, nil
}

func newLogout(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the token of the context", GroupID: "setup", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"signout", "sair"},
		Annotations: map[string]string{cli.ExitCodes: "3 4"},
		Example:     "  ativa logout\n  ativa logout --context work",
		RunE:        func(c *cobra.Command, _ []string) error { return runLogout(c.Context(), e) },
	}
}

func runLogout(ctx context.Context, e *cli.Env) error {
	chosen, _, err := loginContext(e)
	if err != nil {
		return err
	}
	if err := forgetToken(ctx, e, chosen); err != nil {
		return err
	}
	e.Notice("logged out: the token of context %s is forgotten", chosen.Name)
	return e.PrintSuccess(ctx)
}

// forgetToken removes the token that a login stored for a context, and the bearer tokens obtained
// with it.
func forgetToken(ctx context.Context, e *cli.Env, c settings.Context) error {
	session := e.BearerSource(c)
	removeBearers := session.Forget(ctx)
	failed := storageOf(session.Sources, c.Storage).Delete(ctx, session.Sources.Account)
	if err := removeBearers(); err != nil {
		e.Notice("the cached bearer token could not be removed: %s", err)
	}
	if why, ok := errors.AsType[*credentials.Error](failed); ok && c.Storage == "" && why.Reason == credentials.NoSessionBus {
		return nil // without a login and a keyring there is none
	}
	return failed
}
