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
			for _, a := range p.held(g.actions) {
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

// NewChange returns the job that changes the service of one subscriber to another product.
func NewChange(c *client.Client, document string, from, to api.Int) Job {
	a := Action{Kind: ActionChange, Document: document, ProductID: to, PreviousProductID: from}
	return group{step: ActionChange, actions: []Action{a}}.job(c)
}

// single is the job of actions that are sent one by one.
type single struct {
	client *client.Client
	group  group
	send   func(ctx context.Context, c *client.Client, a *Action, key string) (Result, error)
	// isDone reports whether the subscriber, nil for none, is as the action wants it. Nil means that
	// no subscriber shows that: a server with schedules has idempotency keys.
	isDone func(a *Action, s *api.Subscriber) bool
}

// Singly implements [Job].
func (j *single) Singly() bool { return true }

// Send implements [Job].
func (j *single) Send(ctx context.Context, b Batch) ([]Result, error) {
	result, err := j.send(ctx, j.client, j.group.action(b.Rows[0]), b.Key)
	if err != nil {
		return nil, err
	}
	return []Result{result}, nil
}

// ReadBack implements [Job].
func (j *single) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	a := j.group.action(b.Rows[0])
	s, err := readSubscriber(ctx, j.client, a.Document)
	if err != nil || j.isDone == nil || !j.isDone(a, s) {
		return make([]Result, 1), err
	}
	if s == nil {
		return []Result{{Kind: sheet.ResultDeleted}}, nil
	}
	return []Result{acceptedAs(s.Services, a.ProductID)}, nil
}

func sendUpdate(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	_, err := c.UpdateSubscriber(ctx, a.Document, updateOf(a.Row, a.Fields), key)
	return Result{Kind: api.ResultAccepted}, err
}

func isUpdated(a *Action, s *api.Subscriber) bool {
	if s == nil {
		return false
	}
	left := differs(&sheet.Row{ImportRow: *a.Row}, s)
	return !slices.ContainsFunc(a.Fields, func(field string) bool { return slices.Contains(left, field) })
}

func sendUnschedule(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	_, err := c.CancelSchedule(ctx, a.ScheduleID, key)
	return Result{Kind: api.ScheduleCancelled}, err
}

func sendChange(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	answer, err := c.Change(ctx, api.ChangeRequest{ProductID: a.ProductID, PreviousProductID: a.PreviousProductID, Document: a.Document}, key)
	if err != nil {
		return Result{}, err
	}
	if r := &answer.Value.Result; answer.Detailed {
		return Result{Kind: r.Result, Services: services(batchService(a.ProductID, r))}, nil
	}
	if s, err := readSubscriber(ctx, c, a.Document); err == nil && s != nil {
		return acceptedAs(s.Services, a.ProductID), nil
	}
	return Result{Kind: api.ResultAccepted}, nil // its status is not known
}

func isChanged(a *Action, s *api.Subscriber) bool {
	if s == nil {
		return false
	}
	has := func(product api.Int) bool {
		return slices.ContainsFunc(s.Services, func(s api.Service) bool { return isLive(s) && s.ProductID == product })
	}
	return has(a.ProductID) && !has(a.PreviousProductID)
}

// held returns those of some actions of the plan that await an action which the plan or the server
// has refused.
func (p *Plan) held(some []Action) (held []*Action) {
	if !slices.ContainsFunc(some, func(a Action) bool { return len(a.Awaits) > 0 }) {
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
	for i := range some {
		a := &some[i]
		if a.Changes() && slices.ContainsFunc(a.Awaits, func(product api.Int) bool { return refused[documentProduct{a.Document, product}] }) {
			held = append(held, a)
		}
	}
	return held
}

// complete refuses what the server would refuse and actions that await that, and sorts the plan.
func (p *Plan) complete(ctx context.Context, c *client.Client) error {
	p.sort()
	if err := p.refuseByDryRun(ctx, c); err != nil {
		return err
	}
	for _, a := range p.held(p.Actions) {
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
