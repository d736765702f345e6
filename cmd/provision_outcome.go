package cmd

import (
	"errors"
	"time"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/csvfile"
)

// end tells how it went.
func (r *provisionRun) end(journal *bulk.Journal, sent error) error {
	if r.report != nil {
		if err := r.report.end(journal); err != nil {
			return errors.Join(sent, err)
		}
		r.Notice("report: %s", r.report.file.Name())
	}
	if _, ok := errors.AsType[*bulk.TooManyFailuresError](sent); ok && r.outcome.Summary.Total == r.total {
		sent = nil // nothing is left to send
	} else if ok {
		return &cli.Failure{Exit: cli.ExitPartial, Code: "too_many_failures", Message: cli.Msg("stopped: %d of %d documents have failed", r.outcome.Summary.Failed, r.total), Hint: cli.Msg("see the report; what was not sent is sent when the same command is run again")}
	}
	switch {
	case sent != nil && journal != nil:
		return &cli.Failure{Exit: exitOf(sent), Code: "incomplete", Message: cli.Msg("%d of %d [document is|documents are] done", r.outcome.Summary.Total, r.total),
			Hint: cli.HintOfStop(sent, cli.Msg("run the same command again, or: ativa imports resume %s", journal.ID())), Err: sent}
	case sent != nil:
		return sent
	}
	return journal.End(bulk.Summary{At: time.Now().UTC().Truncate(time.Second), Rows: r.total, Failed: r.outcome.Summary.Failed})
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
	if o.Kind != "" { // else there was no answer
		r.add(o.BatchResult(len(r.outcome.Results)))
	}
	return nil
}

// add takes the result of one document.
func (r *provisionRun) add(result api.BatchResult) {
	s := &r.outcome.Summary
	r.outcome.Results = append(r.outcome.Results, result)
	s.Total++
	switch result.Result {
	case api.ResultFailed:
		s.Failed++
	case api.ResultUnchanged, api.ResultSkipped:
		s.Unchanged++
	default:
		s.Accepted++
	}
}
