package operator

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/store"
)

func newAdminCopy(e *cli.Env) *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use: "copy --from DB --to DB", Short: "Copy everything into another database", Args: cli.Args(cobra.NoArgs),
		Long: `Copy everything into another, empty database: subscribers, services, the queue,
the outbox, the history, tokens, links and counters. Then compare the numbers of
rows, table by table.

Stop the service first: a file that a server uses is refused, and what servers on
PostgreSQL write meanwhile is not copied. A target with any data is refused;
a copy that breaks off leaves none. Access tokens and links that were handed out
stay valid.`,
		Example: "  ativa admin copy --from sqlite:/var/lib/ativa/ativa.db \\\n      --to postgres://ativa@db.example.com/ativa\n  ativa admin copy --from postgres://ativa@db.example.com/ativa \\\n      --to sqlite:ativa.db -o json",
	}
	c.Flags().StringVar(&from, "from", "", "the database that is copied: sqlite:PATH, postgres://… or host=… dbname=…")
	c.Flags().StringVar(&to, "to", "", "the empty database it is copied to")
	cli.Require(c, "from", "to")
	return cli.Prints(e, copiedTables, c, func(ctx context.Context, p *render.Printer[copiedRow], _ []string) error {
		return runAdminCopy(ctx, e, p, from, to)
	})
}

type copiedRow struct {
	Name string `json:"table"`
	Rows int    `json:"rows"`
}

func copiedTables() render.Schema[copiedRow] {
	return cli.SchemaOf[copiedRow]("table", "tables", "")
}

func runAdminCopy(ctx context.Context, e *cli.Env, p *render.Printer[copiedRow], from, to string) error {
	tables, err := store.Copy(ctx, from, to)
	if errors.Is(err, store.ErrNotEmpty) {
		return &cli.Failure{Exit: cli.ExitRefused, Code: "target_not_empty", Message: cli.Msg("%s", err), Hint: cli.Msg("copy into a new database")}
	}
	if errors.Is(err, store.ErrSameDatabase) {
		return cli.Usage("--from and --to name the same database")
	}
	if err != nil {
		return databaseFailure(err, cli.Msg("check --from and --to"))
	}
	e.Notice("copied; both have the same number of rows in each table")
	return p.Results(ctx, nil, cli.Map(tables, func(t store.CopiedTable) copiedRow { return copiedRow(t) }))
}
