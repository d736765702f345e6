package cmd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/render"
)

// importOptions is what the user chose.
type importOptions struct {
	file        string
	csv         csvfile.Options
	maps        []string
	reportDir   string
	dryRun      bool
	skipInvalid bool
	ordered     bool
	send        bulk.Options
}

func newImport(e *env) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use: "import FILE", Short: "Register subscribers from a spreadsheet and activate their products", Args: args(cobra.ExactArgs(1)),
		Long: `Register subscribers from a spreadsheet and activate the products of the new ones.

FILE is CSV in any usual encoding and delimiter, or .xlsx; - is standard input.
The whole file is checked before anything is sent: with any invalid row nothing
is (exit 6), unless --skip-invalid sends the rest (exit 7). FILE.report.csv tells
what became of every row, FILE.rejected.csv holds the refused rows as they stood
in the file, ready to be mended and imported again. Running an import again is
safe: subscribers that exist already are left as they are.`,
		Example: "  ativa subscribers import assinantes.csv\n  ativa subscribers import assinantes.xlsx --dry-run\n  ativa subscribers import novos.csv --skip-invalid -o json",
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runImport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file, ask the server where it can tell, and change nothing")
	f.BoolVar(&o.skipInvalid, "skip-invalid", false, "send the valid rows although others are not")
	f.StringVar(&o.csv.Encoding, "encoding", "", "utf-8, utf-16le, utf-16be or windows-1252 (default: found out)")
	f.StringVar(&o.csv.Delimiter, "delimiter", "", "column delimiter, or tab (default: found out)")
	f.StringArrayVar(&o.maps, "map", nil, "field=column: which column holds a field")
	f.StringVar(&o.csv.Sheet, "sheet", "", "sheet of an .xlsx file (default: the first)")
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the reports (default: beside the file)")
	f.BoolVar(&o.ordered, "ordered", false, "one batch at a time, where the order in the queue of the limit matters")
	f.IntVar(&o.send.InFlight, "concurrency", 8, "batches under way at once")
	f.IntVar(&o.send.Rows, "batch-size", 1000, "rows per batch")
	return c
}

// importSummary is what became of the file, as -o json prints it.
type importSummary struct {
	File      string `json:"file"`
	DryRun    bool   `json:"dry_run"`
	Rows      int    `json:"rows"`
	Invalid   int    `json:"invalid"`
	Merged    int    `json:"merged"`
	Created   int    `json:"created"`
	Existing  int    `json:"existing"`
	Duplicate int    `json:"duplicate"`
	Sent      int    `json:"sent"` // to a server that does not say what became of them
	Failed    int    `json:"failed"`
	Unknown   int    `json:"unknown"` // sent, and no answer came
	NotSent   int    `json:"not_sent"`
	Queued    int    `json:"queued_services"`
	Report    string `json:"report,omitempty"`
	Rejected  string `json:"rejected,omitempty"`
}

func importSummaries() render.Shape[importSummary] {
	count := func(name string, value func(importSummary) int) render.Column[importSummary] {
		return render.Column[importSummary]{Name: name, Kind: render.Number, Value: func(s importSummary) string { return fmt.Sprint(value(s)) }}
	}
	return render.Shape[importSummary]{One: "import", Many: "imports", Columns: []render.Column[importSummary]{
		count("rows", func(s importSummary) int { return s.Rows }), count("created", func(s importSummary) int { return s.Created }),
		count("existing", func(s importSummary) int { return s.Existing }), count("duplicate", func(s importSummary) int { return s.Duplicate }),
		count("failed", func(s importSummary) int { return s.Failed }), count("invalid", func(s importSummary) int { return s.Invalid }),
		count("unknown", func(s importSummary) int { return s.Unknown }), count("not_sent", func(s importSummary) int { return s.NotSent }),
	}, JSON: asJSON[importSummary]}
}

func runImport(ctx context.Context, e *env, o importOptions) error {
	p, err := newPrinter(e, importSummaries())
	if err != nil {
		return err
	}
	for _, m := range o.maps {
		mapping, err := csvfile.ParseMapping(m)
		if err != nil {
			return usage("--map %s", err)
		}
		o.csv.Map = append(o.csv.Map, mapping)
	}
	f, err := e.open(o.file, o.csv)
	if err != nil {
		return err
	}
	defer f.Close()
	within := e.change
	if o.dryRun {
		within = e.within
	}
	return within(ctx, func(ctx context.Context, c *client.Client) error {
		i := &importRun{env: e, importOptions: o, file: f, client: c, failed: map[int]csvfile.ReportLine{}}
		err := i.run(ctx)
		if e.global.output.format != "" && i.checked {
			if printed := p.One(ctx, nil, i.summary); printed != nil {
				return printed
			}
		}
		return err
	})
}

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

// place is where a report about the file goes: beside it, or in --report-dir.
func (i *importRun) place(suffix string) string {
	name := i.importOptions.file
	if name == "-" {
		name = "stdin"
	}
	if i.reportDir != "" {
		name = filepath.Join(i.reportDir, filepath.Base(name))
	}
	return name + suffix
}

// writeRejected writes the rows that were refused, here or by the server, as
// they stood in the file. Without any, a file of an earlier run is removed.
func (i *importRun) writeRejected(ctx context.Context) error {
	path := i.place(".rejected.csv")
	if i.summary.Invalid+len(i.failed) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	w := i.file.NewRejectedWriter(out)
	for row, err := range i.file.Rows(ctx) {
		if err != nil {
			return err
		}
		why, refused := i.failed[row.Line]
		switch {
		case refused:
			err = w.Write(row, csvfile.Problem{Line: row.Line, Code: why.Code, Field: why.Field, Args: map[string]string{"detail": why.Detail}})
		case len(row.Problems) > 0:
			err = w.Write(row)
		}
		if err != nil {
			return err
		}
	}
	i.summary.Rejected = path
	return errors.Join(w.Flush(), out.Close())
}

// tell sums up on standard error.
func (i *importRun) tell() {
	s := i.summary
	did := "imported"
	if s.DryRun {
		did = "would be imported"
	}
	parts := []string{fmt.Sprintf("%d created", s.Created)}
	for _, p := range []struct {
		n    int
		what string
	}{{s.Existing, "existed already"}, {s.Duplicate, "duplicate"}, {s.Sent, "sent"}, {s.Failed, "refused by the server"},
		{s.Invalid, "invalid"}, {s.Unknown, "without an answer"}, {s.NotSent, "not sent"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	i.remark("%s: %s", did, strings.Join(parts, ", "))
	if s.Queued > 0 {
		i.remark("%d services wait in the queue: the provider's limit of active services is reached", s.Queued)
	}
	i.remark("report: %s", s.Report)
	if s.Rejected != "" {
		i.remark("refused rows: %s (mend them, then: ativa subscribers import %s)", s.Rejected, s.Rejected)
	}
}

// outcome is the exit of an import that was sent.
func (i *importRun) outcome(sent error) error {
	s := i.summary
	switch {
	case sent != nil:
		hint := "run the same command again: what is done already is left as it is"
		return &failure{exit: exitOf(sent), code: "incomplete", message: fmt.Sprintf("the import is not complete: %d rows without an answer, %d not sent", s.Unknown, s.NotSent), hint: hint, err: sent}
	case s.Failed > 0 && s.Created+s.Existing+s.Duplicate+s.Sent == 0:
		return &failure{exit: exitRefused, code: "batch_failed", message: fmt.Sprintf("all %d rows were refused", s.Failed), hint: "see " + s.Rejected}
	case s.Failed+s.Invalid > 0:
		return &done{exitPartial}
	}
	return nil
}

func exitOf(err error) int {
	exit, _ := explain(err)
	return exit
}
