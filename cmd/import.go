package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
)

// importOptions holds the import flags.
type importOptions struct {
	readingOptions
	path        string
	reportDir   string
	dryRun      bool
	skipInvalid bool
	ordered     bool
	activate    bool // activate products of existing subscribers
	update      bool // update existing subscribers
	wait        bool
	strict      bool // exit 8 if the limit queues an activation
	args        []string
	send        sendOptions
}

func newImport(e *cli.Env) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use: "import FILE", Short: "Register subscribers from a spreadsheet and activate their products", GroupID: "many", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.CompleteFiles,
		SuggestFor:        []string{"upload", "importar", "planilha"},
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
		Long: `Register subscribers from a spreadsheet and activate the products of the new ones.

FILE is CSV in any usual encoding and delimiter, or .xlsx; - is standard input.
The whole file is checked before anything is sent: any invalid row stops it
(exit 6), unless --skip-invalid sends the others (exit 7). FILE.report.csv lists
the result of every row, FILE.rejected.csv the refused rows unchanged, ready to
be fixed and imported again. At a terminal an import of more than 20 rows asks
for confirmation, with the number of subscribers, services and e-mails.

If an import is interrupted, run the same command again: its journal records
what was sent, so nothing is lost and nothing is done twice. Ctrl-C once
finishes the requests in flight, twice stops at once. Existing subscribers are
left unchanged, unless --activate-existing or --update-existing is given;
--update-existing changes the fields that have a value in the file.`,
		Example: "  ativa subscribers import assinantes.csv\n  ativa subscribers import assinantes.xlsx --dry-run\n  ativa subscribers import novos.csv --skip-invalid -o json",
	}
	f := c.Flags()
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file, also with the server if it has dry runs, and change nothing")
	f.BoolVar(&o.skipInvalid, "skip-invalid", false, "send the valid rows and leave the invalid ones out")
	f.BoolVar(&o.activate, "activate-existing", false, "also activate the products of existing subscribers")
	f.BoolVar(&o.update, "update-existing", false, "update the fields of existing subscribers that differ")
	f.BoolVarP(&o.wait, "wait", "w", false, "wait until the activations are final (--timeout, default 10m)")
	f.BoolVar(&o.strict, "strict", false, "exit 8 when an activation is queued by the provider's limit")
	f.BoolVar(&o.ordered, "ordered", false, "send one batch at a time, so that activations are queued in the order of the file")
	o.addFlags(f)
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the reports (default: beside the file)")
	o.send.addFlags(f)
	return cli.Prints(e, importSummaries, c, func(ctx context.Context, p *render.Printer[importSummary], args []string) error {
		o.path, o.args = args[0], commandLine(c, args[0])
		if err := o.send.complete(f); err != nil {
			return err
		}
		return runImport(ctx, e, p, o)
	})
}

// importSummary is the result of an import. Its columns are the numbers of rows; JSON has all fields.
type importSummary struct {
	File      string `json:"file" column:"-"`
	DryRun    bool   `json:"dry_run" column:"-"`
	Rows      int    `json:"rows"`
	Created   int    `json:"created"`
	Existing  int    `json:"existing"`
	Duplicate int    `json:"duplicate"`
	Failed    int    `json:"failed"`
	Invalid   int    `json:"invalid"`
	Unknown   int    `json:"unknown"` // sent, no response
	NotSent   int    `json:"not_sent"`
	Merged    int    `json:"merged" column:"-"`
	Updated   int    `json:"updated" column:"-"`   // existing subscribers
	Differing int    `json:"differing" column:"-"` // existing subscribers with other values than the file, not updated
	Activated int    `json:"activated" column:"-"` // services of existing subscribers
	Sent      int    `json:"sent" column:"-"`      // to a server without outcomes
	Queued    int    `json:"queued_services" column:"-"`
	Import    string `json:"import,omitempty" column:"-"` // id, see ativa imports
	Resumed   int    `json:"resumed" column:"-"`          // rows done by an earlier run
	Report    string `json:"report,omitempty" column:"-"`
	Rejected  string `json:"rejected,omitempty" column:"-"`
	Next      string `json:"next,omitempty" column:"-"` // the command to run next
}

func importSummaries() render.Schema[importSummary] {
	return cli.SchemaOf[importSummary]("import", "imports", "")
}

func runImport(ctx context.Context, e *cli.Env, p *render.Printer[importSummary], o importOptions) error {
	if err := o.mapColumns(e); err != nil {
		return err
	}
	f, err := e.OpenSpreadsheet(ctx, o.path, o.csv)
	if err != nil {
		return err
	}
	defer f.Close()
	return e.WithClientFor(ctx, !o.dryRun, func(ctx context.Context, c *client.Client) error {
		i := &importRun{rowRun: rowRun{Env: e, client: c, unit: cli.Msg("rows")}, importOptions: o, file: f}
		err := i.run(ctx)
		if e.Global.Output.IsSet() && i.checked {
			p.Respond(cli.Response(err, i.summary.done() > 0))
			err = errors.Join(err, p.One(context.WithoutCancel(ctx), nil, i.summary))
		}
		return err
	})
}
