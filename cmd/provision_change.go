package cmd

import (
	"cmp"
	"encoding/json"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// changeResult is the result of a change with both products.
type changeResult struct {
	api.BatchResult
	From api.Int `json:"previous_content_supplier_product_id"`
	To   api.Int `json:"content_supplier_product_id"`
}

func (r *provisionRun) changeResult(b api.BatchResult) changeResult {
	return changeResult{b, r.product.ID, r.to.ID}
}

// schema has the columns of every operation and, for a change, the products, in a table by
// name.
func (r *provisionRun) schema() render.Schema[api.BatchResult] {
	s := batchResults(r.CellLanguage())
	if r.operation != api.Change {
		return s
	}
	product := func(p *api.Product) func(api.BatchResult) string {
		return func(api.BatchResult) string {
			if r.CellLanguage() == lang.Codes {
				return number(p.ID)
			}
			return cmp.Or(p.Name, number(p.ID))
		}
	}
	s.JSON = func(b api.BatchResult) json.RawMessage { return cli.ToJSON(r.changeResult(b)) }
	s.Columns = append(s.Columns,
		render.Column[api.BatchResult]{Name: "previous_content_supplier_product_id", Title: "from", Value: product(&r.product)},
		render.Column[api.BatchResult]{Name: "content_supplier_product_id", Title: "to", Value: product(&r.to)})
	return s
}

func newChange(e *cli.Env) *cobra.Command {
	var o provisionOptions
	c := &cobra.Command{
		Use: "change DOC [--from P] --to P", Short: "Change one subscriber's service to another product of its family", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"swap", "trocar", "troca", "mudar"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 8"},
		Example:     "  ativa provision change 529.982.247-25 --from play-basic --to play-premium \\\n      --wait\n  ativa provision change 52998224725 --from 1 --to 2 -o json",
		RunE:        func(c *cobra.Command, args []string) error { return runBatch(c.Context(), e, api.Change, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.productText, "from", "", "the current product (default: the only one that can be changed to the new one)")
	f.StringVar(&o.toText, "to", "", "the new product")
	cli.Require(c, "to")
	f.BoolVarP(&o.wait, "wait", "w", false, "wait until the status is final (--timeout, default 10m)")
	e.CompleteFlag(c, "from", completeProducts(e))
	e.CompleteFlag(c, "to", completeProducts(e))
	return cli.WithColumns(e, (&provisionRun{rowRun: rowRun{Env: e}, operation: api.Change}).schema, c)
}
