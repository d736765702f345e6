package cmd

import (
	"cmp"
	"context"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
)

// meantProduct finds and prints the product of an action on one subscriber if none is given.
// No or several candidates are a usage error.
func meantProduct(ctx context.Context, e *cli.Env, c *client.Client, document string, a api.Operation, to api.Int) (api.Product, error) {
	o, err := readOverview(ctx, e, c, document)
	if err != nil {
		return api.Product{}, err
	}
	if a == api.Change {
		if err := o.CheckChanges(ctx, c); err != nil {
			return api.Product{}, err
		}
	}
	flag := "--product"
	if a == api.Change {
		flag = "--from"
	}
	switch meant := o.Meant(a, to); len(meant) {
	case 0:
		return api.Product{}, cli.Usage("%s is needed: %s has no live service", flag, cli.MaskDocument(document)).WithHint("see `ativa products`")
	case 1:
		e.Notice("%s (%s) is meant", meant[0].Name, cmp.Or(meant[0].Code, number(meant[0].ID)))
		return meant[0], nil
	default:
		names := cli.Map(meant, func(p api.Product) string { return cmp.Or(p.Code, number(p.ID)) })
		return api.Product{}, cli.Usage("%s is needed: %s has %d services", flag, cli.MaskDocument(document), len(meant)).WithHint("one of %s", strings.Join(names, ", "))
	}
}
