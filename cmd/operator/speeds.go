package operator

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

func speedRows() render.Schema[api.InternetSpeed] {
	return cli.SchemaOf[api.InternetSpeed]("internet_speed", "internet_speeds", "no internet speeds")
}

func toSpeedRow(s domain.InternetSpeed) api.InternetSpeed {
	return api.InternetSpeed{ID: api.Int(s.ID), Speed: s.Speed, Slug: s.Slug}
}

func newAdminSpeeds(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "speeds", Short: "Internet speeds that a subscriber can have"},
		newSpeedsAdd(e, o), newSpeedsList(e, o))
}

func newSpeedsList(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, speedRows, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the internet speeds", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin speeds list\n  ativa admin speeds list -o csv --columns id,speed",
	}), func(ctx context.Context, service *Parts, _ []string) ([]api.InternetSpeed, error) {
		all, err := service.Store.InternetSpeeds(ctx)
		return cli.Map(all, toSpeedRow), err
	})
}

func newSpeedsAdd(e *cli.Env, o *adminOptions) *cobra.Command {
	var id int
	return adminOne(e, o, speedRows, &cobra.Command{
		Use: "add ID TEXT", Short: "Add an internet speed; it can be used at once", Args: cli.Args(cobra.ExactArgs(2)),
		Long: `Add an internet speed to the list. Requests and spreadsheets can use it at once.
A speed is never changed or taken out: subscribers name its id.`,
		Example: "  ativa admin speeds add 39 \"2 Gbps\"\n  ativa admin speeds add 40 \"2,5 Gbps\" -o json",
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			if id, err = strconv.Atoi(args[0]); err != nil || id < 1 {
				return cli.Usage("%q is not the id of an internet speed, which is a positive number", args[0]).WithHint("`ativa admin speeds list` shows those that are taken")
			}
			return nil
		},
	}, func(ctx context.Context, service *Parts, args []string) (api.InternetSpeed, error) {
		added, err := service.Registry.AddInternetSpeed(ctx, id, args[1])
		return toSpeedRow(added), err
	})
}
