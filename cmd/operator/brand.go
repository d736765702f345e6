package operator

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
)

// brandRow is how a provider appears to its subscribers. Absent parts are empty.
type brandRow struct {
	Provider    string `json:"provider"`
	DisplayName string `json:"display_name" column:"title=display name"`
	Color       string `json:"color"`
	Phone       string `json:"phone"`
	Logo        string `json:"logo"` // media type and size
}

func brands() render.Schema[brandRow] {
	return schemaOf[brandRow]("brand", "brands", "")
}

func toBrandRow(b domain.Brand, provider string) brandRow {
	r := brandRow{provider, b.DisplayName, string(b.Color), b.Phone, ""}
	if len(b.Logo) > 0 {
		r.Logo = fmt.Sprintf("%s, %d bytes", b.Logo.MediaType(), len(b.Logo))
	}
	return r
}

// brandOptions is what the user chose; only flags that were given change anything.
type brandOptions struct {
	displayName, logo, color, phone string
}

func newProvidersBrand(e *cli.Env, o *adminOptions) *cobra.Command {
	var b brandOptions
	var change accounts.BrandChange
	c := &cobra.Command{
		Use: "brand NAME", Short: "Choose how a provider appears in e-mails and on the activation page", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Choose the name, logo, colour and support telephone that a provider's subscribers
see in e-mails and on the activation page. What is not given stays as it is; an
empty value removes it. Without flags it shows what is set.

The logo is a PNG or JPEG file of at most 100 kB and 1,200 pixels a side; it is
encoded anew and sent inside each e-mail. The colour must be dark enough to be
read on white; on dark screens only buttons of e-mails have it.`,
		Example: "  ativa admin providers brand Azul --display-name \"Azul Internet\" \\\n      --logo azul.png --color \"#0b3d91\" --phone \"0800 123 4567\"\n  ativa admin providers brand Azul --logo \"\" -o json",
		PreRunE: func(c *cobra.Command, _ []string) (err error) {
			change, err = b.change(c.Flags().Changed)
			return err
		},
	}
	c.Flags().StringVar(&b.displayName, "display-name", "", "the name that subscribers read")
	c.Flags().StringVar(&b.logo, "logo", "", "file of the logo, PNG or JPEG")
	c.Flags().StringVar(&b.color, "color", "", "colour of buttons and links, #RRGGBB")
	c.Flags().StringVar(&b.phone, "phone", "", "telephone of the provider's support, as it is shown")
	return adminOne(e, o, brands, c, func(ctx context.Context, service *Parts, args []string) (brandRow, error) {
		read := service.Registry.Brand
		if change.DisplayName.Set || change.Color.Set || change.Phone.Set || change.Logo != nil {
			read = func(ctx context.Context, name string) (domain.Brand, error) {
				return service.Registry.SetBrand(ctx, name, change)
			}
		}
		brand, err := read(ctx, args[0])
		return toBrandRow(brand, args[0]), err
	})
}

func (b brandOptions) change(given func(string) bool) (c accounts.BrandChange, err error) {
	c.DisplayName = domain.Optional[string]{Value: b.displayName, Set: given("display-name")}
	c.Color = domain.Optional[string]{Value: b.color, Set: given("color")}
	c.Phone = domain.Optional[string]{Value: b.phone, Set: given("phone")}
	switch {
	case b.logo != "":
		if c.Logo, err = os.ReadFile(b.logo); err != nil {
			return c, cli.Usage("the logo could not be read: %v", err)
		}
	case given("logo"):
		c.Logo = []byte{}
	}
	return c, nil
}
