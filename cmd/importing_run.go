package cmd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/render"
)

// importRun is one import on its way.
type importRun struct {
	*env
	importOptions
	file     *csvfile.File
	client   *client.Client
	summary  importSummary
	checked  bool
	failed   map[int]csvfile.ReportLine // by line: why the server refused the row
	report   *reportFile
	progress *render.Progress
}

func (i *importRun) run(ctx context.Context) error {
	checked, err := i.check(ctx)
	if err != nil {
		return err
	}
	invalid := checked.Invalid
	switch {
	case invalid > 0 && (!i.skipInvalid || checked.Valid == 0):
		if err := i.writeRejected(ctx); err != nil {
			return err
		}
		return &failure{exit: exitInvalidInput, code: "invalid_input", message: fmt.Sprintf("%d of %d rows are invalid; nothing was sent", invalid, checked.Rows),
			hint: "mend them in " + i.summary.Rejected + ", or send the rest with --skip-invalid"}
	case i.dryRun && !i.canValidate(ctx):
		i.remark("the file is good; this server cannot say more without acting")
		return nil
	}
	sent := i.send(ctx, checked.Valid)
	if err := i.writeRejected(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	i.tell()
	return i.outcome(sent)
}

// check reads the whole file against the server's lists and tells what was found.
func (i *importRun) check(ctx context.Context) (*csvfile.Summary, error) {
	d := i.file.Dialect
	if d.Workbook {
		i.remark("reading sheet %q", d.Sheet)
	} else {
		i.remark("reading %s, columns separated by %q", d.Encoding, d.Delimiter)
	}
	for _, n := range i.file.Notices {
		i.remark("%s", n.Error())
	}
	catalog, err := loadCatalog(ctx, i.client)
	if err != nil {
		return nil, err
	}
	s, err := i.file.Check(ctx, catalog)
	if err != nil {
		return nil, err
	}
	i.checked = true
	i.summary.File, i.summary.DryRun = filepath.Base(i.importOptions.file), i.dryRun
	i.summary.Rows, i.summary.Invalid, i.summary.Merged = s.Rows, s.Invalid, s.Merged
	i.remark("%d rows: %d valid, %d invalid, %d merged into others", s.Rows, s.Valid, s.Invalid, s.Merged)
	for _, r := range s.Repairs {
		i.remark("mended: %d × %s (%s)", r.N, csvfile.Messages()[r.Code], r.Field)
	}
	for _, p := range s.First {
		i.remark("%s", p.Error())
	}
	if more := s.Invalid - len(s.First); more > 0 && len(s.First) == csvfile.Shown {
		for _, c := range s.Problems {
			i.remark("in all: %d × %s %s", c.N, c.Field, c.Code)
		}
	}
	return s, nil
}

func loadCatalog(ctx context.Context, c *client.Client) (csvfile.Catalog, error) {
	var catalog csvfile.Catalog
	products, err := c.Products(ctx)
	if err != nil {
		return catalog, err
	}
	speeds, err := c.InternetSpeeds(ctx)
	if err != nil {
		return catalog, err
	}
	for _, p := range products {
		catalog.Products = append(catalog.Products, p.Value)
	}
	for _, s := range speeds {
		catalog.Speeds = append(catalog.Speeds, s.Value)
	}
	return catalog, nil
}

func (i *importRun) canValidate(ctx context.Context) bool {
	can, err := i.client.Has(ctx, api.ExtValidate)
	return err == nil && can
}

// validator lets a dry run take the way of an import.
type validator struct{ *client.Client }

func (v validator) Import(ctx context.Context, rows []api.ImportRow, _ string) (client.Answer[api.ImportAnswer], error) {
	return v.ValidateImport(ctx, rows)
}

// send sends the valid rows and writes the report as their outcomes come.
func (i *importRun) send(ctx context.Context, valid int) error {
	report, err := i.createReport()
	if err != nil {
		return err
	}
	i.report = report
	screen, err := render.ScreenOf(i.err, i.global.color, i.getenv)
	if err != nil {
		return err
	}
	i.progress = render.NewProgress(i.err, screen, render.ProgressOptions{Label: "importing", Unit: "rows", Total: int64(valid), Quiet: i.global.quiet})
	defer i.progress.Close()
	if i.ordered {
		i.importOptions.send.InFlight = 1
	}
	var to bulk.Importer = i.client
	if i.dryRun {
		to = validator{i.client}
	}
	sent := bulk.Import(ctx, to, i.validRows(ctx), i.importOptions.send, i.record)
	i.summary.NotSent = valid - i.summary.Created - i.summary.Existing - i.summary.Duplicate - i.summary.Sent - i.summary.Failed - i.summary.Unknown
	return errors.Join(sent, report.close())
}

// validRows leaves out what is not sent, and puts it into the report.
func (i *importRun) validRows(ctx context.Context) iter.Seq2[*csvfile.Row, error] {
	return func(yield func(*csvfile.Row, error) bool) {
		for row, err := range i.file.Rows(ctx) {
			if err == nil && !row.OK() {
				i.report.hold(row.Report(nil))
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// record counts one outcome and writes its line of the report.
func (i *importRun) record(o bulk.Outcome) error {
	i.progress.Add(1)
	line := o.Row.Report(nil)
	switch line.Result = o.Result.Result; {
	case o.Err != nil:
		i.summary.Unknown++
		line.Result, line.Detail = "unknown", "no answer came; run the import again"
	case o.Result.Result == api.ResultCreated:
		i.summary.Created++
	case o.Result.Result == api.ResultExisting:
		i.summary.Existing++
		line.Detail = strings.Join(o.Result.Differs, " ")
	case o.Result.Result == api.ResultDuplicate:
		i.summary.Duplicate++
	case o.Result.Result == api.ResultFailed:
		i.summary.Failed++
		line.Code, line.Field, line.Detail = failureOf(o.Result)
		i.failed[o.Row.Line] = line
	default:
		i.summary.Sent++
	}
	var started []string
	for _, s := range o.Result.Services {
		if s.QueuePosition > 0 {
			i.summary.Queued++
		}
		started = append(started, number(s.ProductID)+" "+s.Status)
	}
	line.Services = strings.Join(started, ", ")
	return i.report.write(line)
}

func failureOf(r api.ImportResult) (code, field, detail string) {
	var details []string
	for _, e := range r.Errors {
		details = append(details, e.Field+": "+firstOf(e.Detail, e.Code))
	}
	if len(r.Errors) > 0 {
		code, field = r.Errors[0].Code, r.Errors[0].Field
	}
	return code, field, strings.Join(details, " | ")
}
