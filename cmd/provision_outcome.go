package cmd

import (
	"errors"
	"time"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/csvfile"
	"ativa/internal/tempfile"
)

// end tells how it went.
func (r *provisionRun) end(journal *bulk.Journal, sent error) error {
	if r.report != nil {
		if err := r.report.end(journal); err != nil {
			return errors.Join(sent, err)
		}
		r.Notice("report: %s", r.report.file.Name())
	}
	if _, ok := errors.AsType[*bulk.TooManyFailuresError](sent); ok && r.outcome.summary.Total == r.total {
		sent = nil // nothing is left to send
	} else if ok {
		return &cli.Failure{Exit: cli.ExitPartial, Code: "too_many_failures", Message: cli.Msg("stopped: %d of %d documents have failed", r.outcome.summary.Failed, r.total), Hint: cli.Msg("see the report; what was not sent is sent when the same command is run again")}
	}
	switch {
	case sent != nil && journal != nil:
		return &cli.Failure{Exit: exitOf(sent), Code: "incomplete", Message: cli.Msg("%d of %d [document is|documents are] done", r.outcome.summary.Total, r.total),
			Hint: cli.HintOfStop(sent, cli.Msg("run the same command again, or: ativa imports resume %s", journal.ID())), Err: sent}
	case sent != nil:
		return sent
	}
	return journal.End(bulk.Summary{At: time.Now().UTC().Truncate(time.Second), Rows: r.total, Failed: r.outcome.summary.Failed})
}

// path is that of the requests of the run.
func (r *provisionRun) path() string {
	switch {
	case r.operation != resendOperation:
		return r.operation.Path()
	case r.product.ID != 0:
		return api.PathResendProduct
	}
	return api.PathResend
}

// addOutcome takes the outcome of one document.
func (r *provisionRun) addOutcome(o bulk.RowResult) error {
	if lacksScope(o.Err, r.path()) {
		return nil // as if it had not been sent
	}
	r.progress.Add(1)
	if r.report != nil {
		line := o.Row.Report(nil)
		line.Document = o.Row.Document
		line.Result, line.Code, line.Detail = o.Kind, o.Code, cli.CodeText(r.Lang, o.Code, o.Detail)
		reportServices(&line, o.Services)
		if o.Err != nil {
			line.Result, line.Detail = csvfile.ResultUnknown, r.Text(runAgain)
		}
		if err := r.report.write(line); err != nil {
			return err
		}
	}
	if o.Kind == "" { // there was no answer
		return nil
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
	if result.StatusID != nil && *result.StatusID == api.StatusLimitReached {
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
