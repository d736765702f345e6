package operator

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

type productRow struct {
	ID      int      `json:"id"`
	Code    string   `json:"code"`
	Name    string   `json:"name" column:"priority=1,min=14"`
	Family  string   `json:"family"`
	Partner string   `json:"partner"`
	Active  bool     `json:"active"`
	Can     []string `json:"can"`

	HelpURL      string `json:"help_url" column:"path,title=help,priority=-1"`
	Instructions string `json:"instructions" column:"priority=-2"`
}

func productRows(l lang.Language) render.Schema[productRow] {
	s := cli.SchemaOf[productRow]("product", "products", "no products")
	cli.ColumnOf(s, "can").Short = func(r productRow) string { return cli.ActionWords(l, r.Can) }
	return s
}

func toProductRow(p domain.Product, partners map[domain.PartnerID]string) productRow {
	return productRow{p.ID, p.Code, p.Name, p.Family, partners[p.Partner], p.Active, p.Can.Names(), p.HelpURL, p.Instructions}
}

func newAdminProducts(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "products", Short: "What may be sold, and by whom"},
		newProductsCreate(e, o),
		newGrant(e, o, "grant", "Let a provider sell products", true),
		newProductsList(e, o),
		newGrant(e, o, "revoke", "Forbid a provider to sell products; services that exist stay", false),
		newProductsUpdate(e, o))
}

type productFlags struct {
	id                          int
	name, code, family, partner string
	can                         []string
	inactive                    bool

	helpURL, instructionsFile, instructions string

	partnerID domain.PartnerID // of partner
}

func (f *productFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "name", "", "name that people see")
	c.Flags().StringVar(&f.code, "code", "", "short unique code")
	c.Flags().StringVar(&f.family, "family", "", "products of one family replace each other")
	c.Flags().StringVar(&f.partner, "partner", "", "name of the partner who carries out its operations")
	cli.AddListFlag(c.Flags(), &f.can, "can", "what is allowed: "+strings.Join(domain.CanAll.Names(), ", ")+" (default: all)")
	c.Flags().BoolVar(&f.inactive, "inactive", false, "cannot be activated")
}

// findPartner looks up the partner of the flag, if it is given.
func (f *productFlags) findPartner(ctx context.Context, service *Parts) error {
	if f.partner == "" {
		return nil
	}
	partners, err := service.Store.Partners(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(partners, func(p domain.Partner) bool { return p.Name == f.partner })
	if i < 0 {
		return cli.NotFound("no partner is called %q", f.partner).WithHint("see `ativa admin partners list`")
	}
	f.partnerID = partners[i].ID
	return nil
}

// apply writes the given flags into a product.
func (f *productFlags) apply(set func(flag string) bool, p *domain.Product) error {
	for flag, field := range map[string]struct {
		to   *string
		from string
	}{
		"name": {&p.Name, f.name}, "code": {&p.Code, f.code}, "family": {&p.Family, f.family},
		"help-url": {&p.HelpURL, f.helpURL}, "instructions-file": {&p.Instructions, f.instructions},
	} {
		if set(flag) {
			*field.to = field.from
		}
	}
	if set("partner") {
		p.Partner = f.partnerID
	}
	if set("inactive") {
		p.Active = !f.inactive
	}
	if set("can") {
		can, err := domain.ParseActions(f.can)
		if err != nil {
			return err
		}
		p.Can = can
	}
	return nil
}

func newProductsCreate(e *cli.Env, o *adminOptions) *cobra.Command {
	var f productFlags
	c := &cobra.Command{
		Use: "create --id N --name S --code S", Short: "Add a product", Args: cli.Args(cobra.NoArgs),
		Example: `  ativa admin products create --id 7 --name "Play Básico" --code play-basic \
      --family play --partner parceiro
  ativa admin products create --id 8 --name Cursos --code cursos \
      --can activate,deactivate`,
	}
	c.Flags().IntVar(&f.id, "id", 0, "id, as provisioning requests name it")
	f.add(c)
	return printProduct(e, o, c, func(ctx context.Context, service *Parts) (domain.Product, error) {
		p := domain.Product{ID: f.id, Active: true, Can: domain.CanAll}
		if err := cmp.Or(f.findPartner(ctx, service), f.apply(c.Flags().Changed, &p)); err != nil {
			return p, err
		}
		return p, service.Registry.CreateProduct(ctx, p)
	})
}

func newProductsUpdate(e *cli.Env, o *adminOptions) *cobra.Command {
	var f productFlags
	var ids []int
	c := &cobra.Command{
		Use: "update ID", Short: "Change a product; what is not given stays", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Change a product; what is not given stays.

How subscribers use it is plain text of at most 2,000 characters, in Portuguese.
They read it, with an address that leads to more, in the activation e-mail and on
the page of an active service; support staff, in the desk and in the message for
the subscriber. An empty file, or address, removes it.`,
		Example: "  ativa admin products update 7 --inactive\n  ativa admin products update 7 --inactive=false \\\n      --can activate,suspend,deactivate\n  ativa admin products update 7 --instructions-file uso.txt \\\n      --help-url https://exemplo.com.br/play",
		PreRunE: func(c *cobra.Command, args []string) (err error) {
			if ids, err = productIDs(args); err == nil && c.Flags().Changed("instructions-file") {
				err = f.readInstructions(c.Context())
			}
			return err
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.instructionsFile, "instructions-file", "", "file with how subscribers use it; an empty one removes that")
	c.Flags().StringVar(&f.helpURL, "help-url", "", "https address of more about it; an empty one removes it")
	cli.AllowEmpty(c, "help-url", "family")
	return printProduct(e, o, c, func(ctx context.Context, service *Parts) (domain.Product, error) {
		if err := f.findPartner(ctx, service); err != nil {
			return domain.Product{}, err
		}
		return service.Registry.UpdateProduct(ctx, ids[0], func(p *domain.Product) error { return f.apply(c.Flags().Changed, p) })
	})
}

func (f *productFlags) readInstructions(ctx context.Context) error {
	text, err := cli.ReadFile(ctx, f.instructionsFile)
	if err != nil {
		return err
	}
	f.instructions = strings.TrimPrefix(string(text), "\ufeff") // some editors write a byte order mark
	return nil
}

func printProduct(e *cli.Env, o *adminOptions, c *cobra.Command, do func(context.Context, *Parts) (domain.Product, error)) *cobra.Command {
	return adminOne(e, o, func() render.Schema[productRow] { return productRows(e.CellLanguage()) }, c, func(ctx context.Context, service *Parts, _ []string) (productRow, error) {
		p, err := do(ctx, service)
		if err != nil {
			return productRow{}, err
		}
		partners, err := partnerNames(ctx, service)
		return toProductRow(p, partners), err
	})
}

func newProductsList(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, func() render.Schema[productRow] { return productRows(e.CellLanguage()) }, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the products", Args: cli.Args(cobra.NoArgs), Example: "  ativa admin products list\n  ativa admin products list -o csv --columns id,code",
	}), func(ctx context.Context, service *Parts, _ []string) ([]productRow, error) {
		partners, err := partnerNames(ctx, service)
		if err != nil {
			return nil, err
		}
		all, err := service.Store.Products(ctx)
		return cli.Map(all, func(p domain.Product) productRow { return toProductRow(p, partners) }), err
	})
}

func newGrant(e *cli.Env, o *adminOptions, name, short string, granted bool) *cobra.Command {
	return &cobra.Command{
		Use: name + " PROVIDER ID…", Short: short, Args: cli.Args(cobra.MinimumNArgs(2)), Example: "  ativa admin products " + name + " Azul 1 2\n  ativa admin products " + name + " \"Provedor Azul\" 3",
		RunE: func(c *cobra.Command, args []string) error {
			ids, err := productIDs(args[1:])
			if err != nil {
				return err
			}
			if err := withDatabase(c.Context(), e, o, func(ctx context.Context, service *Parts) error {
				return service.Registry.Grant(ctx, args[0], ids, granted)
			}); err != nil {
				return err
			}
			if granted {
				e.Notice("%s may sell from now on: %s", args[0], strings.Join(args[1:], ", "))
			} else {
				e.Notice("%s may not sell any more: %s", args[0], strings.Join(args[1:], ", "))
			}
			return e.PrintSuccess(c.Context())
		},
	}
}

func productIDs(args []string) ([]int, error) {
	return cli.ParseAll(args, func(a string) (int, error) {
		id, err := strconv.Atoi(a)
		if err != nil {
			return 0, cli.Usage("%q is not the id of a product", a)
		}
		return id, nil
	})
}
