package cmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	e := newEnv()
	e.watch = func() { watch(stop) }
	return run(ctx, e, os.Args[1:])
}

// watch turns the first signal that ends a process into the end of its context.
// A terminal that goes away (SIGHUP) is one, unless nohup had it ignored.
func watch(stop context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		if s := <-signals; s == os.Interrupt {
			stop(errInterrupted)
		} else {
			stop(errTerminated)
		}
		signal.Stop(signals) // the second signal ends the process at once
	}()
}

// stopped is why the process was told to end; it is a context.Canceled.
type stopped string

func (s stopped) Error() string        { return string(s) }
func (s stopped) Is(target error) bool { return target == context.Canceled }

const (
	errInterrupted stopped = "interrupted"
	errTerminated  stopped = "terminated"
)

// run executes one command line in an environment and returns the exit code.
func run(ctx context.Context, e *env, args []string) int {
	said, err := e.language(args)
	e.lang = said
	if err != nil {
		return report(e.err, e.lang, "", err)
	}
	e.line, e.command = args, run
	root := newRoot(e)
	if completes(args) {
		completions{e}.add(root, args[1:])
	}
	root.SetArgs(args)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	ran, err := root.ExecuteContextC(ctx)
	if own, ok := errors.AsType[*failure](err); ok && own.hint.isEmpty() {
		own.hint = say("see `%s --help`", ran.CommandPath())
	}
	if err == nil {
		err = e.failed
	}
	exit := report(e.err, e.lang, e.global.output.format, err)
	if exit == exitInterrupted && errors.Is(context.Cause(ctx), errTerminated) {
		return exitTerminated
	}
	return exit
}

func newRoot(e *env) *cobra.Command {
	root := e.group("ativa", "Provision content services for internet subscribers", func() []*cobra.Command {
		return []*cobra.Command{
			newLogin(e), newLogout(e), newAuth(e),
			newSubscribers(e), newImports(e), newSync(e), newProvision(e), newProducts(e), newStatus(e), newEvents(e), newAPI(e),
			newContext(e), newConfig(e), newDoctor(e), newVersion(e),
			newServe(e), newAdmin(e), newDemo(e),
		}
	})
	root.Long = root.Short + `.

A client of any server with the provisioning API, and the whole service behind
it. Try "ativa demo" to see it work, "ativa serve --dev" to try it yourself.`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return complained(err).hinting(flagHint(c, err))
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if completes([]string{c.Name()}) {
			return nil
		}
		if name := strings.Fields(c.CommandPath() + " .")[1]; e.watch != nil && name != "version" && name != "help" { // those end by themselves, and sooner
			e.watch()
		}
		e.heed(c.Context())
		return e.settle()
	}
	e.addGlobalFlags(root)
	help := newHelp(e)
	root.AddCommand(help)
	root.SetHelpCommand(help)
	root.InitDefaultCompletionCmd()
	completions{e}.finishCompletion(root)
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var page bytes.Buffer
		translate(c, e.lang)
		describe(c, e.lang)
		c.SetOut(&page)
		show(c, args)
		c.SetOut(e.out)
		_, e.failed = e.out.Write(helpIn(page.Bytes(), e.lang))
	})
	return root
}

// flagHint points out what flag may have been meant.
func flagHint(c *cobra.Command, err error) phrase {
	hint := say("see `%s --help`", c.CommandPath())
	typed, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return hint
	}
	if slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == typed }) {
		return say("did you mean %s?", "`"+c.CommandPath()+" "+typed+"`")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(typed, names); len(near) > 0 {
		return say("did you mean --%s? %s", strings.Join(near, ", --"), hint)
	}
	return hint
}

// group is a command that only holds others: without one of them, or with one
// that does not exist, it is a usage error. The others are made only where the
// command line names the group, because making them all is most of a start.
func (e *env) group(name, short string, commands func() []*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, args []string) error {
			hint := say("see `%s --help`", c.CommandPath())
			if len(args) == 0 {
				return usage("%s needs a command", c.CommandPath()).hinting(hint)
			}
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = say("did you mean %s?", "`"+c.CommandPath()+" "+strings.Join(near, "`, `"+c.CommandPath()+" ")+"`")
			}
			return usage("unknown command %q for %s", args[0], c.CommandPath()).hinting(hint)
		},
		Args: cobra.ArbitraryArgs,
	}
	if e.line == nil || name == "ativa" || slices.Contains(e.line, name) {
		c.AddCommand(commands()...)
	}
	return c
}

// args turns cobra's complaints about arguments into usage errors that say what
// a command takes.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if check(c, given) == nil {
			return nil
		}
		if _, wanted, takes := strings.Cut(c.Use, " "); takes {
			return usage("%s takes %s", c.CommandPath(), wanted).withHint("see `%s --help`", c.CommandPath())
		}
		return usage("%s takes no arguments, but got %q", c.CommandPath(), given[0]).withHint("see `%s --help`", c.CommandPath())
	}
}

func (e *env) addGlobalFlags(root *cobra.Command) {
	g, f := &e.global, root.PersistentFlags()
	e.flags = f
	f.StringVar(&g.context, "context", "", "the context to use (ATIVA_CONTEXT)")
	f.StringVar(&g.server, "server", "", "base URL of the server (ATIVA_SERVER)")
	f.BoolVarP(&g.yes, "yes", "y", false, "do not ask for confirmation")
	f.BoolVar(&g.noInput, "no-input", false, "never ask; a needed answer is exit 2")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "no progress and no remarks")
	f.BoolVar(&g.debug, "debug", false, "trace requests on stderr, secrets and personal data masked")
	f.DurationVar(&g.timeout, "timeout", 0, "limit of one request, and of --wait")
	f.String("lang", "", "language of messages: pt or en (default: of LC_ALL, LC_MESSAGES or LANG)")
	f.StringVar(&g.color, "color", "auto", "auto, always or never")
	f.BoolVar(&g.insecureHTTP, "insecure-http", false, "permit plain http to another machine")
	f.StringVar(&g.caCert, "ca-cert", "", "PEM file of authorities to trust instead of the system's")
	f.StringVar(&g.clientCert, "client-cert", "", "PEM file of a client certificate")
	f.StringVar(&g.clientKey, "client-key", "", "PEM file of its key")
	f.StringVar(&g.proxy, "proxy", "", "URL of a proxy")
	f.BoolVar(&g.tokenStdin, "token-stdin", false, "read the access token from standard input")
	g.output.add(f)
}
