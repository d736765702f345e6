package operator

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

type adminOptions struct {
	db      string
	creates bool // the command begins a database that is missing or empty
}

// NewAdmin returns `ativa admin` with all its commands.
func NewAdmin(e *cli.Env) *cobra.Command {
	var o adminOptions
	c := e.Group(&cobra.Command{
		Use: "admin", Short: "The operator's side, on the service's own database", GroupID: "service",
		Annotations: map[string]string{cli.ExitCodes: "3 5 9"},
	},
		newAdminBackup(e, &o),
		newAdminCallbacks(e, &o),
		newAdminCheck(e, &o),
		newAdminCopy(e),
		newAdminDeliveries(e, &o),
		newAdminExport(e, &o),
		newAdminMigrate(e, &o),
		newAdminOperations(e, &o),
		newAdminPartners(e, &o),
		newAdminProducts(e, &o),
		newAdminProviders(e, &o),
		newAdminRecord(e, &o),
		newAdminRestored(e, &o),
		newAdminSpeeds(e, &o),
		newAdminTokens(e, &o),
	)
	c.PersistentFlags().StringVar(&o.db, "db", "", "database: sqlite:PATH, postgres://… or host=… dbname=… (ATIVA_DB; default the file in the state directory, if it is there)")
	return c
}

// withDatabase opens the database, also of a running service, and runs do.
func withDatabase(ctx context.Context, e *cli.Env, o *adminOptions, do func(context.Context, *Parts) error) error {
	signal.Ignore(syscall.SIGPIPE)                     // it would end the process before it records the change
	open := store.Options{Schema: store.MigrateSchema} // a mistyped name must not become a new database
	if o.creates {
		open.Schema = store.CreateSchema
	}
	return openDatabase(ctx, e, o, open, do)
}

func openDatabase(ctx context.Context, e *cli.Env, o *adminOptions, open store.Options, do func(context.Context, *Parts) error) error {
	dsn, err := adminDatabase(e, o)
	if err != nil {
		return err
	}
	path, isFile := strings.CutPrefix(dsn, "sqlite:")
	_, missing := os.Stat(path)
	open.Waiting = func() { e.Notice("another program has locked the database: waiting for it") }
	db, err := store.Open(ctx, dsn, open)
	if errors.Is(err, store.ErrNoSchema) {
		return databaseFailure(err, cli.Msg("check --db (ATIVA_DB); `ativa admin providers create` and `ativa serve` create a new one"))
	}
	if err != nil {
		return databaseError(err)
	}
	if isFile && missing != nil {
		e.Notice("created a new database: %s", path)
	}
	return errors.Join(adminError(do(ctx, newParts(db, rules.Options{Clock: e.Now, LeaveRequests: true}))), db.Close())
}

// adminList makes c print the rows that read returns.
func adminList[T any](e *cli.Env, o *adminOptions, schema func() render.Schema[T], c *cobra.Command, read func(ctx context.Context, service *Parts, args []string) ([]T, error)) *cobra.Command {
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[T], args []string) error {
		return withDatabase(ctx, e, o, func(ctx context.Context, service *Parts) error {
			rows, err := read(ctx, service, args)
			if err != nil {
				return err
			}
			return p.Results(ctx, nil, rows)
		})
	})
}

// adminOne makes c print the one row that change returns.
func adminOne[T any](e *cli.Env, o *adminOptions, schema func() render.Schema[T], c *cobra.Command, change func(ctx context.Context, service *Parts, args []string) (T, error)) *cobra.Command {
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[T], args []string) error {
		return withDatabase(ctx, e, o, func(ctx context.Context, service *Parts) error {
			row, err := change(ctx, service, args)
			if err != nil {
				return err
			}
			return p.One(ctx, nil, row)
		})
	})
}

// adminSecret makes c print the row that create returns, with its secret under that name.
func adminSecret[T any](e *cli.Env, o *adminOptions, schema func() render.Schema[T], name string, c *cobra.Command, create func(ctx context.Context, service *Parts, args []string) (T, string, error)) *cobra.Command {
	return cli.PrintsSecret(e, schema, name, c, func(ctx context.Context, p cli.SecretPrinter[T], args []string) error {
		return withDatabase(ctx, e, o, func(ctx context.Context, service *Parts) error {
			row, secret, err := create(ctx, service, args)
			if err != nil {
				return err
			}
			return p.Show(ctx, row, secret)
		})
	})
}

// adminDatabase returns the database of an operator's command. The default
// one must exist.
func adminDatabase(e *cli.Env, o *adminOptions) (string, error) {
	if dsn := cmp.Or(o.db, e.Getenv("ATIVA_DB")); dsn != "" {
		return dsn, nil
	}
	dsn, _, err := defaultDatabase(e, false)
	if err != nil {
		return "", err
	}
	path := strings.TrimPrefix(dsn, "sqlite:")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", cli.Usage("no database is named, and there is none at %s", path).
			WithHint("name that of the service: --db sqlite:PATH or --db postgres://…, or ATIVA_DB")
	}
	return dsn, nil
}

// adminError converts a domain error, or a fault of the database, to a failure with its exit code.
func adminError(err error) error {
	if fault := store.Fault(err); fault != nil {
		err = fault
	}
	refused, ok := errors.AsType[*domain.Error](err)
	if !ok || errors.Is(err, context.Canceled) {
		return err
	}
	f := &cli.Failure{Exit: cli.ExitRefused, Code: string(refused.Code), Message: cli.Msg(refused.Message)}
	if refused.Subject != "" {
		f.Hint = cli.Msg("`ativa admin %s list` shows them", string(refused.Subject))
	}
	if len(refused.Fields) > 0 {
		f.Message = cli.Msg("%s: %s", refused.Fields[0].Field, cli.Msg(refused.Fields[0].Message))
	}
	switch refused.Code {
	case domain.NotFound, domain.SubscriberNotFound:
		f.Exit = cli.ExitNotFound
	case domain.ValidationFailed:
		f.Exit = cli.ExitUsage
	case domain.Unavailable:
		f.Exit, f.Hint = cli.ExitUnavailable, cli.Msg("check the database of --db (ATIVA_DB), its disk and what else uses it, and try again")
	}
	return f
}

func providerNames(ctx context.Context, service *Parts) (map[domain.ProviderID]string, error) {
	all, err := service.Store.Providers(ctx)
	return namesByID(all, func(p domain.Provider) (domain.ProviderID, string) { return p.ID, p.Name }), err
}

func partnerNames(ctx context.Context, service *Parts) (map[domain.PartnerID]string, error) {
	all, err := service.Store.Partners(ctx)
	return namesByID(all, func(p domain.Partner) (domain.PartnerID, string) { return p.ID, p.Name }), err
}

func namesByID[T any, ID comparable](all []T, of func(T) (ID, string)) map[ID]string {
	names := map[ID]string{}
	for _, t := range all {
		id, name := of(t)
		names[id] = name
	}
	return names
}
