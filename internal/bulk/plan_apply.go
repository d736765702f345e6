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

// requestSize bounds the actions of one request.
const requestSize = 1000

// Apply sends the actions of the plan, sets their results and calls progress
// with the number of actions after each request. When ctx ends, the request
// that is running is finished and the cause is returned. Any other error means
// that a request was not answered. The actions until then have their results,
// and applying the same plan again changes nothing twice.
func (p *Plan) Apply(ctx context.Context, c *client.Client, progress func(n int)) error {
	for _, phase := range []func(context.Context, *client.Client, func(int)) error{p.applyCreates, p.applyUpdates, p.applyChanges, p.applyOperations} {
		if err := phase(ctx, c, progress); err != nil {
			return err
		}
	}
	return nil
}

// request sends the actions at the indexes, which the journal knows before and after,
// and sets their results. What the journal has the results of is not sent again: not
// every server honours keys. It returns the cause when ctx has ended.
func (p *Plan) request(ctx context.Context, key string, indexes []int, progress func(int), send func(context.Context, Batch) ([]Result, error)) error {
	if len(indexes) > 0 {
		b := p.batch(key, indexes)
		noted := &pendingBatch{number: p.Journal.nextNumber(), Batch: Batch{Key: key, Known: b.Known}}
		for _, i := range indexes {
			noted.Rows = append(noted.Rows, &csvfile.Row{Line: i + 1})
		}
		if results, done := p.Journal.resultsOf(noted); done {
			if err := p.setResults(indexes, results); err != nil {
				return err
			}
			progress(len(indexes))
			return context.Cause(ctx)
		}
		if err := p.Journal.writeBegun(noted); err != nil {
			return err
		}
		results, err := send(context.WithoutCancel(ctx), b)
		if err == nil {
			err = p.setResults(indexes, results)
		}
		if err == nil {
			err = p.Journal.writeDone(noted, results)
		}
		if err != nil {
			return err
		}
	}
	progress(len(indexes))
	return context.Cause(ctx)
}

// batch is a request with the actions at the indexes.
func (p *Plan) batch(key string, indexes []int) Batch {
	b := Batch{Key: key, Known: make([]bool, len(indexes))}
	for _, i := range indexes {
		a := p.Actions[i]
		row := &csvfile.Row{Line: a.Line}
		if a.Row != nil {
			row.ImportRow = *a.Row
		}
		row.Document = a.Document
		b.Rows = append(b.Rows, row)
	}
	return b
}

func (p *Plan) applyCreates(ctx context.Context, c *client.Client, progress func(int)) error {
	idempotency, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return err
	}
	job := &Import{Client: c, Idempotency: idempotency}
	n := 0
	for indexes := range slices.Chunk(p.indexesOf(ActionCreate), requestSize) {
		if err := p.request(ctx, p.key("c", n), indexes, progress, job.Send); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (p *Plan) applyUpdates(ctx context.Context, c *client.Client, progress func(int)) error {
	return p.applyEach(ctx, ActionUpdate, "u", progress, func(ctx context.Context, key string, a Action) (Result, error) {
		_, err := c.UpdateSubscriber(ctx, a.Document, updateOf(a.Row, a.Fields), key)
		return Result{Kind: api.ResultAccepted}, err
	})
}

func (p *Plan) applyChanges(ctx context.Context, c *client.Client, progress func(int)) error {
	return p.applyEach(ctx, ActionChange, "x", progress, func(ctx context.Context, key string, a Action) (Result, error) {
		answer, err := c.Change(ctx, api.ChangeRequest{ProductID: a.ProductID, PreviousProductID: a.PreviousProductID, Document: a.Document}, key)
		if r := &answer.Value.Result; answer.Detailed {
			return Result{Kind: r.Result, Services: services(batchService(a.ProductID, r))}, err
		}
		return Result{Kind: api.ResultAccepted}, err
	})
}

// applyEach sends each action of the kind in a request of its own.
func (p *Plan) applyEach(ctx context.Context, kind, phase string, progress func(int), send func(ctx context.Context, key string, a Action) (Result, error)) error {
	for _, i := range p.indexesOf(kind) {
		key := p.key(phase, i)
		err := p.request(ctx, key, []int{i}, progress, func(ctx context.Context, _ Batch) ([]Result, error) {
			result, err := send(ctx, key, p.Actions[i])
			if e, ok := refused(err); ok {
				result, err = failed(e.Code, "", e.Message), nil
			}
			return []Result{result}, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// applyOperations sends the operations, cancellations last.
func (p *Plan) applyOperations(ctx context.Context, c *client.Client, progress func(int)) error {
	n := 0
	for group, indexes := range p.operationGroups() {
		key := p.key("o"+strconv.Itoa(int(group.product))+".", n)
		if group.operation == api.Deactivate {
			indexes = p.failHeld(indexes)
		}
		job := &Provision{Client: c, Operation: group.operation, Product: group.product}
		if err := p.request(ctx, key, indexes, progress, job.sendOrRefuse); err != nil {
			return err
		}
		n++
	}
	return nil
}

// documentProduct identifies the actions that a cancellation awaits.
type documentProduct struct {
	document string
	product  api.Int
}

// refused returns what the plan or the server has refused so far.
func (p *Plan) refused() map[documentProduct]bool {
	all := map[documentProduct]bool{}
	for _, a := range p.Actions {
		if a.Kind == ActionRefused || a.Result == api.ResultFailed {
			all[documentProduct{a.Document, a.ProductID}] = true
		}
	}
	return all
}

// isHeld reports whether a cancellation must not be sent because an action that
// it awaits was refused.
func (a Action) isHeld(refused map[documentProduct]bool) bool {
	return slices.ContainsFunc(a.Awaits, func(product api.Int) bool { return refused[documentProduct{a.Document, product}] })
}

// reasonHeld is the reason of a cancellation that is held.
const reasonHeld = "the product in its place was refused"

// refuse turns the action into one that is not sent.
func (a *Action) refuse(reason string) {
	a.Kind, a.Operation, a.Reason = ActionRefused, "", reason
}

// refuseHeld refuses the cancellations whose replacements the plan refuses.
func (p *Plan) refuseHeld() {
	refused := p.refused()
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Kind == ActionDeactivate && a.isHeld(refused) {
			a.refuse(reasonHeld)
		}
	}
}

// failHeld marks the cancellations that are held as failed and returns the
// indexes of the others.
func (p *Plan) failHeld(indexes []int) []int {
	refused := p.refused()
	return slices.DeleteFunc(slices.Clone(indexes), func(i int) bool {
		a := &p.Actions[i]
		held := a.isHeld(refused)
		if held {
			a.Result, a.Reason = api.ResultFailed, reasonHeld
		}
		return held
	})
}

// operationGroup is what the actions of one batch request have in common.
type operationGroup struct {
	operation api.Operation
	product   api.Int
}

// operationGroups yields the indexes of the actions of each request, in the
// order in which the requests are sent.
func (p *Plan) operationGroups() iter.Seq2[operationGroup, []int] {
	return func(yield func(operationGroup, []int) bool) {
		for _, operation := range []api.Operation{api.Activate, api.Settle, api.Suspend, api.Overdue, api.Deactivate} {
			byProduct := map[api.Int][]int{}
			var products []api.Int // in order of actions
			for _, i := range p.indexes(func(a Action) bool { return a.Operation == operation && a.Changes() }) {
				product := p.Actions[i].ProductID
				if byProduct[product] == nil {
					products = append(products, product)
				}
				byProduct[product] = append(byProduct[product], i)
			}
			for _, product := range products {
				for indexes := range slices.Chunk(byProduct[product], requestSize) {
					if !yield(operationGroup{operation, product}, indexes) {
						return
					}
				}
			}
		}
	}
}

// sendOrRefuse is Send with a refusal of the whole batch as the result of each row.
func (j *Provision) sendOrRefuse(ctx context.Context, b Batch) ([]Result, error) {
	results, err := j.Send(ctx, b)
	if e, ok := refused(err); ok {
		return slices.Repeat([]Result{failed(e.Code, "", e.Message)}, len(b.Rows)), nil
	}
	return results, err
}

// refuseByDryRun refuses the operations that the server would refuse, as far as
// it has dry runs.
func (p *Plan) refuseByDryRun(ctx context.Context, c *client.Client) error {
	validates, err := c.HasExtension(ctx, api.ExtValidate)
	if err != nil || !validates {
		return err
	}
	for group, indexes := range p.operationGroups() {
		job := &Provision{Client: c, Operation: group.operation, Product: group.product, DryRun: true, Validates: true}
		results, err := job.sendOrRefuse(ctx, p.batch("", indexes))
		if err != nil {
			return err
		}
		for n, i := range indexes {
			if err := results[n].Err; err != nil {
				return err
			}
			if results[n].Kind == api.ResultFailed {
				p.Actions[i].refuse(results[n].reason())
			}
		}
	}
	return nil
}
