package cmd

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
)

// importRun is one import on its way.
type importRun struct {
	*cli.Env
	importOptions
	file       *csvfile.File
	client     *client.Client
	summary    importSummary
	checked    bool
	unsaid     error // see unsaidProblem
	report     *reportFile
	progress   *render.Progress
	started    map[api.Int]*waiter // by product, what --wait follows
	feedCursor string              // where --wait begins in the event feed
}

func (i *importRun) run(ctx context.Context) error {
	limitMemory(i.Env)
	checked, err := i.check(ctx)
	if err != nil {
		return err
	}
	invalid := checked.Invalid
	switch {
	case invalid > 0 && (!i.skipInvalid || checked.Valid == 0):
		if i.summary.Report, err = writeCheckReport(ctx, i.Env, i.file, i.reportPath(".report.csv")); err != nil {
			return err
		}
		if err := i.writeRejected(ctx); err != nil {
			return err
		}
		i.summary.Next = i.reimportCommand()
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%d of %d [row is|rows are] invalid; nothing was sent", invalid, checked.Rows), Err: i.unsaid,
			Hint: cli.Msg("fix them in %s, or send the rest with --skip-invalid; %s tells of every row", i.summary.Rejected, i.summary.Report)}
	case i.dryRun && !i.canValidate(ctx):
		i.Notice("the file is good. This server has no dry run, so it was not checked which subscribers exist already, and whether each product may be activated")
		i.suggest()
		return nil
	}
	if err := i.confirm(ctx, checked); err != nil {
		return err
	}
	sent := i.send(ctx, checked.Valid)
	if i.report == nil { // nothing was begun
		return sent
	}
	unwritten := i.writeRejected(context.WithoutCancel(ctx))
	i.noticeSummary()
	if unwritten != nil {
		return unwritten
	}
	i.summary.Next = i.nextCommand(sent)
	if sent == nil && i.wait && !i.dryRun {
		if err := i.waitForServices(ctx); err != nil { // the import itself is complete
			return err
		}
	}
	if err = i.exitError(sent); err == nil {
		i.suggest()
	}
	return err
}

// suggest names the command that leads on from an import of which nothing was refused.
func (i *importRun) suggest() {
	switch {
	case !i.dryRun:
		i.Next("", "ativa imports show "+i.summary.Import)
	case i.importOptions.file != "-":
		i.Next("", i.Typed(dryRunFlags()))
	}
}

// dryRunFlags are the words of a command line that ask for a dry run.
func dryRunFlags() []string { return []string{"-n", "--dry-run", "--dry-run=true"} }

// confirm asks before many rows are sent from a terminal, and makes sure that a protected
// context is meant, where it lists what will happen to the first rows of the file.
func (i *importRun) confirm(ctx context.Context, checked *csvfile.Summary) error {
	const shown = 20
	protected, err := i.AsksForContext()
	counts := cli.RowCounts(checked.Valid, checked.Products, checked.Products)
	switch {
	case err != nil || i.dryRun:
		return err
	case !protected:
		return i.ConfirmRows(checked.Valid, cli.Msg("Import %s?", filepath.Base(i.importOptions.file)), counts)
	}
	what := make([]cli.Message, 0, shown+1)
	for row, err := range sentRows(ctx, i.file, nil, i.Lang) {
		if err != nil || len(what) == shown { // sending meets the error again
			break
		}
		what = append(what, cli.Msg("register %s (%s)", row.Name, cli.MaskDocument(row.Document)))
	}
	if more := checked.Valid - len(what); more > 0 {
		what = append(what, cli.Msg("and %d more", more))
	}
	return i.ConfirmProtected(append(what, counts))
}

// waitForServices waits for the services of the import, product by product, within one
// time limit.
func (i *importRun) waitForServices(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, waitTimeout(i.Env))
	defer cancel()
	for _, product := range slices.Sorted(maps.Keys(i.started)) {
		if err := i.started[product].wait(ctx, i.client, i.feedCursor); err != nil {
			return err
		}
	}
	return nil
}

// trackService notes a service for --wait.
func (i *importRun) trackService(document string, s bulk.Service) {
	if !i.wait {
		return
	}
	w := i.started[s.ProductID]
	if w == nil {
		w = newWaiter(i.Env, s.ProductID)
		i.started[s.ProductID] = w
	}
	r := api.BatchResult{Document: document, Result: api.ResultAccepted}
	if s.Status != "" {
		r.Status, r.StatusID = &s.Status, &s.StatusID
	}
	w.add(r)
}

// limitMemory keeps the heap of a run of many rows to what is, with the program
// itself, at most 64 MB. Up to there nothing is collected.
func limitMemory(e *cli.Env) {
	const heap = 32 << 20 // bytes
	if e.LimitMemory != nil {
		e.LimitMemory(heap)
	}
}

// job is what is done with a batch, and whether the server honours keys. One
// that does not is asked first which subscribers there are.
func (i *importRun) job(ctx context.Context) (*bulk.Import, error) {
	keys, err := i.client.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return nil, err
	}
	job := &bulk.Import{Client: i.client, Idempotency: keys, DryRun: i.dryRun, ActivateExisting: i.activate, UpdateExisting: i.update}
	if keys || i.dryRun {
		return job, nil
	}
	i.Notice("this server keeps no idempotency keys: reading which subscribers it has")
	job.ExistingBefore, err = bulk.ReadDocuments(ctx, i.client)
	return job, err
}

// openJournal opens the journal; a dry run has none, which is nil.
func (i *importRun) openJournal() (*bulk.Journal, error) {
	if i.dryRun {
		return nil, nil
	}
	j, err := openFileJournal(i.Env, "import", i.importOptions.file, i.file, []any{i.meaning(), i.activate, i.update}, i.args)
	if err == nil {
		i.summary.Import = j.ID()
	}
	return j, err
}

// send sends the valid rows and writes the report as their outcomes come.
func (i *importRun) send(ctx context.Context, valid int) (err error) {
	if err := cli.CheckReplaceable(i.reportPath(".rejected.csv")); err != nil {
		return err
	}
	job, err := i.job(ctx)
	if err != nil {
		return err
	}
	journal, err := i.openJournal()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if i.wait && !i.dryRun {
		if i.feedCursor, err = journal.Cursor(func() string { return feedEnd(ctx, i.client) }); err != nil {
			return err
		}
	}
	if i.progress, err = i.NewProgress("importing", "rows", valid, false); err != nil {
		return err
	}
	defer i.progress.Close()
	if i.report, err = createReport(i.Env, i.reportPath(".report.csv"), journal); err != nil {
		return err
	}
	i.summary.Report = i.report.file.Name()
	o := i.importOptions.send
	o.Idempotency, o.Stopping = job.Idempotency, i.StopNotice(i.progress)
	if i.ordered {
		o.InFlight = 1
	}
	sent := bulk.Run(ctx, job, sentRows(context.WithoutCancel(ctx), i.file, i.report, i.Lang), journal, o, i.addOutcome)
	i.summary.NotSent = valid - i.summary.answered() - i.summary.Unknown
	if err := i.report.end(journal); err != nil {
		return errors.Join(sent, err)
	}
	if sent == nil {
		sent = journal.End(bulk.Summary{Rows: valid, Failed: i.summary.Failed})
	}
	return sent
}

// addOutcome counts one outcome and writes its line of the report.
func (i *importRun) addOutcome(o bulk.RowResult) error {
	line := o.Row.Report(lang.Codes)
	if o.IsNotSent() { // what remains of the rows is counted as such
		line.Result, line.Detail = csvfile.ResultNotSent, i.Text(notSent)
		return i.report.write(line)
	}
	i.progress.Add(1)
	if o.Replayed {
		i.summary.Resumed++
	}
	switch line.Result = o.Kind; {
	case o.Err != nil:
		i.summary.Unknown++
		line.Result, line.Detail = csvfile.ResultUnknown, i.Text(noAnswer)
	case o.Kind == api.ResultCreated:
		i.summary.Created++
	case o.Kind == api.ResultExisting:
		i.summary.Existing++
		i.summary.Activated += len(o.Services)
		line.Detail = strings.Join(o.Differs, " ")
		if o.Updated {
			i.summary.Updated++
			line.Detail = i.Text("updated: %s", line.Detail)
		}
	case o.Kind == api.ResultDuplicate:
		i.summary.Duplicate++
	case o.Kind == api.ResultFailed:
		i.summary.Failed++
		line.Code, line.Field, line.Detail = o.Code, o.Field, cmp.Or(lang.Refusal{Code: o.Code, Detail: o.Detail}.Text(i.Lang), o.Code)
	default:
		i.summary.Sent++
		for _, p := range o.Row.ProductsIDs { // --wait finds out what the server does not tell
			i.trackService(o.Row.Document, bulk.Service{ProductID: p})
		}
	}
	reportServices(&line, o.Services)
	for _, s := range o.Services {
		i.trackService(o.Row.Document, s)
		if lifecycle.WaitsFor(s.StatusID) == lifecycle.WaitsForQueue {
			i.summary.Queued++
		}
	}
	return i.report.write(line)
}

// reportServices fills in what a report says of the services of a row.
func reportServices(line *csvfile.ReportLine, all []bulk.Service) {
	line.Services = servicesText(all)
	if len(all) == 1 {
		s := all[0]
		line.ProductID, line.PreviousStatus, line.Status, line.OperationID = number(s.ProductID), s.Previous, s.Status, s.OperationID
	}
}

// servicesText lists services as a report does: product and status, and the
// status before where there is one.
func servicesText(all []bulk.Service) string {
	var texts []string
	for _, s := range all {
		text := number(s.ProductID)
		if s.Previous != "" {
			text += " " + s.Previous + " →"
		}
		if s.Status != "" {
			text += " " + s.Status
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
