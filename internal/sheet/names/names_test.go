package names_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

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
		{"nome", "nomess", false}, {"emial", "email", true}, {"eamli", "email", false}, {"cpff", "cpf", true}, {"cpf", "cpff", false},
		{"telefnoee", "telefone", false}, {"documentoo", "documento", true}, {"documennto", "dcumento", true}, {"telefonista", "telefone", false},
		{"velocidaed", "velocidade", true}, {"veloccidda", "velocidade", false}, {"", "", false}, {"abcd", "efgh", false},
	} {
		if got := names.Near(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: got %v", tt.a, tt.b, got)
		}
	}
}

// One mistake of any kind, anywhere in a name, is near.
func TestOneMistakeIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{5,14}`).Draw(t, "name")
		at := rapid.IntRange(0, len(name)-2).Draw(t, "at")
		letter := rapid.StringMatching(`[a-z]`).Draw(t, "letter")
		for kind, typed := range map[string]string{
			"inserted": name[:at] + letter + name[at:], "left out": name[:at] + name[at+1:], "replaced": name[:at] + letter + name[at+1:],
			"swapped": name[:at] + name[at+1:at+2] + name[at:at+1] + name[at+2:],
		} {
			if !names.Near(typed, name) {
				t.Fatalf("%s: %s is not near %s", kind, typed, name)
			}
		}
	})
}
