package accounts_test

import (
	"strings"
	"testing"

	"ativa/internal/service/domain"
)

func TestNamesOfOperatorsHoldNoControlOrDirectionCharacters(t *testing.T) {
	fx := newFixture(t)
	refused := []string{"", " ", strings.Repeat("é", 256), "Rede\r\nTV", "Rede\tTV", "\x1b[31mRede", "Rede\x00", "Rede\u0085TV", "Rede\x7f",
		"Rede\u202eVT", "Rede\u2066TV", "\u200eRede", "\u061cRede", "Rede\u2028TV", "Rede\xffTV", "Rede\ufffdTV"}
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
