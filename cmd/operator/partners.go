package operator

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

// partnerRow is a partner without its secret.
type partnerRow struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Driver      string  `json:"driver" column:"codes"`
	URL         string  `json:"url,omitempty" column:"path"`
	Delay       string  `json:"delay,omitempty"`
	FailureRate float64 `json:"failure_rate,omitempty"`
	Created     string  `json:"created_at" column:"-"`
}

func partners() render.Schema[partnerRow] {
	return cli.SchemaOf[partnerRow]("partner", "partners", "no partners")
}

func toPartnerRow(p domain.Partner) partnerRow {
	r := partnerRow{ID: int64(p.ID), Name: p.Name, Driver: string(p.Driver), URL: p.URL, FailureRate: p.FailureRate, Created: cli.FormatTime(p.CreatedAt)}
	if p.Delay > 0 {
		r.Delay = p.Delay.String()
	}
	return r
}

func newAdminPartners(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "partners", Short: "Who carries out operations and confirms them"},
		newPartnersCreate(e, o), newPartnersEvents(e, o), newPartnersList(e, o), newPartnersReplay(e, o), newPartnersRotate(e, o), newPartnersUpdate(e, o))
}

func newPartnersCreate(e *cli.Env, o *adminOptions) *cobra.Command {
	var p domain.Partner
	var driver string
	c := &cobra.Command{
		Use: "create NAME --driver manual|simulator|http", Short: "Add a partner; its signing secret is printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Add a partner; its signing secret is printed once.

With the driver http each operation is posted to the partner's URL, signed with
the secret (Standard Webhooks); any 2xx accepts it, and the partner confirms by a
signed event (POST /partner/events). With manual nobody is called: an operator
confirms (ativa admin operations confirm), or the partner by an event. The
simulator confirms by itself after a delay. See docs/operating.md.`,
		Example: "  ativa admin partners create parceiro --driver http \\\n      --url https://partner.example.com/ativa\n  ativa admin partners create parceiro --driver manual\n  ativa admin partners create simulado --driver simulator --delay 2s \\\n      --failure-rate 0.1",
		PreRunE: func(_ *cobra.Command, args []string) error {
			p.Name, p.Driver = args[0], domain.Driver(driver)
			return checkDriver(&p)
		},
	}
	c.Flags().StringVar(&driver, "driver", "", "manual, simulator or http")
	return adminSecret(e, o, partners, "secret", addPartnerFlags(c, &p), func(ctx context.Context, service *Parts, _ []string) (partnerRow, string, error) {
		created, err := service.Registry.CreatePartner(ctx, p)
		return toPartnerRow(created), domain.Secret(created.Secret), err
	})
}

// addPartnerFlags adds the flags that depend on the driver.
func addPartnerFlags(c *cobra.Command, p *domain.Partner) *cobra.Command {
	c.Flags().StringVar(&p.URL, "url", "", "http: where operations are posted")
	cli.AddSpanFlag(c.Flags(), &p.Delay, "delay", 2*time.Second, "simulator: how long it takes to confirm")
	c.Flags().Float64Var(&p.FailureRate, "failure-rate", 0, "simulator: share of operations that fail, 0 to 1")
	return c
}

// checkDriver refuses flags that do not belong to the driver, and clears their defaults.
func checkDriver(p *domain.Partner) error {
	switch p.Driver {
	case domain.DriverSimulator:
	case domain.DriverManual, domain.DriverHTTP:
		p.Delay, p.FailureRate = 0, 0
	default:
		return cli.Usage("--driver is manual, simulator or http, not %q", p.Driver)
	}
	if (p.Driver == domain.DriverHTTP) != (p.URL != "") {
		return cli.Usage("--url and --driver http go together")
	}
	return nil
}

func newPartnersUpdate(e *cli.Env, o *adminOptions) *cobra.Command {
	var to domain.Partner
	c := addPartnerFlags(&cobra.Command{
		Use: "update NAME", Short: "Change where a partner is called, or how it is simulated", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Change where a partner is called, or how it is simulated.

Pending requests go to the new URL from then on, with the same ids and signed with
the same secret.`,
		Example: "  ativa admin partners update parceiro \\\n      --url https://new.partner.example.com/ativa\n  ativa admin partners update parceiro-simulado --delay 10s --failure-rate 0",
	}, &to)
	return adminOne(e, o, partners, c, func(ctx context.Context, service *Parts, args []string) (partnerRow, error) {
		changed, err := service.Registry.UpdatePartner(ctx, args[0], func(p *domain.Partner) error { return updatePartner(p, to, c.Flags().Changed) })
		return toPartnerRow(changed), err
	})
}

func newPartnersRotate(e *cli.Env, o *adminOptions) *cobra.Command {
	c := &cobra.Command{
		Use: "rotate NAME", Short: "Give a partner a new signing secret, printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Give a partner a new signing secret, printed once.

The old secret ends at once: requests to the partner are signed with the new one, and
events that the partner signs with the old one are refused with 401 until it has the
new one.`,
		Example: "  ativa admin partners rotate parceiro\n  ativa admin partners rotate parceiro -o json --jq .secret",
	}
	return adminSecret(e, o, partners, "secret", c, func(ctx context.Context, service *Parts, args []string) (partnerRow, string, error) {
		changed, err := service.Registry.RotatePartner(ctx, args[0])
		return toPartnerRow(changed), domain.Secret(changed.Secret), err
	})
}

// updatePartner applies the given flags, which must belong to the partner's driver.
func updatePartner(p *domain.Partner, to domain.Partner, given func(flag string) bool) error {
	http, simulated := given("url"), given("delay") || given("failure-rate")
	if http == simulated || http != (p.Driver == domain.DriverHTTP) || simulated != (p.Driver == domain.DriverSimulator) {
		return cli.Usage("--url changes a partner of the driver http, --delay and --failure-rate one of the driver simulator")
	}
	if http {
		p.URL = to.URL
	}
	if given("delay") {
		p.Delay = to.Delay
	}
	if given("failure-rate") {
		p.FailureRate = to.FailureRate
	}
	return nil
}

func newPartnersList(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, partners, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the partners", Args: cli.Args(cobra.NoArgs), Example: "  ativa admin partners list\n  ativa admin partners list -o name",
	}), func(ctx context.Context, service *Parts, _ []string) ([]partnerRow, error) {
		all, err := service.Store.Partners(ctx)
		return cli.Map(all, toPartnerRow), err
	})
}
