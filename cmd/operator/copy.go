package operator

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/store"
)

type copyOptions struct {
	from, to string
}

func newAdminCopy(e *cli.Env) *cobra.Command {
	var o copyOptions
	c := &cobra.Command{
		Use: "copy --from DB --to DB", Short: "Copy everything into another database, and compare both", Args: cli.Args(cobra.NoArgs),
		Long: `Copy everything into another, empty database: subscribers, services, the queue,
the outbox, the history, tokens, links and counters. Then both are compared,
table by table, by the number of rows and a checksum of what they hold.

Stop the service first: a file with a server is refused, and servers on
PostgreSQL must wait. A copy that broke off goes on when the same command is run
again; a target that holds anything else is refused. Access tokens and links
that were given out go on being good.`,
		Example: "  ativa admin copy --from sqlite:/var/lib/ativa/ativa.db --to postgres://ativa@db.example.com/ativa\n  ativa admin copy --from postgres://ativa@db.example.com/ativa --to sqlite:ativa.db -o json",
	}
	c.Flags().StringVar(&o.from, "from", "", "the database that is copied: sqlite:PATH, postgres://… or host=… dbname=…")
	c.Flags().StringVar(&o.to, "to", "", "the empty database it is copied to")
	return cli.Prints(e, copiedTables, c, func(ctx context.Context, p *render.Printer[copiedRow], _ []string) error {
		return runAdminCopy(ctx, e, p, o)
	})
}

type copiedRow struct {
	Name     string `json:"table"`
	Rows     int64  `json:"rows"`
	Checksum string `json:"checksum"`
}

func copiedTables() render.Schema[copiedRow] {
	return render.Schema[copiedRow]{One: "table", Many: "tables", Columns: []render.Column[copiedRow]{
		{Name: "table", Value: func(r copiedRow) string { return r.Name }},
		{Name: "rows", Kind: render.Number, Value: func(r copiedRow) string { return strconv.FormatInt(r.Rows, 10) }},
		{Name: "checksum", Value: func(r copiedRow) string { return r.Checksum }},
	}, JSON: cli.ToJSON[copiedRow]}
}

func runAdminCopy(ctx context.Context, e *cli.Env, p *render.Printer[copiedRow], o copyOptions) error {
	if o.from == "" || o.to == "" {
		return cli.Usage("--from and --to name the two databases")
	}
	tables, err := store.Copy(ctx, o.from, o.to)
	if errors.Is(err, store.ErrNotEmpty) {
		return &cli.Failure{Exit: cli.ExitRefused, Code: "target_not_empty", Message: cli.Msg("%s", err), Hint: cli.Msg("copy into a new database")}
	}
	if errors.Is(err, store.ErrSameDatabase) {
		return cli.Usage("--from and --to name the same database")
	}
	if err != nil {
		return databaseFailure(err, cli.Msg("check --from and --to; what was copied stays, and the same command goes on"))
	}
	e.Notice("copied and compared; both hold the same")
	return p.Results(ctx, nil, cli.Map(tables, func(t store.CopiedTable) copiedRow { return copiedRow(t) }))
}
