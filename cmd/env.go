// Package cmd is the command line: it decides what a command is called, what it
// asks, prints and exits with, and wires the other packages together. It
// refuses to know the rules of provisioning, the wire format and the database:
// only serve*.go, admin*.go and demo*.go name the service's own packages.
package cmd

import (
	"context"
	"io"
	"os"
	osuser "os/user"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// env is all the world that a command sees.
type env struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	watch    func()                                    // begins to heed signals; nil where nobody sends any
	command  func(context.Context, *env, []string) int // runs another command line; the demo types some
	global   globalOptions
	flags    *pflag.FlagSet // of every command
	line     []string       // the command line; nil asks for the whole tree of commands
	intent   []phrase       // what a change is going to do, shown before a protected context is entered

	failed   error            // of what has no way to return it, as help
	lang     lang.Language    // in which the person is spoken to
	settings *settings        // loaded on first use
	progress *render.Progress // the last one that was begun
}

// globalOptions are the flags that every command has.
type globalOptions struct {
	context, server string
	output          outputOptions
	yes, noInput    bool
	quiet, debug    bool
	timeout         time.Duration
	color           string
	insecureHTTP    bool
	caCert, proxy   string
	clientCert      string
	clientKey       string
	pager           string // of environment or file
	tokenStdin      bool
}

func newEnv() *env {
	return &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
}

// interactive reports whether somebody can be asked.
func (e *env) interactive() bool {
	return !e.global.noInput && isTerminal(e.in) && isTerminal(e.err)
}

func isTerminal(stream any) bool {
	_, ok := terminal(stream)
	return ok
}

// dir returns ativa's directory below an XDG base directory, which the
// variable names or which lies below the home directory.
func (e *env) dir(variable, below string) (string, error) {
	base := e.getenv(variable)
	if !filepath.IsAbs(base) {
		home := e.home()
		if home == "" {
			return "", usage("there is no home directory").withHint("set HOME or %s", variable)
		}
		base = filepath.Join(home, below)
	}
	return filepath.Join(base, "ativa"), nil
}

// home is the home directory: HOME, else what the system knows of the user,
// because a service manager may start programs without HOME. It is empty for a
// user without one.
func (e *env) home() string {
	if home := e.getenv("HOME"); home != "" {
		return home
	}
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if u, err := osuser.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

func (e *env) configDir() (string, error) { return e.dir("XDG_CONFIG_HOME", ".config") }
func (e *env) stateDir() (string, error) {
	return e.dir("XDG_STATE_HOME", filepath.Join(".local", "state"))
}
func (e *env) cacheDir() (string, error) { return e.dir("XDG_CACHE_HOME", ".cache") }

// within runs do with the client of the chosen context; the connection and
// the time limit end with it.
func (e *env) within(ctx context.Context, do func(context.Context, *client.Client) error) error {
	c, err := e.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}
