package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/provision"
	"ativa/internal/store"
)

// adminOptions are what every admin command has.
type adminOptions struct {
	db string
}

func newAdmin(e *env) *cobra.Command {
	var o adminOptions
	c := e.group("admin", "The operator's side, on the service's own database", func() []*cobra.Command {
		return []*cobra.Command{newAdminProviders(e, &o), newAdminProducts(e, &o), newAdminSpeeds(e, &o), newAdminPartners(e, &o), newAdminOperations(e, &o),
			newAdminCallbacks(e, &o), newAdminDeliveries(e, &o),
			newAdminBackup(e, &o), newAdminCopy(e), newAdminCheck(e, &o), newAdminMigrate(e, &o), newAdminExport(e, &o)}
	})
	c.PersistentFlags().StringVar(&o.db, "db", "", "database: sqlite:PATH or postgres://… (ATIVA_DB; default the file in the state directory, if it is there)")
	return c
}

// administer opens the database beside a running service and runs do.
func (e *env) administer(ctx context.Context, o *adminOptions, do func(context.Context, *provision.Manager) error) error {
	dsn, err := e.operated(o)
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(dsn, "sqlite:")
	_, missing := os.Stat(path)
	db, err := store.Open(ctx, dsn, store.Options{})
	if err != nil {
		return databaseError(err)
	}
	if _, err := os.Stat(path); err == nil && missing != nil {
		e.remark("a new database was begun: %s", path)
	}
	return errors.Join(adminError(do(ctx, provision.NewManager(db, provision.Options{}))), db.Close())
}

// operated is the database that an operator's command works on. One that is named
// may be new; that of the state directory must be there.
func (e *env) operated(o *adminOptions) (string, error) {
	dsn, err := e.database(o.db, "ativa.db")
	if err != nil || o.db != "" || e.getenv("ATIVA_DB") != "" {
		return dsn, err
	}
	path := strings.TrimPrefix(dsn, "sqlite:")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", usage("no database is named, and there is none at %s", path).
			withHint("name that of the service: --db sqlite:PATH or --db postgres://…, or ATIVA_DB")
	}
	return dsn, nil
}

// adminError gives a refusal of the rules its exit code.
func adminError(err error) error {
	refused, ok := errors.AsType[*provision.Error](err)
	if !ok {
		return err
	}
	f := &failure{exit: exitRefused, code: string(refused.Code), message: say(refused.Message), hint: adminHint(refused.Message)}
	if len(refused.Fields) > 0 {
		f.message = say("%s: %s", refused.Fields[0].Field, say(refused.Fields[0].Message))
	}
	switch refused.Code {
	case provision.NotFound, provision.SubscriberNotFound:
		f.exit = exitNotFound
	case provision.ValidationFailed:
		f.exit = exitUsage
	case provision.Unavailable:
		f.exit = exitUnavailable
	}
	return f
}

// adminHint is where to look for what a refusal of the rules does not find.
func adminHint(message string) phrase {
	switch message {
	case "no provider has this name", "no such token":
		return say("`ativa admin providers list` shows them")
	case "no product has this id":
		return say("`ativa admin products list` shows them")
	case "this internet speed exists":
		return say("`ativa admin speeds list` shows it")
	case "no operation has this id":
		return say("`ativa admin operations list` shows those that wait")
	case "the provider has no callback":
		return say("`ativa admin callbacks set` registers one")
	}
	return phrase{}
}
