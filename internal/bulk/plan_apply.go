package bulk

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// requestSize is how many actions go out in one request.
const requestSize = 1000

// Apply does the actions of the plan, and writes the result of each into it.
// When ctx ends, what is under way is finished. An error means that no answer
// came; what was done until then has its result, and applying the same plan
// again does nothing twice.
func (p *Plan) Apply(ctx context.Context, c *client.Client, progress func(n int)) error {
	for _, phase := range []func(context.Context, *client.Client, func(int)) error{p.applyCreates, p.applyUpdates, p.applyChanges, p.applyOperations} {
		if err := phase(ctx, c, progress); err != nil {
			return err
		}
	}
	return nil
}

// indexes are those of the actions that ok picks.
func (p *Plan) indexes(ok func(Action) bool) []int {
	var all []int
	for i, a := range p.Actions {
		if ok(a) {
			all = append(all, i)
		}
	}
	return all
}

func (p *Plan) applyCreates(ctx context.Context, c *client.Client, progress func(int)) error {
	keys, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return err
	}
	job := &Import{Client: c, Idempotency: keys}
	n := 0
	for part := range slices.Chunk(p.indexes(func(a Action) bool { return a.Kind == ActionCreate }), requestSize) {
		b := Batch{Key: p.key("c", n), Known: make([]bool, len(part))}
		for _, i := range part {
			b.Rows = append(b.Rows, &csvfile.Row{ImportRow: *p.Actions[i].Row, Line: p.Actions[i].Line})
		}
		results, err := job.Send(context.WithoutCancel(ctx), b)
		if err != nil {
			return err
		}
		if err := p.setResults(part, results); err != nil {
			return err
		}
		progress(len(part))
		if n++; ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// setResults writes the results of a request into the actions at its places.
func (p *Plan) setResults(part []int, results []Result) error {
	for at, i := range part {
		if err := p.setResult(i, results[at]); err != nil {
			return err
		}
	}
	return nil
}

// setResult writes a result into an action.
func (p *Plan) setResult(i int, r Result) error {
	if r.Err != nil {
		return r.Err
	}
	p.Actions[i].Result = r.Kind
	if r.Kind == api.ResultFailed {
		p.Actions[i].Reason = r.reason()
	}
	return nil
}

func (p *Plan) applyUpdates(ctx context.Context, c *client.Client, progress func(int)) error {
	for _, i := range p.indexes(func(a Action) bool { return a.Kind == ActionUpdate }) {
		a := p.Actions[i]
		result := Result{Kind: api.ResultAccepted}
		_, err := c.UpdateSubscriber(context.WithoutCancel(ctx), a.Document, updateOf(a.Row, a.Fields), p.key("u", i))
		if e, no := refused(err); no {
			result = failed(e.Code, "", e.Message)
		} else if err != nil {
			return err
		}
		if err := p.setResult(i, result); err != nil {
			return err
		}
		if progress(1); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (p *Plan) applyChanges(ctx context.Context, c *client.Client, progress func(int)) error {
	for _, i := range p.indexes(func(a Action) bool { return a.Kind == ActionChange }) {
		a := p.Actions[i]
		result := Result{Kind: api.ResultAccepted}
		answer, err := c.Change(context.WithoutCancel(ctx), api.ChangeRequest{ProductID: a.ProductID, PreviousProductID: a.PreviousProductID, Document: a.Document}, p.key("x", i))
		if e, no := refused(err); no {
			result = failed(e.Code, "", e.Message)
		} else if err != nil {
			return err
		} else if answer.Detailed {
			result = Result{Kind: answer.Value.Result.Result}
		}
		if err := p.setResult(i, result); err != nil {
			return err
		}
		if progress(1); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// applyOperations does the batch operations, cancellations last.
func (p *Plan) applyOperations(ctx context.Context, c *client.Client, progress func(int)) error {
	n := 0
	for r, part := range p.operationRequests() {
		key := p.key("o"+strconv.Itoa(int(r.product))+".", n)
		if r.operation == api.Deactivate {
			part = p.withoutHeld(part)
		}
		results, err := p.sendOperation(context.WithoutCancel(ctx), &Provision{Client: c, Operation: r.operation, Product: r.product}, key, part)
		if err != nil {
			return err
		}
		if err := p.setResults(part, results); err != nil {
			return err
		}
		progress(len(part))
		if n++; ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// documentProduct tells which actions a cancellation waits for: what is done about the
// products that the file wishes for the same subscriber.
type documentProduct struct {
	document string
	product  api.Int
}

// refused are what has been refused so far, by the plan or by the server.
func (p *Plan) refused() map[documentProduct]bool {
	all := map[documentProduct]bool{}
	for _, a := range p.Actions {
		if a.Kind == ActionRefused || a.Result == api.ResultFailed {
			all[documentProduct{a.Document, a.ProductID}] = true
		}
	}
	return all
}

// isHeld tells that a cancellation must not be done: what takes the place of the
// service was refused.
func (a Action) isHeld(refused map[documentProduct]bool) bool {
	return slices.ContainsFunc(a.Awaits, func(product api.Int) bool { return refused[documentProduct{a.Document, product}] })
}

// reasonHeld is the reason of a cancellation that is not done for that.
const reasonHeld = "the product in its place was refused"

// refuseWaiting refuses the cancellations whose replacements the plan refuses.
func (p *Plan) refuseWaiting() {
	refused := p.refused()
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Kind == ActionDeactivate && a.isHeld(refused) {
			a.Kind, a.Operation, a.Reason = ActionRefused, "", reasonHeld
		}
	}
}

// withoutHeld leaves of a part of the cancellations those that may be done now. The
// others fail.
func (p *Plan) withoutHeld(part []int) []int {
	refused := p.refused()
	return slices.DeleteFunc(slices.Clone(part), func(i int) bool {
		a := &p.Actions[i]
		held := a.isHeld(refused)
		if held {
			a.Result, a.Reason = api.ResultFailed, reasonHeld
		}
		return held
	})
}

// operationRequest is what the operations of a plan have in common that go out together.
type operationRequest struct {
	operation api.Operation
	product   api.Int
}

// operationRequests are the places of the operations, as they go out.
func (p *Plan) operationRequests() iter.Seq2[operationRequest, []int] {
	return func(yield func(operationRequest, []int) bool) {
		for _, op := range []api.Operation{api.Activate, api.Settle, api.Suspend, api.Overdue, api.Deactivate} {
			places := p.indexes(func(a Action) bool { return a.Operation == op && a.Changes() })
			var products []api.Int
			for _, i := range places {
				if !slices.Contains(products, p.Actions[i].ProductID) {
					products = append(products, p.Actions[i].ProductID)
				}
			}
			for _, product := range products {
				mine := slices.DeleteFunc(slices.Clone(places), func(i int) bool { return p.Actions[i].ProductID != product })
				for part := range slices.Chunk(mine, requestSize) {
					if !yield(operationRequest{op, product}, part) {
						return
					}
				}
			}
		}
	}
}

// sendOperation lets the job do a part of the plan. What the server refuses is a result.
func (p *Plan) sendOperation(ctx context.Context, job *Provision, key string, part []int) ([]Result, error) {
	if len(part) == 0 {
		return nil, nil
	}
	b := Batch{Key: key, Known: make([]bool, len(part))}
	for _, i := range part {
		row := &csvfile.Row{Line: p.Actions[i].Line}
		row.Document = p.Actions[i].Document
		b.Rows = append(b.Rows, row)
	}
	results, err := job.Send(ctx, b)
	if e, no := refused(err); no {
		results = make([]Result, len(part))
		for i := range results {
			results[i] = failed(e.Code, "", e.Message)
		}
		return results, nil
	}
	return results, err
}

// refuseByDryRun asks a server with dry runs which operations it would refuse, so that the
// plan says it before anything is done.
func (p *Plan) refuseByDryRun(ctx context.Context, c *client.Client) error {
	asks, err := c.HasExtension(ctx, api.ExtValidate)
	if err != nil || !asks {
		return err
	}
	for r, part := range p.operationRequests() {
		results, err := p.sendOperation(ctx, &Provision{Client: c, Operation: r.operation, Product: r.product, DryRun: true, Validates: true}, "", part)
		if err != nil {
			return err
		}
		for at, i := range part {
			if err := results[at].Err; err != nil {
				return err
			}
			if a := &p.Actions[i]; results[at].Kind == api.ResultFailed {
				a.Kind, a.Operation, a.Reason = ActionRefused, "", results[at].reason()
			}
		}
	}
	return nil
}
