// Package desk is `ativa desk`: the screen on which support staff find a subscriber, see
// the status of each service, and act. It decides layout, focus and keys. It refuses to
// know the rules and texts of services, which package support shares with the commands.
package desk

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/client"
)

// New returns the command.
func New(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "desk", Short: "Find a subscriber and act, full screen, for support staff", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Long: `Find a subscriber and act, full screen, for support staff.

Type a part of the name, the e-mail, the CPF or the telephone number; Enter shows
the subscriber with each service, how it stands in plain words, and what happened.
Typing always searches: no letter acts on a service. Enter on a service opens what
can be done now, chosen by digit or by the arrows. Each change shows a sentence
and waits for Enter; a cancellation waits for the word cancel. For a minute after a
suspension the menu begins with undoing it. Name, e-mail, telephone and plan
are corrected in a form; a search that finds nobody offers to register somebody.
Esc goes back, F1 explains the keys, Ctrl-Q ends.

The rules of the commands hold: a protected context asks for its name before
each change, a read-only one offers none, and what the access token may not do is
not offered. What happens elsewhere is shown within seconds. The terminal needs 60
columns and 20 lines.`,
		Example: "  ativa desk\n  ativa desk --context production --lang pt",
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), e) },
	}
}

// run shows the desk until it is left.
func run(ctx context.Context, e *cli.Env) error {
	in, out, err := e.FullScreen()
	if err != nil {
		return err
	}
	o, err := newOptions(e)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var program *tea.Program
	c, err := connect(ctx, e, func(cause error) { program.Send(retryMsg{cause}) })
	if err != nil {
		return err
	}
	defer c.Close()
	m := newModel(ctx, o, &service{client: c, wait: e.PollTimeout(), clock: e.Now})
	profile := colorprofile.ASCII
	if o.colours {
		profile = colorprofile.ANSI
	}
	program = tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	defer context.AfterFunc(ctx, program.Quit)() // tea.WithContext would not wait for the reader
	_, err = program.Run()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the desk has crashed; what was confirmed before has been sent")
	case m.performing != nil:
		return m.unknownOutcome(e.InHint)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return cmp.Or(err, m.err)
}

func newOptions(e *cli.Env) (options, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return options{}, err
	}
	asksName, err := e.AsksToConfirm(false)
	if err != nil {
		return options{}, err
	}
	shown, err := e.RenderOptions()
	return options{
		lang: e.Lang, colours: shown.Screen.Colour, showDocuments: shown.ShowDocuments, clock: e.Now,
		context: cmp.Or(chosen.Name, chosen.Server), readOnly: chosen.ReadOnly,
		protected: chosen.Protected, asksName: asksName,
	}, err
}

// connect creates the client. It writes nothing to the terminal: the screen owns it.
func connect(ctx context.Context, e *cli.Env, onRetry func(cause error)) (*client.Client, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return nil, err
	}
	quiet := *e
	if _, terminal := cli.Terminal(e.Err); terminal {
		quiet.Err = io.Discard
	}
	o := quiet.ClientOptions(chosen)
	o.OnRetry = func(_ time.Duration, cause error) { onRetry(cause) }
	return cli.NewClient(ctx, o, quiet.BearerSource(chosen))
}
