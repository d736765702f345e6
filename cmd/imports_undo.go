package cmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

type undoOptions struct {
	id        string
	dryRun    bool
	reportDir string
	args      []string
	send      sendOptions
}

func newImportsUndo(e *cli.Env) *cobra.Command {
	var o undoOptions
	c := &cobra.Command{
		Use: "undo ID", Short: "Undo an import, or a run of provision or sync", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: completeRuns(e, isUndoable),
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
		Long: `Undo a run of provision or sync: services that it suspended are activated,
services that it activated again are suspended, overdue services are settled and
settled ones overdue again, and products are changed back. The plan is made from
the report of the run, which must be unchanged; it is shown, and applied after a
confirmation or with --yes.

Undoing an import cancels the services that it created and nobody has changed
since, and deletes the subscribers that it registered and that have no service
then. The number of services that end must be typed, unless --yes is given.
While a cancellation waits for the partner, its subscriber is listed as waiting
and the exit code is 8: run the same command again later. A service that its
subscriber has confirmed is kept.

Only services that are as the run left them, in status and operation, are
changed; if the server does not report operations, the status decides. First
activations, cancellations, registrations and changed fields of provision and
sync are listed and not undone. If the run scheduled an end (--until), the end
of an undone service is cancelled, and any other is listed and stays. An undo is
a run itself, with its own report.`,
		Example: "  ativa imports undo 7f3a9c2e-1 --dry-run\n  ativa imports undo 7f3a9c2e-1 --yes -o json",
	}
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show the plan and change nothing")
	c.Flags().StringVar(&o.reportDir, "report-dir", "", "directory of the report (default: the working directory)")
	o.send.addFlags(c.Flags())
	schema := func() render.Schema[run.Action] { return planActions(e.CellLanguage()) }
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[run.Action], args []string) error {
		o.id, o.args = args[0], append(commandLine(c), args[0])
		if err := o.send.complete(c.Flags()); err != nil {
			return err
		}
		return runImportsUndo(ctx, e, p, o)
	})
}

func runImportsUndo(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], o undoOptions) error {
	entry, err := runToUndo(e, o.id)
	if err != nil {
		return err
	}
	report, err := openReport(entry)
	if err != nil {
		return err
	}
	defer report.Close()
	operation, _ := strings.CutPrefix(entry.Kind, "provision ")
	planner := &run.UndoPlanner{Operation: api.Operation(operation), Until: entry.Due}
	r := &planRun{rowRun: rowRun{Env: e, unit: cli.Msg("changes")}, spec: run.Spec{Kind: "undo", File: entry.Report.Path, SHA256: entry.Report.SHA256, Options: o.id},
		args: o.args, send: o.send, path: func(j *run.Journal) (string, error) { return datedReport(e, j, "imports undo", o.reportDir) }, untyped: cli.MostCancellations, replans: true,
		unapplied: func(plan *run.Plan) error { return o.planExit(e, plan, planner.StatusAlone) },
		make: func(ctx context.Context, c *client.Client) (*run.Plan, error) {
			planner.Client = c
			return planUndo(ctx, e, planner, entry, report)
		}}
	if entry.Kind == "import" {
		r.untyped = 0
	}
	if o.dryRun {
		return r.show(ctx, p)
	}
	return r.run(ctx, p)
}

// planUndo returns the plan that undoes a run.
func planUndo(ctx context.Context, e *cli.Env, u *run.UndoPlanner, entry run.Info, report io.Reader) (*run.Plan, error) {
	if entry.Kind == "import" {
		journals, err := journalDir(e)
		if err != nil {
			return nil, err
		}
		all, _ := journals.List() // only other journals can be damaged: this one was read
		u.Created = entry.Created(all)
	}
	plan := &run.Plan{ID: client.NewIdempotencyKey(), Server: entry.Server, Context: entry.Context, Actions: []run.Action{}}
	if err := u.Plan(ctx, sheet.ReadReport(report), plan); err != nil {
		return nil, err
	}
	if u.StatusAlone {
		e.Notice("this server does not report which operation a status comes from: the status alone decides")
	}
	return plan, nil
}

// planExit returns the error of a plan that is only shown, or that changes nothing.
func (o undoOptions) planExit(e *cli.Env, plan *run.Plan, statusAlone bool) error {
	if plan.Changes() > 0 || len(plan.Actions) == 0 {
		return wouldRefuse(e, plan)
	}
	hint := cli.Msg("the reason is beside each subscriber; `ativa subscribers history DOC` shows what happened since")
	if statusAlone {
		hint = cli.Msg("the results above say why each failed")
	}
	return &cli.Failure{Exit: cli.ExitRefused, Code: "nothing_to_undo", Message: cli.Msg("nothing that the run %s did can be undone now", o.id), Hint: hint}
}

// runToUndo finds a run that can be undone in the chosen context.
func runToUndo(e *cli.Env, id string) (run.Info, error) {
	entry, err := findRun(e, id)
	if err == nil {
		err = checkUndoable(entry)
	}
	if err == nil {
		err = checkContextOf(e, entry)
	}
	return entry, err
}

// checkUndoable refuses a run that cannot be undone.
func checkUndoable(entry run.Info) error {
	refuse := func(message, hint cli.Message) error {
		return &cli.Failure{Exit: cli.ExitRefused, Code: "not_undoable", Message: message, Hint: hint}
	}
	switch isProvision := strings.HasPrefix(entry.Kind, "provision "); {
	case !isProvision && !slices.Contains([]string{"import", "sync", "undo"}, entry.Kind):
		return refuse(cli.Msg("%s is no import, and no run of provision or sync, and cannot be undone", entry.ID), cli.Msg("see `ativa imports list`"))
	case isProvision && slices.ContainsFunc(entry.Args, func(arg string) bool { return arg == "--at" || strings.HasPrefix(arg, "--at=") }):
		return refuse(cli.Msg("%s scheduled operations, which have changed nothing yet", entry.ID), cli.Msg("see `ativa provision schedule list`; `ativa provision schedule cancel ID` cancels one"))
	case entry.State == run.StateRunning:
		return run.AlreadyRunning(entry.ID)
	case entry.Report.SHA256 == "":
		hint := cli.Msg("finish it first: ativa imports resume %s", entry.ID)
		if !isResumable(entry) {
			hint = cli.Msg("put back what the run began with, or give the run up: ativa imports purge %s", entry.ID)
		}
		return refuse(cli.Msg("%s ended before its report was complete", entry.ID), hint)
	}
	return nil
}

// openReport opens the report of a run, and refuses one that changed since the run. The caller
// closes it.
func openReport(entry run.Info) (*os.File, error) {
	hint := cli.Msg("only the report shows what the run did; `ativa sync` brings services to the state of a file")
	f, hash, err := system.OpenHashed(entry.Report.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "report_missing", Message: cli.Msg("the report %s is missing; nothing was sent", entry.Report.Path), Hint: hint}
	case err != nil:
		return nil, err
	case hash != entry.Report.SHA256:
		return nil, errors.Join(&cli.Failure{Exit: cli.ExitInvalidInput, Code: "report_changed", Message: cli.Msg("the report %s was changed since the run; nothing was sent", entry.Report.Path), Hint: hint}, f.Close())
	}
	return f, nil
}

// isUndoable reports whether `ativa imports undo` can undo a run.
func isUndoable(entry run.Info) bool { return checkUndoable(entry) == nil && isFile(entry.Report.Path) }
