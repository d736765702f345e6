package operator

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
)

// brandRow is the appearance of a provider to its subscribers. Absent parts are empty.
type brandRow struct {
	Provider    string `json:"provider"`
	DisplayName string `json:"display_name" column:"title=display name"`
	Color       string `json:"color"`
	Phone       string `json:"phone"`
	Logo        string `json:"logo"` // media type and size
}

func brands() render.Schema[brandRow] {
	return cli.SchemaOf[brandRow]("brand", "brands", "")
}

func toBrandRow(b domain.Brand, provider string) brandRow {
	r := brandRow{provider, b.DisplayName, string(b.Color), b.Phone, ""}
	if len(b.Logo) > 0 {
		r.Logo = fmt.Sprintf("%s, %d bytes", b.Logo.MediaType(), len(b.Logo))
	}
	return r
}

func newProvidersBrand(e *cli.Env, o *adminOptions) *cobra.Command {
	var name, logo, color, phone string
	var file []byte
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
			if logo != "" {
				file, err = cli.ReadFile(c.Context(), logo)
			}
			return err
		},
	}
	c.Flags().StringVar(&name, "display-name", "", "the name that subscribers read")
	c.Flags().StringVar(&logo, "logo", "", "file of the logo, PNG or JPEG")
	c.Flags().StringVar(&color, "color", "", "colour of buttons and links, #RRGGBB")
	c.Flags().StringVar(&phone, "phone", "", "telephone of the provider's support, as it is shown")
	cli.AllowEmpty(c, "display-name", "logo", "color", "phone")
	return adminOne(e, o, brands, c, func(ctx context.Context, service *Parts, args []string) (brandRow, error) {
		given := c.Flags().Changed
		if !slices.ContainsFunc([]string{"display-name", "logo", "color", "phone"}, given) {
			brand, err := service.Registry.Brand(ctx, args[0])
			return toBrandRow(brand, args[0]), err
		}
		picture, err := accounts.NewLogo(file)
		if err != nil {
			return brandRow{}, err
		}
		brand, err := service.Registry.UpdateBrand(ctx, args[0], func(b *domain.Brand) error {
			if given("display-name") {
				b.DisplayName = name
			}
			if given("logo") {
				b.Logo = picture
			}
			if given("color") {
				b.Color = domain.Color(color)
			}
			if given("phone") {
				b.Phone = phone
			}
			return nil
		})
		return toBrandRow(brand, args[0]), err
	})
}
