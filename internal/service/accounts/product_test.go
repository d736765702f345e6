package accounts_test

import (
	"errors"
	"strings"
	"testing"

	"ativa/internal/service/domain"
)

// Instructions are stored as text, whatever they contain; text that cannot be shown, or a URL that
// cannot be followed, is refused and changes nothing (decisions.md 18).
func TestInstructionsAreText(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name, instructions, help string
		want                     string // the instructions; "" with refused
		refused                  string // the field
	}{
		{name: "lines", instructions: "\n Baixe o app.\r\n\r\nEntre com\to e-mail.\n", want: "Baixe o app.\n\nEntre com\to e-mail."},
		{name: "markup", instructions: `<b onclick="x()">Oi</b> {{.Link}} & 'x'`, help: "https://exemplo.com.br/a?b=1&c=%20#d", want: `<b onclick="x()">Oi</b> {{.Link}} & 'x'`},
		{name: "the longest", instructions: strings.Repeat("ç", 2000), want: strings.Repeat("ç", 2000)},
		{name: "too long", instructions: strings.Repeat("ç", 2001), refused: "instructions"},
		{name: "control", instructions: "a\x1b[31mb", refused: "instructions"},
		{name: "plain http", help: "http://exemplo.com.br", refused: "help_url"},
		{name: "blank", help: "https://exemplo.com.br/a b", refused: "help_url"},
		{name: "long address", help: "https://exemplo.com.br/" + strings.Repeat("a", 500), refused: "help_url"},
	} {
		set := func(instructions, help string) (domain.Product, error) {
			return f.m.UpdateProduct(f.ctx, playBasic, func(p *domain.Product) error {
				p.Instructions, p.HelpURL = instructions, help
				return nil
			})
		}
		f.must(errorOf(set("antes", "https://exemplo.com.br/antes")))
		_, err := set(c.instructions, c.help)
		want, help := c.want, c.help
		if c.refused != "" {
			want, help = "antes", "https://exemplo.com.br/antes"
			if e, ok := errors.AsType[*domain.Error](err); !ok || len(e.Fields) != 1 || e.Fields[0].Field != c.refused {
				t.Errorf("%s: got %v, want %s refused", c.name, err, c.refused)
			}
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		all, err := f.m.Offers(f.ctx, f.p.ID)
		f.must(err)
		if got := all[0]; got.ID != playBasic || got.Instructions != want || got.HelpURL != help {
			t.Errorf("%s: got %q and %q of %d, want %q and %q", c.name, got.Instructions, got.HelpURL, got.ID, want, help)
		}
	}
}
