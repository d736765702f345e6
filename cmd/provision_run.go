package cmd

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// provisionRun is one operation on many documents, in progress.
type provisionRun struct {
	rowRun
	provisionOptions
	operation api.Operation
	product   api.Product
	to        api.Product // after a change
	source    documentSource
	only      *subscriberArg // set if there is exactly one argument
	outcome   batchOutcome
}

// documentSource has the documents of a run, which are arguments, in a file or selected by flags.
type documentSource interface {
	// find looks up on the server whom the arguments or flags mean.
	find(context.Context) error
	// rows yields the documents; one with a problem is reported and not sent.
	rows(context.Context) iter.Seq2[*sheet.Row, error]
	// confirm asks before the run if its operation, its size or the context demands it. It
	// reports whether there is anything to do.
	confirm(context.Context) (bool, error)
	// openJournal opens the journal, unless find has, and returns the path of the report. Arguments
	// have neither.
	openJournal() (report string, err error)
	close() error
}

// open checks all documents and flags, before anything is asked or sent.
func (r *provisionRun) open(ctx context.Context, given []string) error {
	limit, err := r.pick.limit()
	switch {
	case err != nil:
		return err
	case r.pick.isSet():
		r.source, err = newRunSelection(r, limit, given)
	case r.path == "":
		r.source, err = parseArguments(r, given)
	case len(given) > 0:
		return cli.Usage("give documents or --file, not both")
	default:
		r.source, err = openDocuments(ctx, r)
	}
	return err
}

func (r *provisionRun) close() error {
	return errors.Join(r.source.close(), r.journal.Leave(), r.outcome.results.Close())
}

// target returns the product of the changed services.
func (r *provisionRun) target() api.Int { return cmp.Or(r.to.ID, r.product.ID) }

// command returns the command of the run: the words after the program's name.
func (r *provisionRun) command() string {
	if r.operation == lifecycle.Resend {
		return "subscribers resend"
	}
	return "provision " + string(r.operation)
}

// job returns the processor of batches, and whether the server honours idempotency keys.
func (r *provisionRun) job(ctx context.Context) (run.Job, bool, error) {
	keys, err := r.client.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return nil, false, err
	}
	switch r.operation {
	case lifecycle.Resend:
		return &run.Resend{Client: r.client, Product: r.product.ID, All: r.all}, keys, nil
	case api.Change:
		return run.NewChange(r.client, r.only.document, r.product.ID, r.to.ID), keys, nil
	}
	validates, err := r.client.HasExtension(ctx, api.ExtValidate)
	if err == nil && r.dryRun && !validates {
		r.Notice("this server has no dry runs: the next status is what the API document says; the server may refuse, or queue an activation")
	}
	return &run.Provision{Client: r.client, Operation: r.operation, Product: r.product.ID, DryRun: r.dryRun, Validates: validates, At: r.at, Until: r.until}, keys, err
}

// run executes the operation. After an error the outcome holds the results so far.
func (r *provisionRun) run(ctx context.Context) (err error) {
	limitMemory(r.Env)
	report := ""
	if !r.dryRun {
		report, err = r.source.openJournal()
	}
	if err == nil {
		r.at, err = r.journal.Due(r.at)
	}
	if err == nil {
		r.until, err = r.journal.Due(r.until)
	}
	if err != nil {
		return err
	}
	job, keys, err := r.job(ctx)
	if err != nil {
		return err
	}
	if r.wait && !r.dryRun {
		if r.waiter, err = newWaiter(ctx, r.Env, r.client, r.journal); err != nil {
			return err
		}
	}
	sent := r.execute(ctx, cli.Msg(string(r.operation)), report, r.send, func(o run.Options) error {
		o.Idempotency = keys
		return run.Run(ctx, job, r.source.rows(context.WithoutCancel(ctx)), r.journal, o, r.addOutcome)
	})
	if r.report != nil {
		r.Notice("report: %s", report)
	}
	if sent != nil {
		return r.incomplete(sent, cli.Msg("%d of %d [document is|documents are] done", r.answered()-r.failed(), r.total), r.againHint())
	}
	return nil
}

// againHint is [rowRun.resumeHint], unless the time of --at or --until has passed: the run cannot be continued.
func (r *provisionRun) againHint() cli.Message {
	due := r.at
	if due.IsZero() {
		due = r.until
	}
	if due.IsZero() || due.After(r.Now()) || !r.journal.Stays() {
		return r.resumeHint()
	}
	return cli.Msg("the time for which it was begun has passed: `ativa imports purge %s`, then run the command again", r.journal.ID)
}
