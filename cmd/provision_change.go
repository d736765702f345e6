package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

type changeOptions struct {
	from, to string
	wait     bool
}

// changeResult is the result of a change with its two products.
type changeResult struct {
	api.BatchResult
	From api.Int `json:"previous_content_supplier_product_id"`
	To   api.Int `json:"content_supplier_product_id"`
}

// changeResults are the columns of every operation and the products, by their names
// where there are any.
func changeResults(l lang.Language, names productNames) render.Schema[changeResult] {
	all := render.ColumnsOf(batchResults(l).Columns, func(r changeResult) api.BatchResult { return r.BatchResult })
	return render.Schema[changeResult]{One: "result", Many: "results", JSON: cli.ToJSON[changeResult], Columns: append(all,
		render.Column[changeResult]{Name: "previous_content_supplier_product_id", Title: "from", Value: func(r changeResult) string { return names.cell(r.From) }},
		render.Column[changeResult]{Name: "content_supplier_product_id", Title: "to", Value: func(r changeResult) string { return names.cell(r.To) }})}
}

func newChange(e *cli.Env) *cobra.Command {
	var o changeOptions
	names := productNames{}
	c := &cobra.Command{
		Use: "change DOC [--from P] --to P", Short: "Change one subscriber's service to another product of its family", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"swap", "trocar", "troca", "mudar"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 8"},
		Example:     "  ativa provision change 529.982.247-25 --from play-basic --to play-premium --wait\n  ativa provision change 52998224725 --from 1 --to 2 -o json",
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "the product it has; without it the only one that can be changed to the other is meant")
	f.StringVar(&o.to, "to", "", "the product it shall have")
	cli.Require(c, "to")
	f.BoolVarP(&o.wait, "wait", "w", false, "wait until the status is final (--timeout, default 10m)")
	e.CompleteFlag(c, "from", completeProducts(e))
	e.CompleteFlag(c, "to", completeProducts(e))
	schema := func() render.Schema[changeResult] { return changeResults(e.CellLanguage(), names) }
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[changeResult], args []string) error {
		return runChange(ctx, e, p, names, o, args[0])
	})
}

// findFrom finds the product that the subscriber has and that is going to be changed.
func (o *changeOptions) findFrom(ctx context.Context, e *cli.Env, c *client.Client, document string, to api.Product) (api.Product, error) {
	if o.from == "" {
		return meantProduct(ctx, e, c, document, support.Change, to.ID)
	}
	return findProduct(ctx, c, o.from)
}

func runChange(ctx context.Context, e *cli.Env, p *render.Printer[changeResult], names productNames, o changeOptions, which string) error {
	what := func(who string) cli.Message {
		if o.from == "" {
			return cli.Msg("change the service of %s to %s", who, o.to)
		}
		return cli.Msg("change %s to %s for %s", o.from, o.to, who)
	}
	return changeSubscriber(ctx, e, which, what, func(ctx context.Context, c *client.Client, target *subscriberArg) error {
		to, err := findProduct(ctx, c, o.to)
		if err != nil {
			return err
		}
		from, err := o.findFrom(ctx, e, c, target.document, to)
		if err != nil {
			return err
		}
		if p.Format() == render.FormatTable {
			names[from.ID], names[to.ID] = from.Name, to.Name
		}
		after := ""
		if o.wait {
			after = feedEnd(ctx, c)
		}
		done, err := support.Perform(ctx, c, support.Step{Action: support.Change, Document: target.document, Product: from, To: to})
		if err != nil {
			return err
		}
		if o.wait {
			w := newWaiter(e, to.ID)
			w.add(done.Result)
			err = w.wait(ctx, c, after)
			w.update(&done.Result)
		}
		printed := printOutcome(ctx, e, c, p.Format(), target, done, func() error {
			p.Respond(cli.Response(err, true))
			r := changeResult{done.Result, from.ID, to.ID}
			return p.Results(ctx, cli.ToJSON(map[string]any{"response": api.ResponseSuccess, "result": r}), []changeResult{r})
		})
		if err == nil {
			err = printed
		}
		return err
	})
}
