package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/invoice"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/sheet"
)

// reconcileOptions holds the flags.
type reconcileOptions struct {
	period  reportPeriod
	reading readingOptions
}

// reconciliation is the whole result in JSON.
type reconciliation struct {
	From             string               `json:"from"`
	To               string               `json:"to"`
	TZ               string               `json:"tz"`
	Complete         bool                 `json:"complete"`
	EventsSince      api.Time             `json:"events_since"`
	BilledNotEnabled []invoice.Difference `json:"billed_not_enabled"`
	EnabledNotBilled []invoice.Difference `json:"enabled_not_billed"`
	DaysDiffer       []invoice.Difference `json:"days_differ"`
	NotVerifiable    []invoice.Difference `json:"not_verifiable"`
	Summary          invoice.Summary      `json:"summary"`
	Response         string               `json:"response"`
}

func newReportReconcile(e *cli.Env) *cobra.Command {
	var o reconcileOptions
	names := productNames{}
	c := &cobra.Command{
		Use: "reconcile INVOICE", Short: "Compare a supplier's invoice with what was enabled in a month", Args: cli.Args(cobra.ExactArgs(1)),
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7"},
		Long: `Compare what a supplier bills with what was enabled in a month, for the accounts.

INVOICE is the supplier's list, read as ` + "`ativa subscribers import`" + ` reads a file: a
column of documents, one of products (id, code or name, or mapped with --map-value)
and an optional one of days. Titles and totals are left out; lines of the same
document and product are added up. Nothing is changed.

It prints what is billed and was not enabled, what was enabled and is not
billed, where the days differ, and what cannot be verified: lines that cannot be
read, and documents that the service does not know, perhaps because they were
deleted. Exit 0 when nothing differs, 7 when something does.`,
		Example: "  ativa report reconcile fatura.csv\n  ativa report reconcile fatura.csv --month 2026-10 \\\n      --map-value 'products:Pacote A=play-basic'\n  ativa report reconcile fatura.csv --month 2026-10 --excel \\\n      --output-file conferencia.csv",
	}
	o.period.addFlags(e, c)
	o.reading.addFlags(c.Flags())
	cli.AddLimit(e, c)
	schema := func() render.Schema[invoice.Difference] { return differences(e.CellLanguage(), names) }
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[invoice.Difference], args []string) error {
		return runReportReconcile(ctx, e, p, names, o, args[0])
	})
}

func differences(l lang.Language, names productNames) render.Schema[invoice.Difference] {
	return render.Schema[invoice.Difference]{One: "difference", Many: "differences", Empty: "nothing differs", Columns: []render.Column[invoice.Difference]{
		{Name: "kind", Kind: render.Word, Value: func(d invoice.Difference) string { return d.Kind }},
		{Name: "document", Kind: render.Document, Value: func(d invoice.Difference) string { return string(d.Document) }},
		{Name: "content_supplier_product_id", Title: "product", Value: func(d invoice.Difference) string { return names.cell(api.Int(d.ProductID)) }},
		{Name: "billed_days", Title: "days billed", Kind: render.Number, Value: func(d invoice.Difference) string { return cli.OrEmpty(d.BilledDays, strconv.Itoa) }},
		{Name: "enabled_days", Title: "days enabled", Kind: render.Number, Value: func(d invoice.Difference) string { return cli.OrEmpty(d.EnabledDays, strconv.Itoa) }},
		{Name: "line", Kind: render.Number, Value: func(d invoice.Difference) string { return numberOrEmpty(api.Int(d.Line)) }},
		{Name: "lines", Kind: render.Number, ForPrograms: true, Value: func(d invoice.Difference) string { return numberOrEmpty(api.Int(d.Lines)) }},
		{Name: "reason", ForPrograms: true, Value: func(d invoice.Difference) string { return string(d.Reason) }},
		{Name: "detail", Kind: render.Prose, Value: func(d invoice.Difference) string { return differenceText(l, string(d.Reason)) }},
	}, JSON: cli.ToJSON[invoice.Difference]}
}

// differenceText explains the reason of a difference.
func differenceText(l lang.Language, reason string) string {
	switch reason {
	case "":
		return ""
	case invoice.ReasonUnknownDocument:
		return l.Text("no subscriber has this document, perhaps not any more")
	case invoice.ReasonIncomplete:
		return l.Text("the server no longer keeps all of this period")
	case invoice.ReasonBilledAgain:
		return l.Text("billed in more lines than there were services")
	}
	return sheet.KindText(l, reason)
}

func runReportReconcile(ctx context.Context, e *cli.Env, p *render.Printer[invoice.Difference], names productNames, o reconcileOptions, file string) error {
	period, err := o.period.resolve(e)
	if err != nil {
		return err
	}
	if err := o.reading.mapColumns(e); err != nil {
		return err
	}
	o.reading.csv.Profile = sheet.Invoice
	f, err := e.OpenSpreadsheet(ctx, file, o.reading.csv)
	if err != nil {
		return err
	}
	defer f.Close()
	return withReports(ctx, e, func(ctx context.Context, c *client.Client) error {
		comparison, err := readInvoice(ctx, e, c, f, o.reading)
		if err != nil {
			return err
		}
		u := api.Usage{From: period.From, To: period.To, TZ: period.TZ}
		noticePeriod(e, u)
		for token, err := range c.TokenUsage(ctx, period, &u) {
			if err != nil {
				return err
			}
			comparison.Enabled(token.Value)
		}
		if comparison.Unconfirmed() {
			for s, err := range c.Subscribers(ctx) {
				if err != nil {
					return err
				}
				comparison.Known(s.Value.Document)
			}
		}
		if err := names.read(ctx, c, p.Format()); err != nil {
			return err
		}
		all, sum := comparison.Differences(u.Complete)
		var exit error
		if sum.Differences() > 0 {
			exit = &cli.SilentExit{Code: cli.ExitPartial}
		}
		p.Respond(cli.Response(exit, true))
		printed := p.Results(ctx, reconciliationDocument(u, p.First(all), sum), all)
		noticeReconciliation(e, u, sum)
		return errors.Join(exit, printed)
	})
}

// readInvoice reads all lines of an invoice. Unknown values are an error: their lines would
// look unbilled.
func readInvoice(ctx context.Context, e *cli.Env, c *client.Client, f *sheet.File, o readingOptions) (*invoice.Comparison, error) {
	_, s, err := checkFile(ctx, e, c, f, o)
	if err != nil {
		return nil, err
	}
	s.Problems = slices.DeleteFunc(s.Problems, func(c sheet.Count) bool { // the result lists the others
		return !slices.ContainsFunc(s.Values, func(v sheet.Value) bool { return v.First.Code == c.Code && v.First.Field == c.Field })
	})
	noticeRepairs(e, s)
	noticeProblems(e, s)
	if len(s.Values) > 0 {
		var first error // which no notice showed
		if e.Global.Quiet || e.HasErrorObjects() {
			first = &s.Values[0].First
		}
		return nil, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Err: first, Message: cli.Msg("%d [value|values] of the invoice [is|are] not known; nothing was compared", len(s.Values)),
			Hint: cli.Msg("tell what each means with --map-value, as shown; - is no product")}
	}
	comparison := invoice.New()
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		comparison.Bill(row)
	}
	if !comparison.HasLines() {
		return nil, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("no line of the invoice can be read; nothing was compared"),
			Hint: cli.Msg("tell the column of the documents with --map document=COLUMN")}
	}
	return comparison, nil
}

// reconciliationDocument returns the JSON of a reconciliation.
func reconciliationDocument(u api.Usage, all []invoice.Difference, sum invoice.Summary) json.RawMessage {
	of := map[string][]invoice.Difference{}
	for _, kind := range invoice.Kinds() {
		of[kind] = []invoice.Difference{}
	}
	for _, d := range all {
		of[d.Kind] = append(of[d.Kind], d)
	}
	return cli.ToJSON(reconciliation{From: u.From, To: u.To, TZ: u.TZ, Complete: u.Complete, EventsSince: u.EventsSince,
		BilledNotEnabled: of[invoice.BilledNotEnabled], EnabledNotBilled: of[invoice.EnabledNotBilled],
		DaysDiffer: of[invoice.DaysDiffer], NotVerifiable: of[invoice.NotVerifiable], Summary: sum, Response: api.ResponseSuccess})
}

// noticeReconciliation prints the totals and the limits of the comparison.
func noticeReconciliation(e *cli.Env, u api.Usage, s invoice.Summary) {
	noticeIncomplete(e, u)
	if s.LeftOut > 0 {
		e.Notice("lines of the invoice left out: %d of %d (totals, remarks, or of no product)", s.LeftOut, s.Lines)
	}
	if s.Deleted > 0 {
		e.Notice("%d [service|services] of deleted subscribers [was|were] enabled; their documents are gone, so lines that bill them cannot be verified", s.Deleted)
	}
	if s.BilledDays > 0 {
		e.Notice("days billed: %d, enabled: %d", s.BilledDays, s.EnabledDays)
	}
	e.Notice("billed: %d, enabled: %d; agree: %d, billed and not enabled: %d, enabled and not billed: %d, with other days: %d, not verifiable: %d",
		s.Billed, s.Enabled, s.Matched, s.BilledNotEnabled, s.EnabledNotBilled, s.DaysDiffer, s.NotVerifiable)
}
