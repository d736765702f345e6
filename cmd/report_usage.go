package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
)

type usageOptions struct {
	reportPeriod
	tokens, chart bool
}

type tokenUsageItem = client.Item[api.TokenUsage]

func productUsage() render.Schema[api.ProductUsage] {
	return render.Schema[api.ProductUsage]{One: "product", Many: "products", Empty: "nothing was enabled in this period", Columns: []render.Column[api.ProductUsage]{
		{Name: "content_supplier_product_id", Title: "product", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.ProductID) }},
		{Name: "name", Priority: 1, Value: func(r api.ProductUsage) string { return r.Name }},
		{Name: "code", ForPrograms: true, Value: func(r api.ProductUsage) string { return r.Code }},
		{Name: "enabled_at_start", Title: "at start", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.EnabledAtStart) }},
		{Name: "activated", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.Activated) }},
		{Name: "ended", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.Ended) }},
		{Name: "enabled_at_end", Title: "at end", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.EnabledAtEnd) }},
		{Name: "peak_enabled", Title: "peak", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.PeakEnabled) }},
		{Name: "enabled_days", Title: "days", Kind: render.Number, Value: func(r api.ProductUsage) string { return number(r.EnabledDays) }},
	}, JSON: cli.ToJSON[api.ProductUsage]}
}

func tokenUsage(names productNames) render.Schema[tokenUsageItem] {
	return render.Schema[tokenUsageItem]{One: "token", Many: "tokens", Empty: "nothing was enabled in this period", Columns: []render.Column[tokenUsageItem]{
		{Name: "document", Kind: render.Document, Value: func(r tokenUsageItem) string { return string(r.Value.Document) }},
		{Name: "content_supplier_product_id", Title: "product", Value: func(r tokenUsageItem) string { return names.cell(r.Value.ProductID) }},
		{Name: "token_created_at", Title: "token created", Kind: render.Time, ForPrograms: true, Value: func(r tokenUsageItem) string { return r.Value.TokenCreatedAt.String() }},
		{Name: "first_enabled_at", Title: "enabled from", Kind: render.Time, Value: func(r tokenUsageItem) string { return r.Value.FirstEnabledAt.String() }},
		{Name: "last_enabled_at", Title: "until", Kind: render.Time, Value: func(r tokenUsageItem) string { return r.Value.LastEnabledAt.String() }},
		{Name: "enabled_days", Title: "days", Kind: render.Number, Value: func(r tokenUsageItem) string { return number(r.Value.EnabledDays) }},
		{Name: "status", Kind: render.Status, Value: func(r tokenUsageItem) string { return r.Value.Status }},
	}, JSON: cli.RawJSON[api.TokenUsage]}
}

func newReportUsage(e *cli.Env) *cobra.Command {
	var o usageOptions
	c := &cobra.Command{
		Use: "usage", Short: "Show what was enabled in a month, by product or by token", Args: cli.Args(cobra.NoArgs),
		Long: `Show how many services of each product were enabled in a month, for the
accounts: at its start and its end, how many began and ceased to be enabled, the
most at the same time, and the sum of their days; a day counts if the service
was enabled at any moment of it. A service is enabled from when it is active
until it is suspended, overdue or cancelled; a change of product counts when the
partner has confirmed it.

The period is the last full month, or that of --month, or from --from to --to; a
period that is not over is reported up to now. Days begin and end in the time
zone of --tz, else of the key tz, else of America/Sao_Paulo. --tokens lists
every token. --chart draws a bar for each product: how many were enabled at the
end, and the most at the same time.`,
		Example: "  ativa report usage\n  ativa report usage --chart\n  ativa report usage --month 2026-11 --tz America/Manaus\n  ativa report usage --month 2026-11 --tokens --excel > november.csv",
		RunE:    func(c *cobra.Command, _ []string) error { return runReportUsage(c.Context(), e, o) },
	}
	o.addFlags(e, c)
	c.Flags().BoolVar(&o.tokens, "tokens", false, "list every token that was enabled, with its days")
	c.Flags().BoolVar(&o.chart, "chart", false, "draw a bar for each product instead of the table")
	cli.AddLimit(e, c)
	c.MarkFlagsMutuallyExclusive("chart", "limit")
	return cli.WithColumns(e, productUsage, c)
}

func runReportUsage(ctx context.Context, e *cli.Env, o usageOptions) error {
	period, err := o.resolve(e)
	if err != nil {
		return err
	}
	output := e.Global.Output
	switch {
	case o.chart && (o.tokens || output.IsSet() && output.Format != render.FormatTable && !output.IsUsual || len(output.Columns) > 0):
		return cli.Usage("--chart is a picture of the products: it has neither tokens nor columns nor another format").WithHint("leave it out: the same numbers are in the table")
	case o.tokens:
		return runTokenUsage(ctx, e, period)
	}
	options, err := e.RenderOptions()
	if err != nil {
		return err
	}
	p, err := cli.NewPrinterOf(e, options, productUsage())
	if err != nil {
		return err
	}
	return withReports(ctx, e, func(ctx context.Context, c *client.Client) error {
		u, err := c.Usage(ctx, period)
		if err != nil {
			return err
		}
		noticePeriod(e, u)
		defer noticeIncomplete(e, u)
		if o.chart && len(u.Products) > 0 {
			return writeChart(e, options.Screen, u.Products)
		}
		all := u.Products
		u.Products = p.First(all)
		return p.Results(ctx, cli.ToJSON(api.UsageResponse{Usage: u, Response: api.ResponseSuccess}), all)
	})
}

func runTokenUsage(ctx context.Context, e *cli.Env, period client.UsagePeriod) error {
	options, err := e.RenderOptions()
	if err != nil {
		return err
	}
	zone, err := api.LoadZone(period.TZ)
	if err != nil {
		return err
	}
	options.Zone = func() *time.Location { return zone }
	options.TimeText = func(t time.Time) string { return t.In(zone).Format(time.DateOnly) }
	names := productNames{}
	p, err := cli.NewPrinterOf(e, options, tokenUsage(names))
	if err != nil {
		return err
	}
	return withReports(ctx, e, func(ctx context.Context, c *client.Client) error {
		if err := names.read(ctx, c, p.Format()); err != nil {
			return err
		}
		u := api.Usage{From: period.From, To: period.To, TZ: period.TZ}
		noticePeriod(e, u)
		p.AddTrailingFields(func() any { return u })
		if err := p.List(ctx, c.TokenUsage(ctx, period, &u)); err != nil {
			return err
		}
		noticeIncomplete(e, u)
		return nil
	})
}
