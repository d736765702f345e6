package cmd

import (
	"context"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/support"
	"ativa/internal/tempfile"
)

// addOutcome takes the outcome of one document.
func (r *provisionRun) addOutcome(o run.RowResult) error {
	line := o.Row.Report(lang.Codes)
	line.Document = o.Row.Document
	if err := r.tell(line, o); err != nil || o.Kind == "" { // not sent, or not answered
		return err
	}
	return r.add(o.BatchResult(r.outcome.summary.Total))
}

// batchOutcome is what became of the documents of a run. Memory does not grow with them.
type batchOutcome struct {
	summary api.BatchSummary
	results tempfile.Queue[api.BatchResult]
	first   api.BatchResult
	mixed   bool // tells that not all results have the code of the first
	queued  int  // services for which there is no room
}

// add takes the result of one document.
func (r *provisionRun) add(result api.BatchResult) error {
	o := &r.outcome
	if o.summary.Total++; o.summary.Total == 1 {
		o.first = result
	}
	o.mixed = o.mixed || result.Code != o.first.Code
	switch result.Result {
	case api.ResultFailed:
		o.summary.Failed++
	case api.ResultUnchanged, api.ResultSkipped:
		o.summary.Unchanged++
	default:
		o.summary.Accepted++
	}
	if result.StatusID != nil && lifecycle.WaitsFor(*result.StatusID) == lifecycle.WaitsForQueue {
		o.queued++
	}
	if r.waiter != nil {
		r.waiter.add(result)
	}
	return o.results.Add(result)
}

// queuedError is exit 8 for what the limit has queued, which --strict asks for.
func (r *provisionRun) queuedError() error {
	queued := r.outcome.queued
	if r.waiter != nil {
		queued = r.waiter.queued()
	}
	if queued == 0 {
		return nil
	}
	return queuedFailure(cli.Msg("%d of %d [service is|services are] queued: the provider reached its limit of active services", queued, r.outcome.summary.Total))
}

// print prints the outcome: of one document given as an argument, at a terminal,
// as a sentence, else as a table.
func (r *provisionRun) print(ctx context.Context, p *render.Printer[api.BatchResult]) error {
	if r.only == nil || r.dryRun || r.outcome.summary.Total != 1 {
		return r.printAll(ctx, p)
	}
	done := support.Outcome{Step: support.Step{Action: support.Action(r.operation), Product: r.product}, Result: r.outcome.first}
	if r.waiter != nil {
		r.waiter.update(&done.Result)
	}
	return printOutcome(ctx, r.Env, r.client, p.Format(), r.only, done, func() error { return r.printAll(ctx, p) })
}

// printAll prints every result; a document has the summary, too, as the API's answer.
func (r *provisionRun) printAll(ctx context.Context, p *render.Printer[api.BatchResult]) error {
	p.AddTrailingFields(func() any {
		return struct {
			Operation api.Operation    `json:"operation"`
			ProductID api.Int          `json:"content_supplier_product_id"`
			Summary   api.BatchSummary `json:"summary"`
		}{r.operation, r.product.ID, r.outcome.summary}
	})
	return p.List(ctx, func(yield func(api.BatchResult, error) bool) {
		for result, err := range r.outcome.results.TakeAll() {
			if r.waiter != nil {
				r.waiter.update(&result)
			}
			if !yield(result, err) {
				return
			}
		}
	})
}

// printOutcome says in a sentence what became of one subscriber's service, to a
// person at a terminal who asked for no other format; else it prints the table. A
// failure is told by the error.
func printOutcome(ctx context.Context, e *cli.Env, c *client.Client, format string, a *subscriberArg, done support.Outcome, table func() error) error {
	switch {
	case format != render.FormatTable || e.Global.Output.IsSet():
		return table()
	case done.Result.Result == api.ResultFailed:
		return nil
	}
	if _, err := a.who(ctx, c); err != nil {
		return err
	}
	done.Name, done.Document = a.name, a.document
	if err := render.WriteMessage(e.Out, done.Message().Text(e.Lang)); err != nil {
		return err
	}
	e.Next(a.document, "ativa subscribers explain "+a.document)
	return nil
}
