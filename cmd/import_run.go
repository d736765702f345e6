package cmd

import (
	"context"
	"errors"
	"path/filepath"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// importRun is an import in progress.
type importRun struct {
	rowRun
	importOptions
	file      *sheet.File
	summary   importSummary
	checked   bool
	unprinted error // see unprintedProblem
}

func (i *importRun) run(ctx context.Context) error {
	limitMemory(i.Env)
	checked, err := i.check(ctx)
	if err != nil {
		return err
	}
	switch {
	case checked.Invalid > 0 && (!i.skipInvalid || checked.Valid == 0):
		return i.refuseInvalid(ctx, checked)
	case i.dryRun && !i.canValidate(ctx):
		return i.endCheck(ctx)
	}
	if err := i.confirm(ctx, checked); err != nil {
		return err
	}
	i.total = checked.Valid
	sent := i.sendRows(ctx)
	if i.report == nil { // not started
		return sent
	}
	unwritten := i.writeRejected(context.WithoutCancel(ctx))
	i.noticeSummary()
	if unwritten != nil && sent == nil { // otherwise the file may have changed
		return i.incomplete(unwritten, cli.Msg("all rows have an answer, but the import did not end well"), cli.Msg("see %s", i.summary.Report))
	}
	i.summary.Next = i.nextCommand(sent)
	var waited error
	if sent == nil {
		waited = i.waiter.wait(ctx)
	}
	if err = i.afterWait(i.exitError(sent), waited); err == nil {
		i.suggest()
	}
	return err
}

func (i *importRun) canValidate(ctx context.Context) bool {
	can, err := i.client.HasExtension(ctx, api.ExtValidate)
	return err == nil && can
}

// refuseInvalid ends an import whose invalid rows stop it.
func (i *importRun) refuseInvalid(ctx context.Context, checked *sheet.Summary) error {
	if err := i.writeInvalid(ctx); err != nil {
		return err
	}
	hint := cli.Msg("fix them in %s, or send the rest with --skip-invalid; %s lists every row", i.summary.Rejected, i.summary.Report)
	if checked.Valid == 0 {
		hint = cli.Msg("fix them in %s; %s lists every row", i.summary.Rejected, i.summary.Report)
	}
	return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%d of %d [row is|rows are] invalid; nothing was sent", checked.Invalid, checked.Rows), Err: i.unprinted, Hint: hint}
}

// writeInvalid writes report and refused rows of an unsent file.
func (i *importRun) writeInvalid(ctx context.Context) (err error) {
	if i.summary.Report, err = writeCheckReport(ctx, i.Env, i.file, i.reportPath(".report.csv")); err != nil {
		return err
	}
	if err := i.writeRejected(ctx); err != nil {
		return err
	}
	i.summary.Next = i.reimportCommand()
	return nil
}

// endCheck ends a dry run on a server without dry runs.
func (i *importRun) endCheck(ctx context.Context) error {
	if i.summary.Invalid == 0 {
		i.Notice("the file is valid. This server has no dry runs, so existing subscribers and allowed products were not checked")
		i.suggest()
		return nil
	}
	if err := i.writeInvalid(ctx); err != nil {
		return err
	}
	i.Notice("the other rows are valid. This server has no dry runs, so existing subscribers and allowed products were not checked")
	i.noticeFiles()
	return i.exitError(nil)
}

// suggest names the next command after an import without refused rows.
func (i *importRun) suggest() {
	switch {
	case !i.dryRun:
		i.Next("", "ativa imports show "+i.summary.Import)
	case i.path != "-":
		i.Next("", i.Typed(dryRunFlags()))
	}
}

// confirm asks before many rows are sent from a terminal. In a protected context it lists the
// actions for the first rows and asks for the context's name.
func (i *importRun) confirm(ctx context.Context, checked *sheet.Summary) error {
	const shown = 20
	protected, err := i.AsksToConfirm(false)
	if err != nil || i.dryRun {
		return err
	}
	var what []cli.Message
	for row, err := range i.file.Rows(ctx) {
		if !protected || err != nil || len(what) == shown { // sendRows reports the error
			break
		}
		if !row.OK() {
			continue
		}
		what = append(what, cli.Msg("register %s (%s)", row.Name, cli.MaskDocument(row.Document)))
	}
	if protected {
		what = andMore(what, checked.Valid)
	}
	return i.Confirm(cli.Confirmation{Title: cli.Msg("Import %s", filepath.Base(i.path)), Always: i.ConfirmsRows(checked.Valid),
		What: append(what, cli.RowCounts(checked.Valid, checked.Products, checked.Products))})
}

// options returns how the rows are sent. For a server without idempotency keys it first reads the
// existing subscribers.
func (i *importRun) options(ctx context.Context) (o sendOptions, err error) {
	o = i.send
	if i.ordered {
		o.InFlight = 1
	}
	o.Idempotency, err = i.client.HasExtension(ctx, api.ExtIdempotency)
	if err != nil || o.Idempotency || i.dryRun {
		return o, err
	}
	i.Notice("this server keeps no idempotency keys: reading which subscribers it has")
	o.Existing, err = run.ReadDocuments(ctx, i.client)
	return o, err
}

// sendRows sends the valid rows and writes each outcome to the report as it arrives.
func (i *importRun) sendRows(ctx context.Context) (err error) {
	if err := cli.CheckReplaceable(i.reportPath(".rejected.csv")); err != nil {
		return err
	}
	o, err := i.options(ctx)
	if err != nil {
		return err
	}
	if !i.dryRun {
		if i.journal, err = openFileJournal(i.Env, "import", i.path, i.file, []any{i.meaning(), i.activate, i.update}, i.args); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, i.journal.Leave()) }()
	if i.wait && !i.dryRun {
		if i.waiter, err = newWaiter(ctx, i.Env, i.client, i.journal); err != nil {
			return err
		}
	}
	job := &run.Import{Client: i.client, DryRun: i.dryRun, ActivateExisting: i.activate, UpdateExisting: i.update}
	sent := i.execute(ctx, cli.Msg("importing"), i.reportPath(".report.csv"), o, func(o run.Options) error {
		return run.Run(ctx, job, i.file.Rows(context.WithoutCancel(ctx)), i.journal, o, i.addOutcome)
	})
	s := &i.summary
	if i.report != nil {
		s.Report = i.report.file.Name()
	}
	if i.journal.Stays() {
		s.Import = i.journal.ID
	}
	n := i.results
	s.Created, s.Existing, s.Duplicate, s.Sent, s.Failed = n[api.ResultCreated], n[api.ResultExisting], n[api.ResultDuplicate], n[api.ResultSent], n[api.ResultFailed]
	s.Unknown, s.Resumed, s.Queued = n[sheet.ResultUnknown], i.resumed, i.queued
	s.NotSent = i.total - i.answered() - s.Unknown
	return sent
}

// addOutcome counts the changes of existing subscribers and records the outcome of a row.
func (i *importRun) addOutcome(o run.RowResult) error {
	if !o.Row.OK() {
		return i.report.write(o.Row.Report(i.Lang))
	}
	s := &i.summary
	if o.Kind == api.ResultExisting {
		for _, service := range o.Services {
			if service.Previous == "" || service.Previous != service.Status { // else it was as wanted before
				s.Activated++
			}
		}
		switch {
		case o.Updated || len(o.Differs) > 0 && i.update && i.dryRun:
			s.Updated++
		case len(o.Differs) > 0:
			s.Differing++
		}
	}
	return i.record(o.Row.Report(lang.Codes), o)
}
