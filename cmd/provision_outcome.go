package cmd

import (
	"cmp"
	"context"
	"errors"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/support"
	"ativa/internal/tempfile"
)

// addOutcome reports and counts the outcome of one document.
func (r *provisionRun) addOutcome(o run.RowResult) error {
	line := o.Row.Report(r.Lang)
	line.Document = cmp.Or(line.Document, o.Row.Document)
	if !o.Row.OK() {
		if r.pick.isSet() { // no longer selected
			line.Result = sheet.ResultNotSent
			r.outcome.total++
		}
		return r.report.write(line)
	}
	r.outcome.total++
	err := r.record(line, o)
	if o.Kind == "" { // not sent or no response
		return err
	}
	if r.operation == api.Change {
		r.outcome.refusal = o.Cause
	}
	if o.IsUnscheduled() {
		if r.outcome.unscheduled++; r.outcome.unscheduled == 1 {
			r.outcome.notScheduled = o.Result
		}
	}
	if r.waiter != nil && len(o.Services) == 0 && o.Kind != api.ResultFailed { // the server omits the status
		r.waiter.add(line.Document, run.Service{ProductID: r.target()})
	}
	result := o.BatchResult(r.outcome.total - 1)
	if o.Kind == api.ResultFailed {
		if r.failed() == 1 {
			r.outcome.failed, r.outcome.cause = result, o.Cause
		}
		r.outcome.mixed = r.outcome.mixed || result.Code != r.outcome.failed.Code
	}
	r.outcome.last = result
	return errors.Join(err, r.outcome.results.Add(result))
}

// batchOutcome collects the results of a run. Memory does not grow with their number.
type batchOutcome struct {
	total   int // documents
	results tempfile.List[api.BatchResult]
	last    api.BatchResult
	failed  api.BatchResult // the first failed result
	cause   error           // of failed, if its request was refused
	mixed   bool            // failures differ in code
	refusal error           // of a change; says everything

	unscheduled  int        // done, but without a scheduled end
	notScheduled run.Result // the first of these
}

// summary returns the numbers of results.
func (r *provisionRun) summary() api.BatchSummary {
	failed, unchanged := r.failed(), r.results[api.ResultUnchanged]+r.results[api.ResultSkipped]
	return api.BatchSummary{Total: r.outcome.total, Accepted: r.answered() - failed - unchanged, Unchanged: unchanged, Failed: failed}
}

// print prints the outcome as a table or, for one document argument at a terminal in the
// default format, as a sentence. Then the error reports a failure.
func (r *provisionRun) print(ctx context.Context, p *render.Printer[api.BatchResult], response string) error {
	p.Respond(response)
	if r.only == nil || r.dryRun || r.answered() != 1 {
		return r.printAll(ctx, p)
	}
	result := r.outcome.last
	if r.waiter != nil {
		r.waiter.update(&result, r.target())
	}
	sentence := p.Format() == render.FormatTable && !r.Global.Output.IsSet()
	switch {
	case r.outcome.refusal != nil, sentence && result.Result == api.ResultFailed:
		return nil //nolint:nilerr // it says why
	case sentence:
		return r.printSentence(ctx, result)
	case r.operation == api.Change:
		doc := map[string]any{"response": api.ResponseSuccess, "result": r.changeResult(result)}
		return p.Results(context.WithoutCancel(ctx), cli.ToJSON(doc), []api.BatchResult{result})
	}
	return r.printAll(ctx, p)
}

// printSentence prints the outcome of the only document.
func (r *provisionRun) printSentence(ctx context.Context, result api.BatchResult) error {
	if ctx.Err() == nil {
		_, _ = r.only.who(ctx, r.client) // without the name, the sentence has the masked document
	}
	done := support.Outcome{Step: support.Step{Operation: r.operation, Name: r.only.name, Document: r.only.document, Product: r.product, To: r.to, At: r.at}, Result: result}
	if err := render.WriteMessage(r.Out, done.Message().Text(r.Lang)); err != nil {
		return err
	}
	r.Next(r.only.document, "ativa subscribers explain "+r.only.document)
	return nil
}

// printAll prints every result; a JSON document also has the summary, like the API's response.
func (r *provisionRun) printAll(ctx context.Context, p *render.Printer[api.BatchResult]) error {
	p.AddTrailingFields(func() any {
		return struct {
			Operation api.Operation    `json:"operation"`
			ProductID api.Int          `json:"content_supplier_product_id"`
			Summary   api.BatchSummary `json:"summary"`
		}{r.operation, r.product.ID, r.summary()}
	})
	return p.Stored(context.WithoutCancel(ctx), func(yield func(api.BatchResult, error) bool) {
		for result, err := range r.outcome.results.All() {
			if r.waiter != nil {
				r.waiter.update(&result, r.target())
			}
			if !yield(result, err) {
				return
			}
		}
	})
}

// unscheduledError returns exit 7 for operations without their scheduled end, nil for none.
func (r *provisionRun) unscheduledError() error {
	o := &r.outcome
	if o.unscheduled == 0 {
		return nil
	}
	why := lang.Refusal{Code: o.notScheduled.Code, Detail: cmp.Or(o.notScheduled.Detail, o.notScheduled.Code)}
	return &cli.Failure{Exit: cli.ExitPartial, Code: "partial", Message: cli.Msg("%d of %d done, but the end is not scheduled: %s", o.unscheduled, r.answered(), why),
		Hint: cli.Msg("schedule it with: ativa provision %s --at WHEN --product %s DOC", lifecycle.EndOf(r.operation), number(r.product.ID))}
}

// noticeUntil prints the end of an operation's effect, and for how many rows none is scheduled
// because the operation changed nothing.
func (r *provisionRun) noticeUntil() {
	if r.until.IsZero() {
		return
	}
	n := r.summary()
	if n.Unchanged > 0 {
		r.Notice("%d unchanged: no end is scheduled for them; to schedule it: ativa provision %s --at WHEN", n.Unchanged, lifecycle.EndOf(r.operation))
	}
	if n.Accepted == 0 || r.outcome.unscheduled > 0 {
		return
	}
	at, end := r.until.Format("2006-01-02 15:04"), r.Lang.Word(string(lifecycle.EndOf(r.operation)))
	if r.dryRun {
		r.Notice("would then be scheduled for %s: %s; a dry run does not check that", at, end)
		return
	}
	r.Notice("scheduled for %s: %s", at, end)
}

// outcomeError returns the error for failed elements: exit 5 if all failed (3 for a
// single missing subscriber or service), 7 if some did.
func (r *provisionRun) outcomeError() error {
	o, dryRun := &r.outcome, r.dryRun
	failed, answered := r.failed(), r.answered()
	if o.refusal != nil {
		return r.AboutSubscriber(o.refusal, r.only.document)
	}
	all, some := cli.Msg("%d of %d failed", failed, answered), someFailed(failed, answered)
	if dryRun {
		all = wouldFail(failed, answered)
		some = all
	}
	first := o.failed
	why := lang.Refusal{Code: first.Code, Detail: cmp.Or(first.Detail, first.Code)}
	if !o.mixed {
		all, some = cli.Msg("%s: %s", all, why), cli.Msg("%s: %s", some, why)
	}
	switch {
	case failed == 0:
		return r.unscheduledError()
	case failed < answered:
		return &cli.Failure{Exit: cli.ExitPartial, Code: "partial", Message: some, Hint: cli.Msg("the results above say why each failed")}
	case o.mixed:
		return &cli.Failure{Exit: cli.ExitRefused, Code: api.CodeBatchFailed, Message: all, Hint: cli.Msg("the results above say why each failed")}
	case answered > 1:
		return &cli.Failure{Exit: cli.ExitRefused, Code: first.Code, Message: all, Hint: client.RefusalHint(first.Code, "")}
	}
	exit := cli.ExitRefused
	if first.Code == api.CodeSubscriberNotFound || first.Code == api.CodeServiceNotFound {
		exit = cli.ExitNotFound
	}
	if !dryRun {
		all = cli.Msg("%s", why)
	}
	if refused, ok := errors.AsType[*client.Error](o.cause); ok && !dryRun {
		all = cli.Msg("%s", refused)
	}
	return &cli.Failure{Exit: exit, Code: first.Code, Message: all, Hint: client.RefusalHint(first.Code, r.InHint(first.Document))}
}
