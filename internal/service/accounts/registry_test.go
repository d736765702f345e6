package accounts_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ativa/internal/service/domain"
)

func TestNamesOfOperatorsHoldNoControlOrDirectionCharacters(t *testing.T) {
	fx := newFixture(t)
	refused := []string{"", " ", strings.Repeat("é", 256), "Rede\r\nTV", "Rede\tTV", "\x1b[31mRede", "Rede\x00", "Rede\u0085TV", "Rede\x7f",
		"Rede\u202eVT", "Rede\u2066TV", "\u200eRede", "\u061cRede", "Rede\u2028TV", "Rede\xffTV", "Rede\ufffdTV", "\u3164\u200d"}
	accepted := []string{`Rede 42" TV`, `Açaí, "Zé" & Cia. \ 😀`, "محمد بن سلمان", strings.Repeat("é", 255), "👩\u200d👧"}
	id := 1000
	for what, create := range map[string]func(name string) error{
		"provider": func(name string) error {
			_, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: name})
			return err
		},
		"partner": func(name string) error {
			return errorOf(fx.m.CreatePartner(fx.ctx, domain.Partner{Name: name, Driver: domain.DriverManual}))
		},
		"product": func(name string) error {
			id++
			return fx.m.CreateProduct(fx.ctx, domain.Product{ID: id, Name: name, Code: name})
		},
		"product's new name": func(name string) error {
			return errorOf(fx.m.UpdateProduct(fx.ctx, alone, func(p *domain.Product) error { p.Name = name; return nil }))
		},
	} {
		for _, name := range refused {
			wantCode(t, create(name), domain.ValidationFailed)
		}
		for _, name := range accepted {
			if err := create(name); err != nil {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
	for field, p := range map[string]domain.Product{
		"code":   {ID: 7777, Name: "Play", Code: "play\u202e"},
		"family": {ID: 7777, Name: "Play", Code: "play", Family: "play\n1"},
	} {
		err := fx.m.CreateProduct(fx.ctx, p)
		wantCode(t, err, domain.ValidationFailed)
		if !strings.HasPrefix(err.Error(), field+": ") {
			t.Errorf("got %v, want the field %s named", err, field)
		}
	}
}

// A name with spaces around it is another spelling of the same name, and a family with them is the
// same family.
func TestNamesOfOperatorsAreTrimmed(t *testing.T) {
	fx := newFixture(t)
	provider, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: " Rede \n"})
	fx.must(err)
	partner, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "\u00a0Rede ", Driver: domain.DriverManual})
	fx.must(err)
	if provider.Name != "Rede" || partner.Name != "Rede" {
		t.Errorf("got %q and %q, want Rede", provider.Name, partner.Name)
	}
	wantCode(t, errorOf(fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "Rede", Driver: domain.DriverManual})), domain.NameTaken)
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: 7, Name: " Play ", Code: " play-7 ", Family: " play "}))
	product, err := fx.m.UpdateProduct(fx.ctx, 7, func(*domain.Product) error { return nil })
	fx.must(err)
	if product.Name != "Play" || product.Code != "play-7" || product.Family != "play" {
		t.Errorf("got %q, %q, %q, want Play, play-7, play", product.Name, product.Code, product.Family)
	}
}

// Without a host the call would go to this machine. The error about a password does not repeat it.
func TestAnAddressWithAPasswordIsRefusedByName(t *testing.T) {
	fx := newFixture(t)
	for url, want := range map[string]string{
		"https://:443/hook": "url: an absolute https address", "https:///hook": "url: an absolute https address", "https:hook": "url: an absolute https address",
		"https://hook:s3cret@azul.example.com/": "url: must not contain a user or password",
	} {
		_, callback := fx.m.SetCallback(fx.ctx, fx.p.Name, url, true)
		_, partner := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "outro", Driver: domain.DriverHTTP, URL: url})
		for _, err := range []error{callback, partner} {
			if wantCode(t, err, domain.ValidationFailed); err.Error() != want {
				t.Errorf("%s: got %v, want %s", url, err, want)
			}
		}
	}
}

// Instructions are stored as text, whatever they contain; text that cannot be shown, or a URL that
// cannot be followed, is refused and changes nothing (decisions.md 18).
func TestInstructionsAreText(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat("ç", 2000)
	const markup, help = `<b onclick="x()">Oi</b> {{.Link}} & 'x'`, "https://exemplo.com.br/a?b=1&c=%20#d"
	var keptText, keptHelp string
	for _, c := range []struct{ instructions, want, help, refused string }{ // refused: the field
		{"\n Baixe o app.\r\n\r\nEntre com\to e-mail.\n", "Baixe o app.\n\nEntre com\to e-mail.", "", ""},
		{long, long, "", ""},
		{markup, markup, help, ""},
		{long + "ç", "", "", "instructions"},
		{"a\x1b[31mb", "", "", "instructions"},
		{"", "", "http://exemplo.com.br", "help_url"},
		{"", "", "https://exemplo.com.br/a b", "help_url"},
		{"", "", "https://exemplo.com.br/" + strings.Repeat("a", 500), "help_url"},
	} {
		_, err := f.m.UpdateProduct(f.ctx, playBasic, func(p *domain.Product) error {
			p.Instructions, p.HelpURL = c.instructions, c.help
			return nil
		})
		if c.refused == "" {
			f.must(err)
			keptText, keptHelp = c.want, c.help
		} else if e, ok := errors.AsType[*domain.Error](err); !ok || len(e.Fields) != 1 || e.Fields[0].Field != c.refused {
			t.Errorf("%.20q, %.30q: got %v, want %s refused", c.instructions, c.help, err, c.refused)
		}
		all, err := f.m.Offers(f.ctx, f.p.ID)
		f.must(err)
		if got := all[0]; got.ID != playBasic || got.Instructions != keptText || got.HelpURL != keptHelp {
			t.Errorf("got %q and %q of %d, want %q and %q", got.Instructions, got.HelpURL, got.ID, keptText, keptHelp)
		}
	}
}

func TestAnInternetSpeedHasItsOwnIDAndText(t *testing.T) {
	fx := newFixture(t)
	added, err := fx.m.AddInternetSpeed(fx.ctx, 100, "  2,5  Gbps ")
	fx.must(err)
	if want := (domain.InternetSpeed{ID: 100, Speed: "2,5 Gbps", Slug: "2-5-gbps"}); added != want {
		t.Errorf("got %+v, want %+v", added, want)
	}
	for _, same := range []string{"2,5 Gbps", "2,5 GBPS", "2.5 gbps", "100 mbps"} {
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, 101, same)), domain.NameTaken)
	}
	for _, id := range []int{38, 100} {
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, id, "3 Gbps")), domain.NameTaken)
	}
	wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, 101, " ")), domain.ValidationFailed)
	for _, id := range []int{-1, 0, math.MaxInt32 + 1} { // no column has them
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, id, "3 Gbps")), domain.ValidationFailed)
		wantCode(t, fx.m.CreateProduct(fx.ctx, domain.Product{ID: id, Name: "Play", Code: "play"}), domain.ValidationFailed)
	}
	fx.must(errorOf(fx.m.AddInternetSpeed(fx.ctx, math.MaxInt32, "3 Gbps")))
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: math.MaxInt32, Name: "Play", Code: "play"}))
}
