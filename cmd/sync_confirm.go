package cmd

import (
	"context"
	"strings"

	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/client"
)

// confirmPlan shows the first steps of a plan, with names, and asks. What nobody
// is asked about is not read.
func confirmPlan(ctx context.Context, e *cli.Env, c *client.Client, plan *bulk.Plan) error {
	protected, err := e.AsksForContext()
	if err != nil {
		return err
	}
	if !protected {
		if asks, err := e.AsksToConfirm(); err != nil || !asks {
			return err
		}
	}
	what, err := planPreview(ctx, e, c, plan)
	if err != nil {
		return err
	}
	return e.ConfirmOnce(cli.Msg("Make %d [change|changes]?", plan.Changes()), what, plan.Count(bulk.ActionDeactivate))
}

// planPreview are the first steps of a plan for the person who is asked.
func planPreview(ctx context.Context, e *cli.Env, c *client.Client, plan *bulk.Plan) ([]cli.Message, error) {
	const shown = 20
	products := productNames{}
	if err := products.read(ctx, c); err != nil {
		return nil, err
	}
	var all []cli.Message
	for _, a := range plan.Actions {
		if len(all) == shown {
			return append(all, cli.Msg("and %d more", len(plan.Actions)-shown)), nil
		}
		who := subscriberArg{document: a.Document}
		if a.Row != nil {
			who.name = a.Row.Name
		}
		name, err := who.who(ctx, c)
		if client.KindOf(err) == client.KindNotFound {
			name, err = cli.MaskDocument(a.Document), nil
		}
		if err != nil {
			return nil, err
		}
		words := cli.Msg("%s %s", cli.Msg(a.Kind), name)
		if a.ProductID != 0 {
			words = cli.Msg("%s: %s", words, products.cell(a.ProductID))
		}
		if more := strings.TrimSpace(strings.Join(cli.Map(a.Fields, e.Lang.Text), ", ") + " " + reasonText(e.Lang, a.Reason)); more != "" {
			words = cli.Msg("%s (%s)", words, more)
		}
		all = append(all, words)
	}
	return all, nil
}
