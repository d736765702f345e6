package cmd

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/support"
)

// provisionRun is one operation on many documents, in progress.
type provisionRun struct {
	rowRun
	provisionOptions
	operation  api.Operation
	product    api.Product
	to         api.Product    // after a change
	file       *sheet.File    // nil when the documents were given as arguments
	only       *subscriberArg // set if there is exactly one argument
	given      []string       // documents given as arguments
	selected   *runSelection  // nil unless flags select the documents
	maxChanges cli.Limit      // limit of a selection
	outcome    batchOutcome
}

// open checks all documents, before anything is asked or sent.
func (r *provisionRun) open(ctx context.Context, given []string) error {
	if err := r.checkSelection(given); err != nil || r.pick.isSet() {
		return err
	}
	switch {
	case r.path == "" && len(given) == 0:
		return cli.Usage("no document is given").WithHint("give documents, --file FILE, or select with --status or --older-than")
	case r.path == "" && len(given) == 1:
		var err error
		r.only, err = parseSubscriberArg(r.Env, given[0])
		r.total = 1
		return err
	case r.path == "":
		var err error
		r.given, err = cli.ParseAll(given, cli.ParseDocument)
		r.total = len(r.given)
		f, wrong := errors.AsType[*cli.Failure](err)
		switch {
		case wrong && !slices.ContainsFunc(given, isComplete):
			return f.WithHint("put a text with spaces in quotes")
		case wrong:
			return f.WithHint("give several subscribers by CPF; a name or a telephone must be the only argument")
		}
		return err
	case len(given) > 0:
		return cli.Usage("give documents or --file, not both")
	}
	if err := r.mapColumns(r.Env); err != nil {
		return err
	}
	r.csv.Profile = sheet.Documents
	if r.operation == api.Activate {
		r.csv.Profile = sheet.ActiveDocuments
	}
	f, err := r.OpenSpreadsheet(ctx, r.path, r.csv)
	if err != nil {
		return err
	}
	r.file = f
	if r.total, err = r.check(ctx); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// isComplete reports whether an argument is a CPF or a telephone number. If none of several
// arguments is, the shell has split one term.
func isComplete(word string) bool {
	_, err := cli.ParseDocument(word)
	return err == nil || support.IsPhone(word)
}

// check checks the whole file and counts its documents. For an invalid one it writes a report of
// every line and returns an error.
func (r *provisionRun) check(ctx context.Context) (int, error) {
	s, err := r.file.Check(ctx, sheet.Catalog{})
	for _, n := range r.file.Notices { // complete only after the check
		r.Notice("%s", &n)
	}
	if err == nil {
		err = r.store(r.Env)
	}
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
		Err: &s.First[0], Hint: cli.Msg("fix the file; %s lists every line", report)}
}

func (r *provisionRun) reportPath() string {
	return cli.ReportPath(r.path, r.reportDir, ".report.csv")
}

func (r *provisionRun) close() error {
	if r.file != nil {
		r.file.Close()
	}
	return errors.Join(r.closeSelection(), r.outcome.results.Close())
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

// rows yields the documents of the run, from a file, the arguments or a selection.
func (r *provisionRun) rows(ctx context.Context) iter.Seq2[*sheet.Row, error] {
	if r.file != nil {
		return r.file.Rows(ctx)
	}
	return func(yield func(*sheet.Row, error) bool) {
		line := 0
		for d, err := range r.documents() {
			line++
			row := &sheet.Row{Line: line}
			row.Document = d
			if r.selected != nil && r.selected.open[d] {
				row.Problems = []sheet.Problem{{Refusal: r.Text("not selected any more: the service has changed since the run began")}}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// documents yields the documents given as arguments, or the selected ones.
func (r *provisionRun) documents() iter.Seq2[string, error] {
	switch {
	case r.selected == nil:
		return func(yield func(string, error) bool) {
			for _, d := range r.given {
				if !yield(d, nil) {
					return
				}
			}
		}
	case r.selected.journal == nil:
		return r.selected.queued.All()
	}
	return r.selected.journal.Documents()
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
	if r.selected.isEmpty() {
		return nil
	}
	limitMemory(r.Env)
	report, err := r.openJournal()
	if r.file != nil { // closeSelection closes a selection's
		defer func() { err = errors.Join(err, r.journal.Leave()) }()
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
		return run.Run(ctx, job, r.rows(context.WithoutCancel(ctx)), r.journal, o, r.addOutcome)
	})
	if r.report != nil {
		r.Notice("report: %s", report)
	}
	if sent != nil {
		return r.incomplete(sent, cli.Msg("%d of %d [document is|documents are] done", r.answered()-r.failed(), r.total), r.resumeHint())
	}
	return nil
}

// openJournal opens the journal of a file or a selection and returns the path of its report.
// Otherwise, and in a dry run, there is none.
func (r *provisionRun) openJournal() (report string, err error) {
	switch {
	case r.dryRun || r.file == nil && r.selected == nil:
		return "", nil
	case r.file != nil:
		r.journal, err = openFileJournal(r.Env, r.command(), r.path, r.file, []any{r.product.ID, r.meaning(), r.atText, r.untilText}, r.args)
		return r.reportPath(), err
	}
	r.journal = r.selected.journal
	return r.selectionReport()
}
