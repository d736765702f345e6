package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/sheet"
)

func newProvision(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "provision", Short: "Activate, change, suspend and cancel services", GroupID: "find",
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
	},
		newBatch(e, api.Activate, "Activate a product, or reactivate it, or change to it", "enable", "reactivate", "unsuspend", "ativar", "ativacao", "ativação", "reativar"),
		newChange(e),
		newBatch(e, api.Suspend, "Suspend services; they can be reactivated", "pause", "block", "suspender", "pausar", "bloquear"),
		newBatch(e, api.Overdue, "Suspend services for lack of payment", "unpaid", "inadimplente", "inadimplencia", "inadimplência", "atraso"),
		newBatch(e, api.Settle, "Register the payment: services return to what they were", "paid", "pay", "pago", "pagar", "pagamento", "quitar", "regularizar"),
		newSchedule(e),
		newBatch(e, api.Deactivate, "Cancel services for good", "cancel", "terminate", "cancelar", "cancelamento", "desativar"),
	)
}

type provisionOptions struct {
	readingOptions
	productText  string // as given; empty: the only one that is meant
	toText       string // product after a change, as given
	path         string // file with the documents; empty for none
	wait, dryRun bool
	strict       bool
	all          bool // resend: also active services
	reportDir    string
	pick         selectOptions // flags instead of documents
	atText       string        // execution time as given; empty: now
	untilText    string        // end of the effect; empty: never
	at, until    time.Time     // the same
	args         []string
	send         sendOptions
}

func newBatch(e *cli.Env, op api.Operation, short string, alsoCalled ...string) *cobra.Command {
	var o provisionOptions
	name := string(op)
	c := &cobra.Command{
		Use: name + " [--product P] [DOC…]", Short: short, SuggestFor: alsoCalled, Args: cli.Args(cobra.ArbitraryArgs),
		Annotations: map[string]string{cli.ForMany: "file"},
		Long: short + `.

P is a product's id, code or name. With one document it may be omitted if only
one live service allows the operation; that service is named. The documents are
arguments, or in a file: a spreadsheet with a document column, or one document
per line (- is standard input). At a terminal a file of more than 20 documents
asks for confirmation. Every document has its own result; exit 7 when some
failed, 5 when all did. With a file, FILE.report.csv lists the result of each
line, and the same command continues an interrupted run.

--status and --older-than select subscribers instead of documents: those whose
service of the product meets both. They are listed and confirmed; without a
terminal that needs --yes and --max-changes. The report is
ativa-COMMAND-DATE.report.csv, here or in --report-dir.
` + laterHelp(op),
		Example: fmt.Sprintf("  ativa provision %s --product play-basic 529.982.247-25\n  ativa provision %s --product 1 --file documents.csv --wait --yes\n  ativa provision %s --product 1 --status %s \\\n      --older-than 60d --dry-run", name, name, name, selectedFor(op)),
		RunE: func(c *cobra.Command, args []string) error {
			o.args = commandLine(c)
			if err := errors.Join(o.send.complete(c.Flags()), o.parseWhen(e)); err != nil {
				return err
			}
			if o.productText == "" && (len(args) != 1 || o.path != "" || o.pick.isSet()) {
				return cli.Usage("--product is needed").WithHint("see `ativa products`")
			}
			return runBatch(c.Context(), e, op, o, args)
		},
	}
	f := c.Flags()
	addProductFlag(e, c, &o.productText, "product: id, code or name")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "show the result that each document would have, and change nothing")
	f.StringVar(&o.atText, "at", "", "do it later: 12h, 7d, a date (its beginning) or a time, in the zone of the key tz")
	switch op {
	case api.Activate:
		f.StringVar(&o.untilText, "until", "", "a trial: cancel the service then: 7d, a date (its end) or a time")
	case api.Settle:
		f.StringVar(&o.untilText, "until", "", "a trust release: suspend it for lack of payment again then: 3d, a date (its end) or a time")
	}
	f.BoolVarP(&o.wait, "wait", "w", false, "wait until every status is final (--timeout, default 10m)")
	if op == api.Activate {
		f.BoolVar(&o.strict, "strict", false, "exit 8 when an activation is queued by the provider's limit")
	}
	c.MarkFlagsMutuallyExclusive("at", "wait")
	if f.Lookup("until") != nil {
		c.MarkFlagsMutuallyExclusive("at", "until")
	}
	o.addFlagsForMany(f)
	e.CompleteFlag(c, "status", completeStatuses(e))
	return cli.WithColumns(e, func() render.Schema[api.BatchResult] { return batchResults(e.CellLanguage()) }, c)
}

// laterHelp is the help on --at and --until.
func laterHelp(op api.Operation) string {
	text := `
--at schedules the operation, which is done then if the status allows it; see
` + "`ativa provision schedule list`."
	switch op {
	case api.Activate:
		text += ` --until makes it a trial: the service is cancelled then.
Exit 7 when it was activated and its end could not be scheduled.`
	case api.Settle:
		text += ` --until makes it a trust release: unless it is
settled again before, the service is suspended for lack of payment then. Exit 7
when it was settled and its end could not be scheduled.`
	}
	return text
}

// parseWhen reads --at and --until in the person's time zone.
func (o *provisionOptions) parseWhen(e *cli.Env) (err error) {
	switch {
	case o.atText != "":
		o.at, err = cli.ParseStart("--at", o.atText, e.Now())
	case o.untilText != "":
		o.until, err = cli.ParseEnd("--until", o.untilText, e.Now())
	}
	return err
}

// addFlagsForMany adds the flags of a file and of a selection.
func (o *provisionOptions) addFlagsForMany(f *pflag.FlagSet) {
	f.StringVarP(&o.path, "file", "f", "", "file with the documents, - for standard input")
	o.pick.addForRun(f)
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the report (default: beside the file, of a selection the working directory)")
	o.send.addFlags(f)
	o.addFlags(f)
}

// selectedFor returns a status that the operation applies to, as an example.
func selectedFor(op api.Operation) string {
	return map[api.Operation]string{api.Activate: "suspend", api.Suspend: "active", api.Deactivate: "overdue", api.Overdue: "active", api.Settle: "overdue"}[op]
}

func batchResults(l lang.Language) render.Schema[api.BatchResult] {
	return render.Schema[api.BatchResult]{One: "result", Many: "results", Columns: []render.Column[api.BatchResult]{
		{Name: "document", Kind: render.Document, Value: func(r api.BatchResult) string { return r.Document }},
		{Name: "result", Kind: render.Word, Value: func(r api.BatchResult) string { return r.Result }},
		{Name: "previous_status", Title: "before", Kind: render.Status, Priority: -1, Value: func(r api.BatchResult) string { return textOrEmpty(r.PreviousStatus) }},
		{Name: "status", Kind: render.Status, Value: func(r api.BatchResult) string { return textOrEmpty(r.Status) }},
		{Name: "queue_position", Title: "queue", Kind: render.Number, Value: func(r api.BatchResult) string { return numberOrEmpty(api.Int(r.QueuePosition)) }},
		{Name: "code", ForPrograms: true, Value: func(r api.BatchResult) string { return r.Code }},
		{Name: "detail", Kind: render.Prose, Priority: 1, Value: func(r api.BatchResult) string {
			return lang.Refusal{Code: r.Code, Detail: cmp.Or(r.Detail, r.Code)}.Text(l)
		}},
	}, JSON: cli.ToJSON[api.BatchResult]}
}

func runBatch(ctx context.Context, e *cli.Env, op api.Operation, o provisionOptions, given []string) error {
	r := &provisionRun{rowRun: rowRun{Env: e, unit: cli.Msg("documents")}, provisionOptions: o, operation: op}
	p, err := cli.NewPrinter(e, r.schema())
	if err != nil {
		return err
	}
	r.outcome.results.Of = "the results"
	if err := r.open(ctx, given); err != nil {
		return err
	}
	return errors.Join(e.WithClientFor(ctx, !o.dryRun, func(ctx context.Context, c *client.Client) error { return r.begin(ctx, c, p) }), r.close())
}

// begin resolves product and documents, asks for confirmation, runs the operation and prints the
// outcome.
func (r *provisionRun) begin(ctx context.Context, c *client.Client, p *render.Printer[api.BatchResult]) (err error) {
	r.client = c
	if err := r.checkExtensions(ctx); err != nil {
		return err
	}
	if err := r.resolve(ctx); err != nil {
		return err
	}
	begins, err := r.source.confirm(ctx)
	if err != nil {
		return err
	}
	if begins {
		err = r.run(ctx)
	}
	if err == nil {
		waited := r.waiter.wait(ctx)
		err = r.afterWait(r.outcomeError(), waited)
	}
	r.noticeUntil()
	if err == nil && r.strict && !r.dryRun {
		err = r.queuedError()
	}
	done := r.answered() > r.failed() || r.results[sheet.ResultUnknown] > 0
	response := cli.Response(err, !r.dryRun && done)
	return errors.Join(err, r.print(ctx, p, response))
}

// checkExtensions refuses an operation that the server lacks, before anything is sent.
func (r *provisionRun) checkExtensions(ctx context.Context) error {
	if !r.at.IsZero() || !r.until.IsZero() {
		if err := needsSchedules(ctx, r.client); err != nil {
			return err
		}
	}
	if r.operation != api.Overdue && r.operation != api.Settle {
		return nil
	}
	return needsExtension(ctx, r.client, api.ExtOverdue, cli.Msg("this server has no suspension for lack of payment; nothing was sent"))
}

// resolve looks up the products and the documents that the user named.
func (r *provisionRun) resolve(ctx context.Context) (err error) {
	for _, p := range []struct {
		text    string
		product *api.Product
	}{{r.productText, &r.product}, {r.toText, &r.to}} {
		if p.text == "" {
			continue
		}
		if *p.product, err = findProduct(ctx, r.client, p.text); err != nil {
			return err
		}
	}
	if err := r.source.find(ctx); err != nil {
		return err
	}
	if r.only != nil && r.product.ID == 0 {
		return r.AboutSubscriber(r.findMeant(ctx), r.only.document)
	}
	return nil
}
