package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
)

func newSubscribersExport(e *cli.Env) *cobra.Command {
	return subscribersCommand(e, exportColumns, &cobra.Command{
		Use: "export", Short: "Write all subscribers and their products as CSV that imports again", GroupID: "many", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"download", "exportar"},
		Long: `Write all subscribers with their products as CSV, in constant memory, or with
--status, --product or --older-than those with a service that meets all of them.
ativa subscribers import reads it again unchanged. Cancelled services are left out.

--excel writes what Excel opens without damage: a byte order mark, semicolons,
documents and telephone numbers with their punctuation, so that no zero is lost.`,
		Example: "  ativa subscribers export > subscribers.csv\n  ativa subscribers export --status overdue,suspend --excel > assinantes.csv",
	}, func(ctx context.Context, _ []string, o selectOptions) error {
		if o := e.Global.Output; (o.Format == "" || o.IsUsual) && o.JQ == "" && o.Template == "" {
			e.Global.Output.Format = render.FormatCSV
		}
		p, err := cli.NewPrinter(e, exportColumns())
		if err != nil {
			return err
		}
		return printSelected(ctx, e, p, o)
	})
}

// exportColumns returns the columns of an import.
func exportColumns() render.Schema[subscriberItem] {
	return render.Schema[subscriberItem]{One: "subscriber", Many: "subscribers", Empty: "no subscribers", Columns: []render.Column[subscriberItem]{
		{Name: api.FieldDocument, Kind: render.Document, Value: func(r subscriberItem) string { return r.Value.Document }},
		{Name: api.FieldName, Value: func(r subscriberItem) string { return r.Value.Name }},
		{Name: api.FieldEmail, Value: func(r subscriberItem) string { return r.Value.Email }},
		{Name: api.FieldPhone, Kind: render.Phone, Value: func(r subscriberItem) string { return r.Value.Phone }},
		{Name: api.FieldInternetSpeedID, Kind: render.Number, Value: func(r subscriberItem) string { return number(r.Value.InternetSpeedID) }},
		{Name: api.FieldCustomerPlan, Value: func(r subscriberItem) string { return r.Value.CustomerPlan }},
		{Name: api.FieldProductsIDs, Value: func(r subscriberItem) string { return productsNotCancelled(r.Value.Services) }},
	}, JSON: cli.RawJSON[api.Subscriber]}
}

// productsNotCancelled lists the products of uncancelled services, separated by |: Excel would
// read commas as a decimal number.
func productsNotCancelled(all []api.Service) string {
	var ids []string
	for _, s := range all {
		if !lifecycle.Ended(s.StatusID) {
			ids = append(ids, number(s.ProductID))
		}
	}
	return strings.Join(ids, "|")
}
