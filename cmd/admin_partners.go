package cmd

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/provision"
	"ativa/internal/render"
)

// partnerRow is a partner without its secret.
type partnerRow struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Driver      string  `json:"driver"`
	Delay       string  `json:"delay,omitempty"`
	FailureRate float64 `json:"failure_rate,omitempty"`
	Created     string  `json:"created_at"`
}

func partners() render.Shape[partnerRow] {
	return render.Shape[partnerRow]{One: "partner", Many: "partners", Columns: []render.Column[partnerRow]{
		{Name: "id", Kind: render.Number, Value: func(r partnerRow) string { return strconv.FormatInt(r.ID, 10) }},
		{Name: "name", Value: func(r partnerRow) string { return r.Name }},
		{Name: "driver", Value: func(r partnerRow) string { return r.Driver }},
		{Name: "delay", Value: func(r partnerRow) string { return r.Delay }},
		{Name: "failure_rate", Kind: render.Number, Value: func(r partnerRow) string { return strconv.FormatFloat(r.FailureRate, 'g', -1, 64) }},
	}, JSON: asJSON[partnerRow]}
}

func toPartnerRow(p provision.Partner) partnerRow {
	r := partnerRow{ID: int64(p.ID), Name: p.Name, Driver: string(p.Driver), FailureRate: p.FailureRate, Created: stamp(p.CreatedAt)}
	if p.Delay > 0 {
		r.Delay = p.Delay.String()
	}
	return r
}

func newAdminPartners(e *env, o *adminOptions) *cobra.Command {
	return group("partners", "Who carries out operations and confirms them", newPartnersCreate(e, o), newPartnersList(e, o))
}

func newPartnersCreate(e *env, o *adminOptions) *cobra.Command {
	var p provision.Partner
	var driver string
	c := &cobra.Command{
		Use: "create NAME --driver manual|simulator", Short: "Add a partner; its signing secret is printed once", Args: args(cobra.ExactArgs(1)),
		Long: `Add a partner; its signing secret is printed once.

With the driver manual an operator confirms (ativa admin operations confirm), or
the partner by signed events (POST /partner/events). The simulator confirms by
itself after a delay.`,
		Example: "  ativa admin partners create parceiro --driver manual\n  ativa admin partners create simulado --driver simulator --delay 2s --failure-rate 0.1",
		RunE: func(c *cobra.Command, args []string) error {
			p.Name, p.Driver = args[0], provision.Driver(driver)
			return runPartnersCreate(c.Context(), e, o, p)
		},
	}
	c.Flags().StringVar(&driver, "driver", "", "manual or simulator")
	c.Flags().DurationVar(&p.Delay, "delay", 2*time.Second, "simulator: how long it takes to confirm")
	c.Flags().Float64Var(&p.FailureRate, "failure-rate", 0, "simulator: share of operations that fail, 0 to 1")
	return c
}

func runPartnersCreate(ctx context.Context, e *env, o *adminOptions, p provision.Partner) error {
	if p.Driver != provision.DriverManual && p.Driver != provision.DriverSimulator {
		return usage("--driver is manual or simulator, not %q", p.Driver)
	}
	if p.Driver == provision.DriverManual {
		p.Delay = 0
	}
	printer, err := newPrinter(e, partners())
	if err != nil {
		return err
	}
	return e.administer(ctx, o, func(ctx context.Context, m *provision.Manager) error {
		created, err := m.CreatePartner(ctx, p)
		if err != nil {
			return err
		}
		secret, row := provision.Secret(created.Secret), toPartnerRow(created)
		doc, err := secretDocument("partner", row, "secret", secret)
		if err != nil {
			return err
		}
		if err := printer.One(ctx, doc, row); err != nil {
			return err
		}
		return e.tellSecret(printer.Format(), "secret", secret)
	})
}

func newPartnersList(e *env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the partners", Args: args(cobra.NoArgs), Example: "  ativa admin partners list",
		RunE: func(c *cobra.Command, _ []string) error {
			return adminList(c.Context(), e, o, partners(), func(ctx context.Context, m *provision.Manager) ([]partnerRow, error) {
				all, err := m.Partners(ctx)
				return mapped(all, toPartnerRow), err
			})
		},
	}
}
