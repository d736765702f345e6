package domain_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestTheSubscribersNameIsMasked(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Ana Maria de Souza", "ANA MARIA de souza recusou", "*** *** de *** recusou"},
		{"João da Conceição", "sr. joao CONCEIÇÃO: falta de pagamento da fatura", "sr. *** ***: falta de pagamento da fatura"},
		{"Bia Sant'Anna", "Sant’Anna, santanna, ANNA e Bianca", "***, ***, *** e Bianca"},
		{"Jo\u0061\u0303o Sá-Lima", "João Sá/lima (sa-lima)", "*** ***/*** (***)"},
		{"Loja 24 Horas", "24 horas, loja fechada", "24 ***, *** fechada"},
		{"Ana", "<ana.souza@example.com> 550 Ana-Maria: 529.982.247-25", "<***> 550 ***-Maria: ***"},
		{"", "O motivo\tfica — assim.", "O motivo\tfica — assim."},
	} {
		if got := domain.MaskPersonalOf(c.text, c.name); got != c.want {
			t.Errorf("%q of %s: got %q, want %q", c.text, c.name, got, c.want)
		}
	}
}
