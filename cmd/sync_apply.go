package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// planExit returns the error of a command that shows a plan without applying it.
func planExit(plan *run.Plan, detailed bool) error {
	switch {
	case detailed && plan.Changes() > 0:
		return &cli.SilentExit{Code: cli.ExitPending}
	case plan.Count(run.ActionInvalid) > 0:
		return leftOut(plan)
	case plan.Count(run.ActionRefused) > 0 && plan.Changes() == 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	return nil
}

// printPlan prints a plan and, if there was a run, its outcome. It returns exit, the error of the
// command.
func printPlan(ctx context.Context, p *render.Printer[run.Action], plan *run.Plan, r *planRun, exit error) error {
	done := slices.ContainsFunc(plan.Actions, func(a run.Action) bool { return a.Result != "" && a.Result != api.ResultFailed })
	p.Respond(cli.Response(exit, done))
	if err := p.Results(context.WithoutCancel(ctx), planDocument(plan, r), plan.Actions); err != nil {
		return err
	}
	return exit
}

// suggestSync suggests the next command: after a dry run the one that makes the changes, after
// these another dry run, which shows what is left.
func suggestSync(e *cli.Env, o syncOptions, plan *run.Plan) {
	switch {
	case plan.Changes() == 0 || o.planFile != "" || o.file == "-" || o.apply != "":
	case o.dryRun:
		e.Next("", e.Typed(dryRunFlags()))
	default:
		e.Next("", e.Typed([]string{"-y", "--yes"}, "--dry-run"))
	}
}

// planDocument returns the JSON of a plan, without what identifies its requests.
func planDocument(plan *run.Plan, r *planRun) json.RawMessage {
	doc := struct {
		Subscribers int          `json:"subscribers"`
		Missing     int          `json:"missing"`
		Unchanged   int          `json:"unchanged"`
		Actions     []run.Action `json:"actions"`
		Import      string       `json:"import,omitempty"` // id, see ativa imports
		Report      string       `json:"report,omitempty"`
		Response    string       `json:"response"`
	}{plan.Subscribers, plan.Missing, plan.Unchanged, plan.Actions, "", "", api.ResponseSuccess}
	if r != nil {
		doc.Import, doc.Report = r.journal.ID(), r.journal.Report().Path
	}
	return cli.ToJSON(doc)
}

// writePlan writes a plan, which holds personal data, to a file.
func writePlan(path string, plan *run.Plan) error {
	data, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return err
	}
	return cli.ReplaceFile(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

func runSyncApply(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], o syncOptions) error {
	limit, err := cli.ParseLimit("--max-changes", o.maxChanges)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.apply)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usage("plan %s does not exist", o.apply)
	} else if err != nil {
		return err
	}
	var plan run.Plan
	if err := json.Unmarshal(data, &plan); err != nil || plan.ID == "" {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "not_a_plan", Message: cli.Msg("%s is not a plan of ativa sync", o.apply)}
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	if server := strings.TrimSuffix(chosen.Server, "/"); server != plan.Server || chosen.Name != plan.Context {
		return cli.Usage("the plan is for context %q on %s, not for %q on %s", plan.Context, plan.Server, chosen.Name, server)
	}
	var tooMany error
	if limit.Given { // without it the plan was within the default limit when it was made, or above it on purpose
		tooMany = limitError(o, limit, &plan)
	}
	if o.dryRun {
		noticePlan(e, &plan)
		return planOnly(ctx, e, p, o, &plan, tooMany)
	}
	hash := sha256.Sum256(data)
	o.file = o.apply
	open := func() (*planRun, error) { return o.planRun(e, hex.EncodeToString(hash[:])) }
	_, err = runPlan(ctx, e, p, open, func(context.Context, *client.Client) (*run.Plan, error) {
		noticePlan(e, &plan)
		return &plan, tooMany
	})
	return err
}

// runPlan applies the plan that make returns, or continues with the plan of an interrupted run.
func runPlan(ctx context.Context, e *cli.Env, p *render.Printer[run.Action], open func() (*planRun, error), make func(context.Context, *client.Client) (*run.Plan, error)) (plan *run.Plan, err error) {
	err = e.WithWritableClient(ctx, func(ctx context.Context, c *client.Client) (err error) {
		r, err := open()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.journal.Leave()) }()
		if !r.journal.Resumes() {
			plan, err = make(ctx, c)
		} else if plan, err = r.journal.Plan(); err == nil {
			if r.replan != nil {
				err = r.holdMovedOn(ctx, c, plan)
			}
			noticePlan(e, plan)
		}
		switch {
		case err != nil:
			return err
		case plan.Changes() == 0:
			return printPlan(ctx, p, plan, nil, r.nothing(plan))
		}
		return r.applyPlan(ctx, c, p, plan)
	})
	return plan, err
}

// planRun is the run that applies a plan; `ativa imports list` lists it. An interrupted run
// continues with the plan that it began with.
type planRun struct {
	rowRun
	send sendOptions
	path string // of the report
	// untyped is how many cancellations a yes confirms; for more their number is typed.
	untyped int
	// nothing returns the error of a plan that changes nothing.
	nothing func(*run.Plan) error
	// replan makes the plan anew. Before an interrupted run goes on, actions that it would
	// not have any more are held back; nil for a plan that is applied as it is.
	replan func(context.Context, *client.Client) (*run.Plan, error)
}

func (r *planRun) holdMovedOn(ctx context.Context, c *client.Client, plan *run.Plan) error {
	now, err := r.replan(ctx, c)
	if err == nil {
		plan.HoldMovedOn(now, r.journal)
	}
	return err
}

// openPlanRun opens the journal of a sync or an undo. report is the path of a new run's report.
func openPlanRun(e *cli.Env, spec run.Spec, report string, args []string, send sendOptions, nothing func(*run.Plan) error) (*planRun, error) {
	j, err := openJournal(e, spec, args)
	if err != nil {
		return nil, err
	}
	return &planRun{rowRun: rowRun{Env: e, unit: cli.Msg("changes"), journal: j}, send: send, path: cmp.Or(j.Report().Path, report), untyped: cli.MostCancellations, nothing: nothing}, nil
}

// fromCommand is recorded as the file of a sync that reads the output of a command.
const fromCommand = "--from-command"

// planRun opens the run of a sync over a file, a command's output or a plan that has the hash.
func (o syncOptions) planRun(e *cli.Env, hash string) (*planRun, error) {
	options := cli.ToJSON([]any{o.meaning(), o.allowDeactivate})
	spec := run.Spec{Kind: "sync", File: cli.AbsolutePath(o.file), SHA256: hash, Options: string(options)}
	if o.command != "" {
		spec.File = fromCommand // the command may hold a password
	}
	return openPlanRun(e, spec, cli.ReportPath(o.file, o.reportDir, ".report.csv"), o.args, o.send, func(plan *run.Plan) error { return planExit(plan, o.detailed) })
}

// applyPlan asks for confirmation, applies the plan and prints the outcome.
func (r *planRun) applyPlan(ctx context.Context, c *client.Client, p *render.Printer[run.Action], plan *run.Plan) error {
	if err := r.confirmPlan(ctx, c, plan); err != nil {
		return err
	}
	if !r.journal.Resumes() {
		if err := r.journal.SavePlan(plan); err != nil {
			return err
		}
	}
	r.total = plan.Changes()
	sent := r.execute(ctx, cli.Msg("applying"), r.path, r.send, func(o run.Options) error {
		return plan.Apply(ctx, c, r.journal, o, r.addOutcome)
	})
	if r.report == nil { // nothing was started
		return sent
	}
	r.Notice("report: %s", r.path)
	return printPlan(ctx, p, plan, r, r.exit(plan, sent))
}

// exit returns the error of a command that applied a plan; sent is why it stopped early.
func (r *planRun) exit(plan *run.Plan, sent error) error {
	_, waits := errors.AsType[*run.WaitingError](sent)
	switch refused := plan.Count(run.ActionRefused); {
	case waits:
		return sent
	case sent != nil:
		return r.incomplete(sent, cli.Msg("%d of %d [change is|changes are] not made", r.total-r.answered, r.total), cli.Msg("run the same command again: what is done is not done twice"))
	case r.failed+refused > 0 && r.failed == r.total:
		return &cli.Failure{Exit: cli.ExitRefused, Code: "refused", Message: cli.Msg("none of the changes was made")}
	case plan.Count(run.ActionInvalid) > 0:
		return leftOut(plan)
	case r.failed+refused > 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	return nil
}

// leftOut returns the error of a plan with rows that --skip-invalid left out.
func leftOut(plan *run.Plan) error {
	invalid := plan.Count(run.ActionInvalid)
	first := plan.Actions[len(plan.Actions)-invalid] // invalid rows are the last actions
	return leftOutError(invalid, &first.Problems[0], cli.Msg("fix the file and run the same command again"))
}

// leftOutError returns the error of a run without the invalid rows of its file.
func leftOutError(invalid int, first error, hint cli.Message) error {
	return &cli.Failure{Exit: cli.ExitPartial, Code: "invalid_input", Message: cli.Msg("%d [row is|rows are] invalid and left out", invalid), Hint: hint, Err: first}
}

// addOutcome reports what became of an action.
func (r *planRun) addOutcome(a *run.Action, o run.RowResult) error {
	if a.Kind == run.ActionInvalid {
		l := (&sheet.Row{Line: a.Line, Problems: a.Problems}).Report(r.Lang)
		l.Document = a.Document
		return r.report.write(l)
	}
	l := sheet.ReportLine{Line: a.Line, Document: a.Document, Result: api.ResultFailed, Code: a.Code, Detail: reasonText(r.Lang, *a),
		ProductID: numberOrEmpty(a.ProductID), PreviousProductID: numberOrEmpty(a.PreviousProductID), PreviousStatus: a.Status}
	switch {
	case o.Row != nil:
		return r.tell(l, o)
	case a.Changes(): // held back
		r.answered, r.failed = r.answered+1, r.failed+1
	}
	return r.report.write(l)
}

// confirmPlan shows the first steps of a plan, with names, and asks. If nobody is asked, it reads
// nothing.
func (r *planRun) confirmPlan(ctx context.Context, c *client.Client, plan *run.Plan) error {
	e := r.Env
	protected, err := e.AsksForContext()
	if err != nil {
		return err
	}
	if !protected {
		if asks, err := e.AsksToConfirm(); err != nil || !asks {
			return err
		}
	}
	what, err := planPreview(ctx, e, c, plan)
	if err != nil {
		return err
	}
	cancellations := 0
	for i, a := range plan.Actions {
		if a.Kind == run.ActionDeactivate && !r.journal.HasResult(i+1) {
			cancellations++
		}
	}
	return e.ConfirmOnce(cli.Msg("Make %d [change|changes]?", plan.Changes()), what, cancellations, r.untyped)
}

// planPreview returns the first steps of a plan for the confirmation. Cancellations come first, so
// that none hides among the steps that are not shown.
func planPreview(ctx context.Context, e *cli.Env, c *client.Client, plan *run.Plan) ([]cli.Message, error) {
	const shown = 20
	products := productNames{}
	if err := products.read(ctx, c, render.FormatTable); err != nil {
		return nil, err
	}
	steps := slices.DeleteFunc(slices.Clone(plan.Actions), func(a run.Action) bool { return a.Kind == run.ActionInvalid })
	placeOf := func(a run.Action) int {
		if a.Kind == run.ActionDeactivate {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(steps, func(a, b run.Action) int { return placeOf(a) - placeOf(b) })
	var all []cli.Message
	for _, a := range steps {
		if len(all) == shown {
			return append(all, cli.Msg("and %d more", len(steps)-shown)), nil
		}
		who := subscriberArg{document: a.Document}
		if a.Row != nil {
			who.name = a.Row.Name
		}
		name, err := who.who(ctx, c)
		if client.KindOf(err) == client.KindNotFound {
			name, err = cli.MaskDocument(a.Document), nil
		}
		if err != nil {
			return nil, err
		}
		words := cli.Msg("%s %s", cli.Msg(a.Kind), name)
		if names := cli.Map(productsOf(a), products.cell); len(names) > 0 {
			words = cli.Msg("%s: %s", words, strings.Join(names, ", "))
		}
		if more := strings.TrimSpace(strings.Join(cli.Map(a.Fields, e.Lang.Text), ", ") + " " + reasonText(e.Lang, a)); more != "" {
			words = cli.Msg("%s (%s)", words, more)
		}
		all = append(all, words)
	}
	return all, nil
}
