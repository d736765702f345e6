// Package cmd is the client's command line: it decides each command's name, questions,
// output and exit code. It refuses to know the rules of provisioning and the database;
// the service's own commands are package operator.
package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"ativa/cmd/desk"
	"ativa/cmd/doctor"
	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/settings"
)

// Main runs the command line of the process and returns its exit code.
func Main() int {
	cobra.EnableCommandSorting = false // help lists commands in the order they are added
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	e := cli.NewEnv()
	e.HandleSignals = func(daemon bool) { e.Hangups = watchSignals(stop, daemon) }
	e.LimitMemory = func(bytes int64) {
		debug.SetMemoryLimit(bytes)
		debug.SetGCPercent(-1) // collect garbage only at the limit
	}
	return Run(ctx, e, os.Args[1:])
}

// watchSignals calls stop on the first signal that ends a process; the second one ends it at once.
// SIGHUP, sent when a terminal closes, is such a signal unless nohup ignores it or the command is
// a daemon. A daemon gets it on the returned channel, and ignores SIGPIPE to survive the reader of
// its log.
func watchSignals(stop context.CancelCauseFunc, daemon bool) (hangups chan os.Signal) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if daemon {
		signal.Ignore(syscall.SIGPIPE)
	}
	switch {
	case signal.Ignored(syscall.SIGHUP):
	case daemon:
		hangups = make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
	default:
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
	return hangups
}

// stopped is the kind of signal that ended the process; it is a context.Canceled.
type stopped string

func (s stopped) Error() string        { return string(s) }
func (s stopped) Is(target error) bool { return target == context.Canceled }

const (
	errInterrupted stopped = "interrupted"
	errTerminated  stopped = "terminated"
)

// Run executes one command line in an environment and returns the exit code.
func Run(ctx context.Context, e *cli.Env, args []string) int {
	var err error
	if e.Lang, err = e.Language(args); err != nil {
		return cli.Report(e.Err, e.Lang, e.ErrorFormat(args), err)
	}
	e.Args, e.RunCommand = args, Run
	root := newRoot(e)
	if cli.IsCompletion(args) {
		prepareCompletion(root, args[1:], e.Lang)
	}
	root.SetArgs(args)
	root.SetIn(e.In)
	root.SetErr(e.Err)
	ran, err := root.ExecuteContextC(ctx)
	if own, ok := errors.AsType[*cli.Failure](err); ok && own.Hint.IsEmpty() {
		own.Hint = cli.Msg("see `%s --help`", ran.CommandPath())
	}
	if err == nil {
		err = e.HelpErr
	}
	exit := cli.Report(e.Err, e.Lang, e.ErrorFormat(args), err)
	if err := e.CloseOutput(exit); err != nil {
		exit = cli.Report(e.Err, e.Lang, e.Global.Output.Format, err)
	}
	operator.Record(ctx, e, ran, exit != cli.ExitOK)
	if exit == cli.ExitInterrupted && errors.Is(context.Cause(ctx), errTerminated) {
		return cli.ExitTerminated
	}
	return exit
}

// serveKeys returns the settings of `ativa serve`.
func serveKeys() []settings.Key { return operator.ServeKeys(operator.NewServe(&cli.Env{})) }

// stdout writes to the standard output of an environment, which --output-file may replace.
type stdout struct{ env *cli.Env }

func (s stdout) Write(b []byte) (int, error) { return s.env.Out.Write(b) }

func newRoot(e *cli.Env) *cobra.Command {
	help := newHelp(e)
	root := e.Group(&cobra.Command{Use: "ativa", Short: "Provision content services for internet subscribers"},
		newSubscribers(e),
		newProvision(e),
		desk.New(e),
		newStatus(e),
		newProducts(e),
		newImports(e),
		newSync(e),
		newReport(e),
		newEvents(e),
		newAPI(e),
		newLogin(e),
		newLogout(e),
		newAuth(e),
		newTokens(e),
		newContext(e),
		newConfig(e),
		doctor.New(e),
		operator.NewDemo(e),
		operator.NewServe(e),
		operator.NewAdmin(e),
		help,
		newVersion(e),
	)
	root.AddGroup(
		&cobra.Group{ID: "find", Title: "Find a subscriber and act:"},
		&cobra.Group{ID: "many", Title: "Thousands at once:"},
		&cobra.Group{ID: "programs", Title: "For other programs:"},
		&cobra.Group{ID: "setup", Title: "Set-up:"},
		&cobra.Group{ID: "service", Title: "The service:"},
		&cobra.Group{ID: "help", Title: "Help:"},
	)
	root.Long = root.Short + `.

A client of any server with the provisioning API, and the whole service behind
it. Try "ativa demo" to see it work, "ativa serve --dev" to try it yourself.`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c.HasSubCommands() && c.Flags().NArg() > 0 { // flag of an unknown command
			return cli.UnknownCommand(c, c.Flags().Arg(0))
		}
		return cli.FlagError(err).WithHint("%s", cli.UnknownFlagHint(c, err))
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return prepare(e, c) }
	e.AddGlobalFlags(root)
	root.SetOut(stdout{e}) // before cobra creates the completion command, which keeps it
	root.SetHelpCommand(help)
	root.SetCompletionCommandGroupID("setup")
	root.InitDefaultCompletionCmd()
	describeCompletion(e, root)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		cli.TranslateCommand(c, e.Lang)
		describe(c, e.Lang)
		_, e.HelpErr = io.WriteString(e.Out, cli.HelpPage(c, e.Lang))
	})
	return root
}

// prepare completes the environment from flags, environment and configuration file before a command
// runs, and refuses flags that the command cannot honour.
func prepare(e *cli.Env, c *cobra.Command) error {
	if cli.IsCompletion([]string{c.Name()}) {
		return nil
	}
	if err := cli.CheckFlags(c); err != nil {
		return err
	}
	// A command without further exit codes ends before an interruption; goroutines that wait
	// for signals would take a sixth of its start.
	if codes, _ := cli.Annotation(c, cli.ExitCodes); codes != "" && e.HandleSignals != nil {
		e.HandleSignals(c.Annotations[cli.Daemon] != "" && !e.InTerminal())
	}
	e.CancelReads(c.Context())
	if err := e.ApplySettings(); err != nil {
		return err
	}
	if err := e.CheckOutput(c); err != nil {
		return err
	}
	if err := cli.CheckReportDir(c.Flags()); err != nil {
		return err
	}
	if e.AllContexts && c.Annotations[cli.AllContexts] == "" {
		return cli.Usage("--context all is taken by `ativa subscribers get` and `ativa subscribers search` alone").WithHint("name one context; `ativa context list` shows them")
	}
	return e.OpenOutput()
}
