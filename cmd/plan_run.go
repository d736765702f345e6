package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// planRun is a sync or an undo: it makes a plan and applies it. An interrupted run continues with
// the plan that it began with.
type planRun struct {
	rowRun
	spec run.Spec
	args []string
	send sendOptions
	path func(*run.Journal) (string, error) // returns the path of the report
	// untyped is the maximum of cancellations that a yes confirms; above it the number is
	// typed.
	untyped int
	// make makes the plan. A plan with an error may be shown, but not applied.
	make func(context.Context, *client.Client) (*run.Plan, error)
	// replans means that a resumed run makes the plan again and holds back actions that the new
	// plan lacks.
	replans bool
	// unapplied returns the error of a plan that is only shown, or that changes nothing.
	unapplied func(*run.Plan) error
	plan      *run.Plan
}

// show makes the plan and prints it.
func (r *planRun) show(ctx context.Context, p *render.Printer[run.Action]) error {
	return r.WithClient(ctx, func(ctx context.Context, c *client.Client) (err error) {
		if r.plan, err = r.make(ctx, c); r.plan == nil {
			return err
		}
		noticePlan(r.Env, r.plan)
		return r.print(ctx, p, cmp.Or(err, r.unapplied(r.plan)))
	})
}

// run makes the plan, or continues with that of an interrupted run, and applies it.
func (r *planRun) run(ctx context.Context, p *render.Printer[run.Action]) error {
	return r.WithWritableClient(ctx, func(ctx context.Context, c *client.Client) (err error) {
		r.client = c
		if r.journal, err = openJournal(r.Env, r.spec, r.args); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.journal.Leave()) }()
		if err := r.readPlan(ctx); err != nil {
			return err
		}
		if r.plan.Changes() == 0 {
			return r.print(ctx, p, r.unapplied(r.plan))
		}
		return r.apply(ctx, p)
	})
}

// readPlan makes the plan, or reads the plan of an interrupted run.
func (r *planRun) readPlan(ctx context.Context) (err error) {
	resumes := r.journal.Resumes()
	if resumes {
		r.plan, err = r.journal.Plan()
	} else {
		r.plan, err = r.make(ctx, r.client)
	}
	if resumes && r.replans && err == nil {
		var now *run.Plan
		if now, err = r.make(ctx, r.client); err == nil {
			r.plan.HoldChanged(now, r.journal)
		}
	}
	if r.plan != nil {
		noticePlan(r.Env, r.plan)
	}
	return err
}

// apply asks for confirmation, applies the plan and prints the outcome.
func (r *planRun) apply(ctx context.Context, p *render.Printer[run.Action]) error {
	if err := r.confirm(ctx); err != nil {
		return err
	}
	if !r.journal.Resumes() {
		if err := r.journal.SavePlan(r.plan); err != nil {
			return err
		}
	}
	r.total = r.plan.Changes()
	path, err := r.path(r.journal)
	if err != nil {
		return err
	}
	sent := r.execute(ctx, cli.Msg("applying"), path, r.send, func(o run.Options) error {
		return r.plan.Apply(ctx, r.client, r.journal, o, r.addOutcome)
	})
	if r.report == nil { // nothing was started
		return sent
	}
	r.Notice("report: %s", path)
	return r.print(ctx, p, r.exit(sent))
}

// print prints the plan and, if it was applied, its outcome. It returns exit, the error of the
// command.
func (r *planRun) print(ctx context.Context, p *render.Printer[run.Action], exit error) error {
	done := slices.ContainsFunc(r.plan.Actions, func(a run.Action) bool { return a.Result != "" && a.Result != api.ResultFailed })
	p.Respond(cli.Response(exit, done))
	doc := struct { // without request ids
		Subscribers int          `json:"subscribers"`
		Missing     int          `json:"missing"`
		Unchanged   int          `json:"unchanged"`
		Actions     []run.Action `json:"actions"`
		Import      string       `json:"import,omitempty"` // id, see ativa imports
		Report      string       `json:"report,omitempty"`
		Response    string       `json:"response"`
	}{r.plan.Subscribers, r.plan.Missing, r.plan.Unchanged, r.plan.Actions, "", "", api.ResponseSuccess}
	if r.report != nil {
		doc.Import, doc.Report = r.journal.ID, r.journal.Report().Path
	}
	return errors.Join(exit, p.Results(context.WithoutCancel(ctx), cli.ToJSON(doc), r.plan.Actions))
}

// exit returns the error of a command that applied a plan; sent is why it stopped early.
func (r *planRun) exit(sent error) error {
	switch refused := r.plan.Count(run.ActionRefused); {
	case exitOf(sent) == cli.ExitPending: // deletions wait for the partner
		return sent
	case sent != nil:
		return r.incomplete(sent, cli.Msg("%d of %d [change is|changes are] made", r.answered()-r.failed(), r.total), cli.Msg("run the same command again: nothing is done twice"))
	case r.failed()+refused > 0 && r.failed() == r.total:
		return &cli.Failure{Exit: cli.ExitRefused, Code: "refused", Message: cli.Msg("none of the changes was made")}
	case r.plan.Count(run.ActionInvalid) > 0:
		return leftOut(r.plan)
	case r.failed()+refused > 0:
		return partialError(r.Env, someFailed(r.failed()+refused, r.total+refused), cli.Msg("the results above say why each failed"))
	}
	return nil
}

// wouldRefuse returns the error of a plan that is only shown: the exit code is that of applying it.
func wouldRefuse(e *cli.Env, plan *run.Plan) error {
	refused := plan.Count(run.ActionRefused)
	if refused == 0 {
		return nil
	}
	return partialError(e, wouldFail(refused, plan.Changes()+refused), cli.Msg("the results above say why each failed"))
}

// leftOut returns the error of a plan without rows skipped by --skip-invalid.
func leftOut(plan *run.Plan) error {
	invalid := plan.Count(run.ActionInvalid)
	first := plan.Actions[len(plan.Actions)-invalid] // invalid rows are the last actions
	return leftOutError(invalid, &first.Problems[0], cli.Msg("fix the file and run the same command again"))
}

// leftOutError returns the error of a run that skipped invalid rows.
func leftOutError(invalid int, first error, hint cli.Message) error {
	return &cli.Failure{Exit: cli.ExitPartial, Code: "invalid_input", Message: cli.Msg("%d [row is|rows are] invalid and left out", invalid), Hint: hint, Err: first}
}

// addOutcome reports the outcome of an action.
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
		return r.record(l, o)
	case a.Changes(): // held back
		r.results[api.ResultFailed]++
	}
	return r.report.write(l)
}

// confirm shows the first steps of the plan, with names, and asks. If nobody is asked, it reads
// nothing.
func (r *planRun) confirm(ctx context.Context) error {
	if asks, err := r.AsksToConfirm(true); err != nil || !asks {
		return err
	}
	what, err := planPreview(ctx, r.Env, r.client, r.plan)
	if err != nil {
		return err
	}
	cancellations := 0
	for i, a := range r.plan.Actions {
		if a.Kind == run.ActionDeactivate && !r.journal.HasResult(i+1) {
			cancellations++
		}
	}
	return r.Confirm(cli.Confirmation{Title: cli.Msg("Make %d [change|changes]", r.plan.Changes()), What: what, Always: true,
		Cancellations: cancellations, Untyped: r.untyped})
}

// planPreview returns the first steps of a plan for the confirmation. Cancellations come first, so
// that all are visible.
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
			break
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
		if more := strings.TrimSpace(strings.Join(cli.Map(a.Fields, func(field string) string { return fieldName(e.Lang, field) }), ", ") + " " + reasonText(e.Lang, a)); more != "" {
			words = cli.Msg("%s (%s)", words, more)
		}
		all = append(all, words)
	}
	return andMore(all, len(steps)), nil
}
