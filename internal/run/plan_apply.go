package run

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// Apply sends the actions of the plan, sets their results and calls each for every action, with
// no row for an unsent one. It is a run like [Run]: the line is the number of the action,
// from 1. The idempotency keys derive from the plan, so applying it again changes nothing
// twice. Apply returns the first error, or one with the code pending if deletions must
// wait for the partner.
func (p *Plan) Apply(ctx context.Context, c *client.Client, j *Journal, o Options, each func(*Action, RowResult) error) error {
	keys, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return err
	}
	o.Idempotency, o.planID = keys, p.ID
	p.sort()
	err = runPhases(ctx, p.phases(c), j, o, func(r RowResult) error {
		a := &p.Actions[r.Row.Line-1]
		a.setResult(r.Result)
		return each(a, r)
	})
	for i := range p.Actions {
		if a := &p.Actions[i]; !a.Changes() || a.held {
			err = cmp.Or(err, each(a, RowResult{}))
		}
	}
	if waiting := p.count(func(a *Action) bool { return a.Result == sheet.ResultWaiting }); waiting > 0 && err == nil {
		err = &failure.Failure{Exit: failure.ExitPending, Code: "pending", Hint: lang.Msg("run the same command again later to continue this run"),
			Message: lang.Msg("%d [subscriber is|subscribers are] not deleted yet: the partner has to confirm the cancellation of their services", waiting)}
	}
	return err
}

// phases yields a phase for each group. Actions that await a refused one are held back before
// their phase begins.
func (p *Plan) phases(c *client.Client) iter.Seq[phase] {
	return func(yield func(phase) bool) {
		for g := range p.groups() {
			for _, a := range p.awaitingRefused(g.actions) {
				a.hold(a.heldReason())
			}
			if !yield(phase{g.job(c), g.rows()}) {
				return
			}
		}
	}
}

// job returns the job that sends the group.
func (g group) job(c *client.Client) Job {
	switch g.step {
	case ActionCreate: // none of these existed when the plan was made
		return &Import{Client: c}
	case ActionUpdate:
		return &single{client: c, group: g, send: sendUpdate, isDone: isUpdated}
	case ActionChange:
		return &single{client: c, group: g, send: sendChange, isDone: isChanged}
	case ActionUnschedule:
		return &single{client: c, group: g, send: sendUnschedule}
	case ActionDelete:
		return &single{client: c, group: g, send: sendDelete, isDone: isDeleted}
	}
	return &Provision{Client: c, Operation: api.Operation(g.step), Product: g.product}
}

// awaitingRefused returns the actions that await an action which the plan or the server has refused.
func (p *Plan) awaitingRefused(actions []Action) (waiting []*Action) {
	if !slices.ContainsFunc(actions, func(a Action) bool { return len(a.Awaits) > 0 }) {
		return nil
	}
	type documentProduct struct {
		document string
		product  api.Int
	}
	refused := map[documentProduct]bool{}
	for _, a := range p.Actions {
		if a.Kind == ActionRefused || a.Result == api.ResultFailed {
			refused[documentProduct{a.Document, a.ProductID}] = true
		}
	}
	for i := range actions {
		a := &actions[i]
		if a.Changes() && slices.ContainsFunc(a.Awaits, func(product api.Int) bool { return refused[documentProduct{a.Document, product}] }) {
			waiting = append(waiting, a)
		}
	}
	return waiting
}

// complete refuses what the server would refuse and actions that await that, and sorts the plan.
func (p *Plan) complete(ctx context.Context, c *client.Client) error {
	p.sort()
	if err := p.refuseByDryRun(ctx, c); err != nil {
		return err
	}
	for _, a := range p.awaitingRefused(p.Actions) {
		a.refuseBecause(a.heldReason())
	}
	p.sort()
	return nil
}

// refuseByDryRun refuses the operations that the server would refuse, if it has dry runs.
func (p *Plan) refuseByDryRun(ctx context.Context, c *client.Client) error {
	validates, err := c.HasExtension(ctx, api.ExtValidate)
	if err != nil || !validates {
		return err
	}
	for g := range p.groups() {
		if g.product == 0 {
			continue
		}
		job := &Provision{Client: c, Operation: api.Operation(g.step), Product: g.product, DryRun: true, Validates: true}
		err := Run(ctx, job, g.rows(), nil, Options{Idempotency: true, planID: p.ID}, func(r RowResult) error {
			if r.Kind == api.ResultFailed {
				g.action(r.Row).refuse(r.Code, r.Detail)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// HoldChanged holds back the unsent actions of the interrupted run that are missing in now, a new
// plan of the same work: their service or subscriber has changed since.
func (p *Plan) HoldChanged(now *Plan, j *Journal) {
	type step struct {
		kind     string
		document string
		product  api.Int
	}
	stepOf := func(a *Action) step { return step{a.Kind, a.Document, a.ProductID} }
	planned := map[step]bool{}
	for i := range now.Actions {
		planned[stepOf(&now.Actions[i])] = true
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Changes() && !j.wasSent(i+1) && !planned[stepOf(a)] {
			a.hold(reasonChangedSinceRun)
		}
	}
}
