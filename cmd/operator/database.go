package operator

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/service/store"
)

func newAdminBackup(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the database into a new file while the service runs", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.CompleteFiles,
		Long: `Copy the database into a new file while the service runs.

The copy is one consistent moment, is checked before it gets its name, can be
read by its owner alone and never replaces a file that is there. To restore it,
stop the service, put the file in the database's place (remove what ends in
-wal and -shm beside it), run ativa admin restored and start the service. A
PostgreSQL database is backed up with PostgreSQL's own tools.`,
		Example: "  ativa admin backup /var/backups/ativa/$(date +%F).db\n  ativa admin backup copy.db --db sqlite:/var/lib/ativa/ativa.db",
		RunE:    func(c *cobra.Command, args []string) error { return runAdminBackup(c.Context(), e, o, args[0]) },
	}
}

func runAdminBackup(ctx context.Context, e *cli.Env, o *adminOptions, file string) error {
	dsn, err := adminDatabase(e, o)
	if err != nil {
		return err
	}
	if file == "" || file == cli.StandardInput { // an unset variable, or - for standard output
		return cli.Usage("the backup needs the name of a file")
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return cli.Usage("there is no directory %s", filepath.Dir(file))
	}
	err = store.Backup(ctx, dsn, file)
	if errors.Is(err, fs.ErrExist) {
		return &cli.Failure{Exit: cli.ExitRefused, Code: "file_exists", Message: cli.Msg("there is a file %s already", file), Hint: cli.Msg("a backup never replaces a file; choose another name")}
	}
	if errors.Is(err, store.ErrUsePostgresTools) {
		return &cli.Failure{Exit: cli.ExitRefused, Code: "own_tools", Message: cli.Msg("%s", err), Hint: cli.Msg("see docs/scaling.md")}
	}
	if err != nil {
		return databaseFailure(err, cli.Msg("check --db (ATIVA_DB), and whether the directory of the backup may be written"))
	}
	e.Notice("backup written and checked: %s", file)
	return e.PrintSuccess(ctx)
}

type findingRow struct {
	Check    string      `json:"check"`
	Severity string      `json:"severity" column:"word"`
	Provider string      `json:"provider"`
	Detail   cli.Message `json:"detail" column:"prose"`
}

func toFindingRow(f store.Finding) findingRow {
	severity := "fault"
	if f.Note {
		severity = "note"
	}
	return findingRow{f.Check, severity, f.Provider, cli.Msg(f.Detail, f.Args...)}
}

func findings(l lang.Language) render.Schema[findingRow] {
	s := cli.SchemaOf[findingRow]("finding", "findings", "")
	cli.ColumnOf(s, "detail").Value = func(r findingRow) string { return r.Detail.Text(l) }
	return s
}

func newAdminCheck(e *cli.Env, o *adminOptions) *cobra.Command {
	schema := func() render.Schema[findingRow] { return findings(e.CellLanguage()) }
	return cli.Prints(e, schema, &cobra.Command{
		Use: "check", Short: "Look for damage in the database and for violations of the rules", Args: cli.Args(cobra.NoArgs),
		Long: `Look for damage in the database and for violations of the rules: counters that
differ from counts, gaps in the queue or the event feed, activations that wait
although there is room, a second live token of a product or family, operations and
deliveries that belong to nothing. It changes nothing, and the service may run. Exit
code 1 when there is a fault; notes do not count.`,
		Example: "  ativa admin check\n  ativa admin check -o json --jq '.findings[] | select(.severity==\"fault\")'",
	}, func(ctx context.Context, p *render.Printer[findingRow], _ []string) error {
		return runAdminCheck(ctx, e, o, p)
	})
}

func runAdminCheck(ctx context.Context, e *cli.Env, o *adminOptions, p *render.Printer[findingRow]) error {
	dsn, err := adminDatabase(e, o)
	if err != nil {
		return err
	}
	found, err := store.Check(ctx, dsn)
	if err != nil {
		return databaseError(err)
	}
	rows := cli.Map(found, toFindingRow)
	faults := len(slices.DeleteFunc(found, func(f store.Finding) bool { return f.Note }))
	var exit error
	if faults > 0 {
		exit = &cli.Failure{Exit: cli.ExitError, Code: "database_fault", Message: cli.Msg("the check found faults: %d", faults),
			Hint: cli.Msg("keep a copy of the file; restore a backup if the file is damaged")}
	}
	p.Respond(cli.Response(exit, false))
	if err := p.Results(ctx, nil, rows); err != nil || exit != nil {
		return cmp.Or(err, exit)
	}
	e.Notice("no fault found")
	return nil
}

type versionRow struct {
	Current int64  `json:"current_version" column:"title=version"`
	Target  int64  `json:"program_version" column:"title=program"`
	State   string `json:"state" column:"word"`
}

func toVersionRow(current, target int64) versionRow {
	state := "current"
	switch {
	case current < target:
		state = "pending"
	case current > target:
		state = "newer"
	}
	return versionRow{current, target, state}
}

func versions() render.Schema[versionRow] {
	return cli.SchemaOf[versionRow]("database", "databases", "")
}

func newAdminMigrate(e *cli.Env, o *adminOptions) *cobra.Command {
	var status bool
	c := &cobra.Command{
		Use: "migrate [--status]", Short: "Migrate the database to the version of this program, or print its version", Args: cli.Args(cobra.NoArgs),
		Long: `Migrate the database to the version of this program. The service and every other
admin command do so by themselves when they start; this one lets you choose the
moment. Take a backup first: it is the only way back.`,
		Example: "  ativa admin migrate --status\n  ativa admin backup before.db && ativa admin migrate",
	}
	c.Flags().BoolVar(&status, "status", false, "print the version and change nothing")
	return cli.Prints(e, versions, c, func(ctx context.Context, p *render.Printer[versionRow], _ []string) error {
		return runAdminMigrate(ctx, e, o, p, status)
	})
}

func runAdminMigrate(ctx context.Context, e *cli.Env, o *adminOptions, p *render.Printer[versionRow], status bool) error {
	dsn, err := adminDatabase(e, o)
	if err != nil {
		return err
	}
	if !status {
		if err := withDatabase(ctx, e, o, func(context.Context, *Parts) error { return nil }); err != nil {
			return err
		}
	}
	current, target, err := store.Version(ctx, dsn)
	if err != nil {
		return databaseError(err)
	}
	return p.One(ctx, nil, toVersionRow(current, target))
}
