package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/render"
	"ativa/internal/support"
)

// provisionRun is one operation on many documents, on its way.
type provisionRun struct {
	*cli.Env
	provisionOptions
	operation  api.Operation
	client     *client.Client
	product    api.Product
	file       *csvfile.File  // nil when the documents were given as arguments
	only       *subscriberArg // the only one that was given as an argument
	given      []string       // those that were given as arguments
	total      int
	limit      cli.Limit
	outcome    api.BatchOutcome
	progress   *render.Progress
	report     *reportFile
	feedCursor string // where --wait begins in the event feed
}

// open checks all documents, before anything is asked or sent.
func (r *provisionRun) open(ctx context.Context, given []string) error {
	switch {
	case r.provisionOptions.file == "" && len(given) == 0:
		return cli.Usage("no document is given").WithHint("give documents, or --file FILE")
	case r.provisionOptions.file == "" && len(given) == 1:
		var err error
		r.only, err = parseSubscriberArg(r.Env, given[0])
		r.total = 1
		return err
	case r.provisionOptions.file == "":
		var err error
		r.given, err = cli.ParseDocuments(given)
		r.total = len(r.given)
		return err
	case len(given) > 0:
		return cli.Usage("give documents or --file, not both")
	}
	if err := r.mapColumns(r.Env); err != nil {
		return err
	}
	r.csv.Profile = csvfile.Documents
	if r.operation == api.Activate {
		r.csv.Profile = csvfile.ActiveDocuments
	}
	f, err := r.Env.OpenSpreadsheet(r.provisionOptions.file, r.csv)
	if err != nil {
		return err
	}
	r.file = f
	if r.total, err = r.check(ctx); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// check checks the whole file and counts its documents. With a wrong one there
// is a report of every line, and nothing is sent.
func (r *provisionRun) check(ctx context.Context) (int, error) {
	for _, n := range r.file.Notices {
		r.Notice("%s", &n)
	}
	s, err := r.file.Check(ctx, csvfile.Catalog{})
	if err != nil {
		return 0, err
	}
	if s.Invalid == 0 && len(s.Repairs) == 0 && s.Merged == 0 {
		return s.Valid, nil
	}
	noticeCheck(r.Env, s)
	if s.Invalid == 0 {
		return s.Valid, nil
	}
	report, err := writeCheckReport(ctx, r.Env, r.file, r.reportPath())
	if err != nil {
		return 0, err
	}
	return 0, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%d of %d [line is|lines are] invalid; nothing was sent", s.Invalid, s.Rows),
		Err: &s.First[0], Hint: cli.Msg("mend the file; %s tells of every line", report)}
}

func (r *provisionRun) reportPath() string {
	return reportPath(r.provisionOptions.file, r.reportDir, ".report.csv")
}

func (r *provisionRun) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// rows are the documents, however they were given.
func (r *provisionRun) rows(ctx context.Context) iter.Seq2[*csvfile.Row, error] {
	return func(yield func(*csvfile.Row, error) bool) {
		if r.file != nil {
			for row, err := range r.file.Rows(ctx) {
				if err == nil && !row.OK() { // given twice
					if r.report != nil {
						r.report.hold(row.Report(r.ProblemText))
					}
					continue
				}
				if !yield(row, err) {
					return
				}
			}
			return
		}
		for i, d := range r.given {
			row := &csvfile.Row{Line: i + 1}
			row.Document = d
			if !yield(row, nil) {
				return
			}
		}
	}
}

// job is what is done with a batch, and whether the server honours keys.
func (r *provisionRun) job(ctx context.Context) (*bulk.Provision, bool, error) {
	keys, err := r.client.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return nil, false, err
	}
	validates, err := r.client.HasExtension(ctx, api.ExtValidate)
	if err == nil && r.dryRun && !validates {
		r.Notice("this server has no dry runs: the next status is what the API document says; the server may refuse, or queue an activation")
	}
	return &bulk.Provision{Client: r.client, Operation: r.operation, Product: r.product.ID, DryRun: r.dryRun, Validates: validates}, keys, err
}

// run does the operation. What was done before an error is in the outcome.
func (r *provisionRun) run(ctx context.Context) error {
	r.outcome.ProductID = r.product.ID
	if r.only != nil && !r.dryRun {
		return r.perform(ctx)
	}
	return r.sendAll(ctx)
}

// perform does the operation for the only document, as the desk does.
func (r *provisionRun) perform(ctx context.Context) (err error) {
	if r.wait {
		r.feedCursor = feedEnd(ctx, r.client)
	}
	if r.progress, err = r.NewProgress(string(r.operation), "documents", r.total, true); err != nil {
		return err
	}
	defer r.progress.Close()
	defer r.NoticeStop(ctx, r.progress)()
	done, err := support.Perform(ctx, r.client, support.Step{Action: support.Action(r.operation), Document: r.only.document, Product: r.product})
	if err == nil {
		r.add(done.Result)
	}
	return err
}

// sendAll sends the documents in batches.
func (r *provisionRun) sendAll(ctx context.Context) (err error) {
	job, keys, err := r.job(ctx)
	if err != nil {
		return err
	}
	var journal *bulk.Journal
	if r.file != nil && !r.dryRun {
		options, err := json.Marshal([]any{r.product.ID, r.csv})
		if err != nil {
			return err
		}
		journal, err = openJournal(r.Env, "provision "+string(r.operation), r.provisionOptions.file, r.file, string(options), r.args)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, journal.Close()) }()
		if r.report, err = createReport(r.Env, r.reportPath()); err != nil {
			return err
		}
		if err := r.report.begin(journal); err != nil {
			return err
		}
	}
	if r.wait && !r.dryRun {
		if r.feedCursor, err = journal.Cursor(func() string { return feedEnd(ctx, r.client) }); err != nil {
			return err
		}
	}
	if r.progress, err = r.NewProgress(string(r.operation), "documents", r.total, r.file == nil); err != nil {
		return err
	}
	o := r.send
	o.Idempotency, o.Stopping = keys, r.StopNotice(r.progress)
	if r.limit.Given {
		o.TooMany = func(failed int) bool { return r.limit.Exceeded(failed, r.total) }
	}
	sent := bulk.Run(ctx, job, r.rows(ctx), journal, o, r.addOutcome)
	r.progress.Close()
	return r.end(journal, sent)
}

// end tells how it went.
func (r *provisionRun) end(journal *bulk.Journal, sent error) error {
	if r.report != nil {
		if err := r.report.end(journal); err != nil {
			return errors.Join(sent, err)
		}
		r.Notice("report: %s", r.report.file.Name())
	}
	if _, ok := errors.AsType[*bulk.TooManyFailuresError](sent); ok {
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

// addOutcome takes the outcome of one document.
func (r *provisionRun) addOutcome(o bulk.RowResult) error {
	if lacksScope(o.Err, r.operation.Path()) {
		return nil // as if it had not been sent
	}
	r.progress.Add(1)
	if r.report != nil {
		line := o.Row.Report(nil)
		line.Result, line.Code, line.Detail = o.Kind, o.Code, cli.CodeText(r.Lang, o.Code, o.Detail)
		reportServices(&line, o.Services)
		if o.Err != nil {
			line.Result, line.Detail = "unknown", r.Text(runAgain)
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
	case api.ResultUnchanged:
		s.Unchanged++
	default:
		s.Accepted++
	}
}
