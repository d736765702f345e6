package names_test

import (
	"slices"
	"testing"

	"ativa/internal/sheet/names"
)

func TestFoldKeepsLettersAndDigits(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "Nome": "nome", "E-mail": "email", "  Nº do CPF: ": "ndocpf", "N° CPF": "ncpf", "Situação": "situacao",
		"Situac\u0327a\u0303o": "situacao", "Razão/Social (1ª)": "razaosocial1", "ÁÉÍÓÚ Ç": "aeiouc", "customer_plan": "customerplan", "---": "",
	} {
		if got := names.Fold(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestFoldEachWord(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, " - ": {}, "Data de Instalação": {"data", "de", "instalacao"}, "ddd/telefone": {"ddd", "telefone"}, "e_mail 2": {"e", "mail", "2"},
		"Instalac\u0327a\u0303o ok": {"instalacao", "ok"},
	} {
		if got := names.FoldEachWord(in); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestNearAllowsOneMistakeAndTwoInLongNames(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"nome", "nome", true}, {"nmoe", "nome", true}, {"nom", "nome", false}, {"nomes", "nome", true}, {"mome", "nome", true},
		{"nome", "nomess", false}, {"emial", "email", true}, {"emal", "email", true}, {"email2", "email", true}, {"xmail", "email", true}, {"eamli", "email", false}, {"cpff", "cpf", true}, {"cpf", "cpff", false},
		{"telefnoee", "telefone", false}, {"documentoo", "documento", true}, {"documennto", "dcumento", true}, {"telefonista", "telefone", false},
		{"velocidaed", "velocidade", true}, {"veloccidda", "velocidade", false}, {"", "", false}, {"abcd", "efgh", false},
	} {
		if got := names.Near(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: got %v", tt.a, tt.b, got)
		}
	}
}
