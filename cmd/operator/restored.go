package operator

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/service/store"
)

func newAdminRestored(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "restored", Short: "Prepare a restored database, before the service starts", Args: cli.Args(cobra.NoArgs),
		Long: `Prepare a restored database, before the service starts.

What happened after the backup is lost, but partners and receivers know of it. From
now on operations, deliveries and subscribers get ids that were not given out
before, so that nobody takes them for a repetition; a backup made by ativa admin
backup has them already. Scheduled operations that became due meanwhile are
cancelled and named, because they may have been carried out or cancelled: schedule
again those that shall happen.`,
		Example: "  ativa admin restored\n  ativa admin restored --db sqlite:/var/lib/ativa/ativa.db",
		RunE:    func(c *cobra.Command, _ []string) error { return runAdminRestored(c.Context(), e, o) },
	}
}

func runAdminRestored(ctx context.Context, e *cli.Env, o *adminOptions) error {
	return openDatabase(ctx, e, o, store.Options{Exclusive: true, Schema: store.MigrateSchema}, func(ctx context.Context, service *Parts) error {
		if err := service.Store.SkipIDs(ctx); err != nil {
			return err
		}
		names, err := providerNames(ctx, service)
		if err != nil {
			return err
		}
		cancelled, err := service.Rules.CancelDueSchedules(ctx)
		for _, s := range cancelled {
			e.Notice("%s of %s is cancelled, it was due at %s: %s", s.ID, names[s.ID.Provider()], cli.FormatTime(s.At), s.Request)
		}
		if err != nil {
			return err
		}
		e.Notice("ids continue with new numbers; scheduled operations that are cancelled: %d", len(cancelled))
		return e.PrintSuccess(ctx)
	})
}
