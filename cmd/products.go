package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
)

type productItem = client.Item[api.Product]

func products(l lang.Language) render.Schema[productItem] {
	return render.Schema[productItem]{One: "content_supplier_product", Many: "content_supplier_products", Empty: "no products", Columns: []render.Column[productItem]{
		{Name: "id", Kind: render.Number, Value: func(r productItem) string { return number(r.Value.ID) }},
		{Name: "code", Value: func(r productItem) string { return r.Value.Code }},
		{Name: "name", Priority: 1, Min: 14, Value: func(r productItem) string { return r.Value.Name }},
		{Name: "active", Kind: render.Word, Value: func(r productItem) string { return cli.YesNo(bool(r.Value.Active)) }},
		{Name: "can", Kind: render.Codes, Min: 20, Value: func(r productItem) string { return strings.Join(r.Value.Can, " ") },
			Short: func(r productItem) string { return cli.ActionWords(l, r.Value.Can) }},
		{Name: "help_url", Title: "help", Kind: render.Path, Priority: -1, Value: func(r productItem) string { return string(r.Value.HelpURL) }},
		{Name: "instructions", Priority: -2, Value: func(r productItem) string { return string(r.Value.Instructions) }},
	}, JSON: cli.RawJSON[api.Product]}
}

func newProducts(e *cli.Env) *cobra.Command {
	return cli.Lists(e, func() render.Schema[productItem] { return products(e.CellLanguage()) }, &cobra.Command{
		Use: "products", Short: "List the products, and what can be done with each", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"produtos", "produto", "catalog"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Example:     "  ativa products\n  ativa products -o json",
	}, func(ctx context.Context, c *client.Client, _ []string) ([]productItem, error) { return c.Products(ctx) })
}

// findProduct finds a product by id, code or name, in this order. An ambiguous code or name
// is an error.
func findProduct(ctx context.Context, c *client.Client, wanted string) (api.Product, error) {
	records, err := c.Products(ctx)
	if err != nil {
		return api.Product{}, err
	}
	for _, is := range []func(api.Product) bool{
		func(p api.Product) bool { return number(p.ID) == wanted },
		func(p api.Product) bool { return strings.EqualFold(p.Code, wanted) },
		func(p api.Product) bool { return strings.EqualFold(p.Name, wanted) },
	} {
		found := slices.DeleteFunc(slices.Clone(records), func(r productItem) bool { return !is(r.Value) })
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0].Value, nil
		}
		return api.Product{}, cli.Usage("%d products are called %q: %s", len(found), wanted, productCodes(found)).WithHint("use the id")
	}
	return api.Product{}, cli.NotFound("no product has the id, code or name %q", wanted).WithHint("%s", productHint(wanted, records))
}

// productHint suggests the nearest product, if any, and lists all products.
func productHint(wanted string, records []productItem) cli.Message {
	var words []string
	for _, r := range records {
		words = append(words, cmp.Or(r.Value.Code, number(r.Value.ID)), r.Value.Name)
	}
	if near := failure.Nearest(wanted, words); len(near) > 0 {
		return cli.Msg("did you mean %s? products: %s", near[0], productCodes(records))
	}
	return cli.Msg("products: %s", productCodes(records))
}

func productCodes(records []productItem) string {
	return strings.Join(cli.Map(records, func(r productItem) string { return number(r.Value.ID) + " " + r.Value.Code }), ", ")
}

// addProductFlag adds the flag that names a product.
func addProductFlag(e *cli.Env, c *cobra.Command, product *string, usage string) {
	c.Flags().StringVarP(product, "product", "p", "", usage)
	e.CompleteFlag(c, "product", completeProducts(e))
}
