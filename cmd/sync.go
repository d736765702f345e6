package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

type syncOptions struct {
	readingOptions
	file            string
	command         string // value of --from-command
	apply           string
	planFile        string
	reportDir       string
	args            []string
	allowDeactivate bool
	maxChanges      string
	limit           cli.Limit // of --max-changes
	skipInvalid     bool
	detailed        bool
	dryRun          bool
	send            sendOptions
}

func newSync(e *cli.Env) *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use: "sync FILE | --from-command CMD", Short: "Make the service match a spreadsheet: plan, then apply", GroupID: "many",
		ValidArgsFunction: cli.CompleteFiles,
		SuggestFor:        []string{"apply", "sincronizar"},
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
		Long: `Make the service match a spreadsheet, which holds the desired state:
subscribers, their fields, their products and, in a status column, active,
suspend, overdue or canceled. The plan is shown, and applied after a
confirmation or with --yes. Any invalid row stops it (exit 6), unless
--skip-invalid leaves invalid rows out (exit 7) and their subscribers unchanged.

Without a column of products, services are left unchanged. An empty cell changes
no field; an empty cell of products means no product. Services that the file
does not list are cancelled only with --allow-deactivate, also those of
subscribers that it lacks, and each only after the product in its place is
accepted. --max-changes limits the changes of a wrong file; without it, a plan
that cancels more than 10 services, and more than 10% of the subscribers, is
refused. --plan-file stores the plan, --apply applies exactly that plan;
--dry-run and --max-changes work with it, too. Refused rows are exit 7, also in
a dry run. A sync is a run like an import: FILE.report.csv lists the result of
each change as it is made, and the same command continues an interrupted run.

--from-command reads the output of a program instead of a file, such as the
export of an ERP. The shell runs it without standard input. If it fails, or
prints no table or a table without rows, nothing is sent (exit 6).`,
		Example: "  ativa sync assinantes.csv --dry-run\n  ativa sync assinantes.csv --yes --max-changes 5%\n  ativa sync assinantes.csv --plan-file plan.json && ativa sync \\\n      --apply plan.json --yes\n  ativa sync --from-command 'cat assinantes.csv' --dry-run",
		Args: func(c *cobra.Command, given []string) error {
			switch {
			case len(given) > 0 && (c.Flags().Changed("apply") || c.Flags().Changed("from-command")):
				return cli.Usage("--apply or --from-command takes the place of FILE").WithHint("leave one of them out")
			case o.apply != "" || o.command != "":
				return nil
			}
			return cli.Args(cobra.ExactArgs(1))(c, given)
		},
	}
	f := c.Flags()
	f.StringVar(&o.command, "from-command", "", "shell command that prints the desired state, in place of FILE")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "show the plan and change nothing")
	f.BoolVar(&o.skipInvalid, "skip-invalid", false, "leave invalid rows out, and their subscribers unchanged")
	f.BoolVar(&o.allowDeactivate, "allow-deactivate", false, "cancel services that the file does not list")
	f.StringVar(&o.maxChanges, "max-changes", "", "refuse a plan with more than N changes, or N% of the subscribers (default: no limit, but 10 cancellations or 10%)")
	f.StringVar(&o.planFile, "plan-file", "", "write the plan into this file and change nothing")
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the report (default: beside the file)")
	f.StringVar(&o.apply, "apply", "", "apply the plan of this file")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit 8 when changes are pending")
	o.addFlags(f)
	for _, ofMaking := range []string{"from-command", "plan-file", "skip-invalid", "allow-deactivate", "encoding", "delimiter", "map", "map-value", "sheet", "save-map"} {
		c.MarkFlagsMutuallyExclusive("apply", ofMaking)
	}
	o.send.addFlags(f)
	schema := func() render.Schema[run.Action] { return planActions(e.CellLanguage()) }
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[run.Action], args []string) error {
		o.args = commandLine(c, args...)
		var wrong error
		o.limit, wrong = cli.ParseLimit("--max-changes", o.maxChanges)
		if err := cmp.Or(o.send.complete(f), wrong); err != nil {
			return err
		}
		if o.apply != "" {
			return runSyncApply(ctx, e, p, o)
		}
		if o.file = "command"; len(args) > 0 {
			o.file = args[0]
		}
		return runSync(ctx, e, p, o)
	})
}

func runSync(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], o syncOptions) error {
	if err := o.mapColumns(e); err != nil {
		return err
	}
	o.csv.Profile = sheet.Sync
	f, err := openDesiredState(ctx, e, o)
	if err != nil {
		return o.inputError(err)
	}
	defer f.Close()
	hash, err := f.SHA256()
	if err != nil {
		return err
	}
	return o.run(ctx, e, p, hash, func(ctx context.Context, c *client.Client) (*run.Plan, error) { return makePlan(ctx, e, c, o, f) })
}

// runSyncApply applies the plan of a file.
func runSyncApply(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], o syncOptions) error {
	data, err := cli.ReadFile(ctx, o.apply)
	if err != nil {
		return err
	}
	plan, err := run.ParsePlan(o.apply, data)
	if err != nil {
		return err
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	if chosen.Server != plan.Server || chosen.Name != plan.Context {
		return cli.Usage("the plan is for context %q on %s, not for %q on %s", plan.Context, plan.Server, chosen.Name, chosen.Server)
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	journals, err := journalDir(e)
	if err != nil {
		return err
	}
	known, _ := journals.List() // `ativa imports list` names those that cannot be read
	if at := slices.IndexFunc(known, func(i run.Info) bool { return i.SHA256 == hash && i.State == run.StateFinished }); at >= 0 {
		e.Notice("this plan was applied on %s, as %s; the results may be those of that time. `ativa sync FILE` makes a new plan", e.DateTime(known[at].Started), known[at].ID)
	}
	o.file = o.apply
	return o.run(ctx, e, p, hash, func(context.Context, *client.Client) (*run.Plan, error) { return plan, o.limitError(plan) })
}

// run shows or applies the plan that make creates; hash identifies its input.
func (o syncOptions) run(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], hash string, make func(context.Context, *client.Client) (*run.Plan, error)) error {
	spec := run.Spec{Kind: "sync", File: cli.AbsolutePath(o.file), SHA256: hash, Options: string(cli.ToJSON([]any{o.meaning(), o.allowDeactivate}))}
	if o.command != "" {
		spec.File = fromCommand // the command may hold a password
	}
	r := &planRun{rowRun: rowRun{Env: e, unit: cli.Msg("changes")}, spec: spec, args: o.args, send: o.send, untyped: cli.MostCancellations,
		path: func(j *run.Journal) (string, error) {
			return cmp.Or(j.Report().Path, cli.ReportPath(o.file, o.reportDir, ".report.csv")), nil
		},
		unapplied: func(plan *run.Plan) error { return o.planExit(e, plan) }, make: make}
	do := r.run
	if o.dryRun || o.planFile != "" {
		do = r.show
	}
	err := do(ctx, p)
	if err == nil && r.plan.Changes() > 0 {
		suggestSync(e, o)
	}
	return err
}

// keepPlan writes a plan to --plan-file. It refuses one beyond the limit.
func (o syncOptions) keepPlan(e *cli.Env, plan *run.Plan) error {
	if err := o.limitError(plan); err != nil || o.planFile == "" {
		return err
	}
	data, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return err
	}
	err = cli.ReplaceFile(o.planFile, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	e.Notice("plan: %s (apply it with: ativa sync --apply %s)", o.planFile, o.planFile)
	return nil
}

// planExit returns the error of a plan that is only shown.
func (o syncOptions) planExit(e *cli.Env, plan *run.Plan) error {
	switch {
	case o.detailed && plan.Changes() > 0:
		return &cli.SilentExit{Code: cli.ExitPending}
	case plan.Count(run.ActionInvalid) > 0:
		return leftOut(plan)
	}
	return wouldRefuse(e, plan)
}

// suggestSync suggests the next command: after a dry run the real one, after that another dry
// run, which shows remaining changes.
func suggestSync(e *cli.Env, o syncOptions) {
	switch {
	case o.planFile != "" || o.file == "-" || o.apply != "":
	case o.dryRun:
		e.Next("", e.Typed(dryRunFlags()))
	default:
		e.Next("", e.Typed([]string{"-y", "--yes"}, "--dry-run"))
	}
}

// openDesiredState opens the desired state: a file, or the output of a command. The caller closes it.
func openDesiredState(ctx context.Context, e *cli.Env, o syncOptions) (*sheet.File, error) {
	if o.command != "" {
		return openOutputOf(ctx, e, o.command, o.csv)
	}
	return e.OpenSpreadsheet(ctx, o.file, o.csv)
}

// inputError rewords a file problem for --from-command.
func (o syncOptions) inputError(err error) error {
	problem, ok := errors.AsType[*sheet.Problem](err)
	if o.command == "" || !ok {
		return err
	}
	return &cli.Failure{Exit: cli.ExitInvalidInput, Code: problem.Code, Message: cli.Msg("the output of the command is not a usable table; nothing was sent"),
		Hint: cli.Msg("run the command alone to see its output; `ativa help csv` describes the table"), Err: err}
}

// fromCommand replaces the file name in the journal of a --from-command sync.
const fromCommand = "--from-command"

// Without --max-changes, a plan may cancel this many services, or this share of
// the subscribers if that is more.
const (
	cancelFew   = 10
	cancelShare = 10 // per cent
)

// limitError returns an error if a plan exceeds the limit. Without it an incomplete file would
// cancel everything that it lacks.
func (o syncOptions) limitError(plan *run.Plan) error {
	look := cli.Msg("look at it with --dry-run")
	if o.limit.Exceeded(plan.Changes(), plan.Subscribers) {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "too_many_changes", Message: cli.Msg("the plan has %d [change|changes] for %d [subscriber|subscribers], more than --max-changes %s; nothing was sent", plan.Changes(), plan.Subscribers, o.maxChanges),
			Hint: look}
	}
	cancels, most := plan.Count(run.ActionDeactivate), max(cancelFew, plan.Subscribers*cancelShare/100)
	if o.limit.Given || o.apply != "" || cancels <= most { // a stored plan has passed the limit
		return nil
	}
	return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "too_many_cancellations", Message: cli.Msg("the plan cancels %d services of %d [subscriber|subscribers], more than %d; nothing was sent", cancels, plan.Subscribers, most),
		Hint: cli.Msg("look at it with --dry-run; if it is meant, --max-changes %d allows it", plan.Changes())}
}

// makePlan checks the file and compares it with the server. It returns a plan beyond the limit with
// an error.
func makePlan(ctx context.Context, e *cli.Env, c *client.Client, o syncOptions, f *sheet.File) (*run.Plan, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return nil, err
	}
	catalog, s, err := checkFile(ctx, e, c, f, o.readingOptions)
	if err != nil {
		return nil, o.inputError(err)
	}
	noticeCheck(e, s)
	if s.Invalid > 0 && (!o.skipInvalid || s.Valid == 0) {
		report, err := writeCheckReport(ctx, e, f, cli.ReportPath(o.file, o.reportDir, ".report.csv"))
		if err != nil {
			return nil, err
		}
		return nil, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%d of %d [row is|rows are] invalid; nothing was sent", s.Invalid, s.Rows),
			Err: unprintedProblem(e, s), Hint: cli.Msg("fix the file, or leave them out with --skip-invalid; %s lists every line", report)}
	}
	plan := &run.Plan{ID: client.NewIdempotencyKey(), Server: chosen.Server, Context: chosen.Name, Actions: []run.Action{}}
	planner := &run.Planner{Client: c, Products: catalog.Products, HasProducts: f.Has(api.FieldProductsIDs), AllowDeactivate: o.allowDeactivate}
	if err := planner.Plan(ctx, f.Rows(ctx), plan); err != nil {
		return nil, err
	}
	switch {
	case plan.LeavesMissing():
		e.Notice("the file lacks %d [subscriber|subscribers] with services, left unchanged: an invalid row has no readable document, and may belong to any of them", plan.Missing)
	case plan.Missing > 0 && !o.allowDeactivate:
		e.Notice("the file lacks %d [subscriber|subscribers] with services, left unchanged (--allow-deactivate cancels them)", plan.Missing)
	}
	return plan, o.keepPlan(e, plan)
}
