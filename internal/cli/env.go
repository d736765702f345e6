// Package cli holds what all commands share: streams, environment, terminal, credentials,
// translated messages, output flags, questions, and the mapping of errors to exit codes.
// It refuses to know any command, the rules of provisioning and the database.
package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	osuser "os/user"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// Env is everything that a command sees of the process around it.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Lang     lang.Language // language of messages
	Global   GlobalOptions
	Process
	Invocation
	state
}

// Process holds the process, network and clock operations. Nil means no action or the
// system default.
type Process struct {
	Clock func() time.Time
	// Transport replaces the network as in [client.Options]; Random returns the jitter
	// between attempts, in [0, 1).
	Transport func(*http.Transport) http.RoundTripper
	Random    func() float64
	// HandleSignals begins to catch signals. SIGHUP ends the command or, where it is a
	// daemon, is sent to Hangups.
	HandleSignals func(daemon bool)
	Hangups       chan os.Signal
	// LimitMemory sets the soft limit of the heap in bytes.
	LimitMemory func(bytes int64)
	RunCommand  func(context.Context, *Env, []string) int // runs another command line, for the demo
}

// Invocation is one command line in progress.
type Invocation struct {
	Args        []string // the command line
	Resume      string   // id of the run that the command line continues, see `ativa imports resume`
	AllContexts bool     // every context is asked at once, see [AskContexts]
	HelpErr     error    // from writing help, which cobra cannot return
}

// state is the private state of [Env].
type state struct {
	flags    *pflag.FlagSet                     // the global flags
	settings *settings.File                     // loaded on first use
	applied  bool                               // flags, environment and file are in Global
	zone     func() *time.Location              // of the key tz; nil before applied
	progress *render.Progress                   // the last one that was started
	named    bool                               // the name of the protected context was typed
	subject  struct{ document, term string }    // see SetTerm
	columns  map[*cobra.Command]func() []string // names of the columns that each prints
	output   *outputFile                        // shared with the commands that this one runs
}

// GlobalOptions are the flags that every command has.
type GlobalOptions struct {
	Context, Server string
	Output          outputOptions
	yes, noInput    bool
	Quiet, Debug    bool
	Timeout         time.Duration
	color           string
	InsecureHTTP    bool
	CaCert, Proxy   string
	ClientCert      string
	ClientKey       string
	pager           string // from environment or file
	TokenStdin      bool
	TokenFile       string
}

// NewEnv returns the environment of the process.
func NewEnv() *Env {
	return &Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
}

// InTerminal reports whether any stream is a terminal.
func (e *Env) InTerminal() bool { return isTerminal(e.In) || isTerminal(e.Out) || isTerminal(e.Err) }

// Interactive reports whether the person can be asked.
func (e *Env) Interactive() bool {
	return !e.Global.noInput && isTerminal(e.In) && isTerminal(e.Err)
}

// TermsRefused returns why a search term is not accepted in place of a document. It is empty if
// standard input and output are terminals (cli.md, DOC) and --no-input is not set.
func (e *Env) TermsRefused() Message {
	switch {
	case e.Global.noInput:
		return Msg("--no-input is given")
	case !isTerminal(e.In):
		return Msg("standard input is not one")
	case !isTerminal(e.Out):
		return Msg("standard output is not one")
	}
	return Message{}
}

func isTerminal(stream any) bool {
	_, ok := Terminal(stream)
	return ok
}

// dir returns ativa's directory in an XDG base directory: the variable's if it is absolute, else
// below in the home directory.
func (e *Env) dir(variable, below string) (string, error) {
	base := e.Getenv(variable)
	if !filepath.IsAbs(base) {
		home := e.home()
		if home == "" {
			return "", Usage("there is no home directory").WithHint("set HOME or %s", variable)
		}
		base = filepath.Join(home, below)
	}
	return filepath.Join(base, "ativa"), nil
}

// home returns the home directory: HOME, else the system's entry for the user, because a service
// manager may start programs without HOME. It is empty for a user without one.
func (e *Env) home() string {
	if home := e.Getenv("HOME"); home != "" {
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

// ConfigDir is where the configuration file and stored tokens are.
func (e *Env) ConfigDir() (string, error) { return e.dir("XDG_CONFIG_HOME", ".config") }

// StateDir is where journals are, and the database of the service.
func (e *Env) StateDir() (string, error) {
	return e.dir("XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// CacheDir is where bearer tokens are kept.
func (e *Env) CacheDir() (string, error) { return e.dir("XDG_CACHE_HOME", ".cache") }

// FullScreen returns the terminal for a full-screen command. It is a usage error if standard input
// or output is no terminal or TERM is dumb, and with flags that a full screen cannot honour, such
// as --no-input.
func (e *Env) FullScreen() (in, out *os.File, err error) {
	in, reads := Terminal(e.In)
	out, shows := Terminal(e.Out)
	without := Msg("without one: `ativa subscribers search TERM` and `ativa subscribers explain DOC`")
	switch {
	case !reads || !shows:
		return nil, nil, Usage("this command needs a terminal").WithHint("%s", without)
	case e.Getenv("TERM") == "dumb":
		return nil, nil, Usage("this command needs a full-screen terminal, and TERM is dumb").WithHint("%s", without)
	case e.Global.noInput:
		return nil, nil, Usage("this command needs input").WithHint("leave out --no-input")
	case e.Global.Debug && isTerminal(e.Err):
		return nil, nil, Usage("the trace of --debug would cover the screen").WithHint("send it to a file: 2>trace.log")
	case e.Global.TokenStdin:
		return nil, nil, Usage("standard input is the keyboard, so the access token cannot come from it").WithHint("run `ativa login`, or set ATIVA_ACCESS_TOKEN")
	}
	return in, out, nil
}

// Terminal returns the file behind a stream, nil for none, and whether it is a terminal.
func Terminal(stream any) (*os.File, bool) {
	switch s := stream.(type) {
	case *input:
		stream = s.from
	case *contextLines:
		stream = s.out
	}
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// Set by the linker in releases.
var (
	Version = "dev" // as in "1.2.3"
	Commit  = ""    // short hash
	Date    = ""    // of the commit, RFC 3339
)
