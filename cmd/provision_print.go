package cmd

import (
	"context"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/support"
)

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
		answer := struct {
			Operation api.Operation    `json:"operation"`
			ProductID api.Int          `json:"content_supplier_product_id"`
			Summary   api.BatchSummary `json:"summary"`
			Response  string           `json:"response"`
		}{r.operation, r.product.ID, r.outcome.summary, api.ResponseSuccess}
		if r.outcome.summary.Failed > 0 {
			answer.Response = api.ResponsePartial
		}
		return answer
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
	if _, err := e.Out.Write([]byte(render.Sanitise(done.Message().Text(e.Lang)) + "\n")); err != nil {
		return err
	}
	e.Next("ativa subscribers explain " + a.document)
	return nil
}
