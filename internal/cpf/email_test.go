package cpf_test

import (
	"net/mail"
	"testing"

	"ativa/internal/cpf"
)

func TestAnEmailIsOnePlainAddressWithADottedDomain(t *testing.T) {
	for s, want := range map[string]bool{
		"ana@example.com":             true,
		"ana.souza+tv_1-x@mail.ex.br": true,
		"ana@xn--exmplo-qta.com.br":   true,
		"joão@exámple.com":            true,
		"a!#$%&'*/=?^`{|}~b@ex.com":   true,
		"O'Brien@example.com":         true,
		"ana@пример.рф":               true,
		"'ana@example.com'":           false,
		"davi@192.168.0.1":            false,
		"eva@example-.com":            false,
		"eva@-example.com":            false,
		"x@example.123":               false,
		"x@exаmple.com":               false, // its а is Cyrillic
		"x@exa_mple.com":              false,
		"":                            false,
		"ana":                         false,
		"ana@":                        false,
		"@example.com":                false,
		"ana@localhost":               false,
		"ana@example.com.":            false,
		"ana@example..com":            false,
		"ana..souza@example.com":      false,
		".ana@example.com":            false,
		"ana.@example.com":            false,
		"ana@@example.com":            false,
		"ana@[127.0.0.1]":             false,
		"Ana <ana@example.com>":       false,
		`"ana souza"@example.com`:     false,
		"a@ex.com, b@ex.com":          false,
		" ana@example.com":            false,
	} {
		if got := cpf.IsPlainEmail(s); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	}
}

func FuzzAPlainEmailIsAnAddressToEveryReader(f *testing.F) {
	f.Add("ana.souza+tv@example.com")
	f.Add("a-@-.b")
	f.Fuzz(func(t *testing.T, s string) {
		if !cpf.IsPlainEmail(s) {
			return
		}
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s || a.Name != "" {
			t.Errorf("%q is read as %v, %v", s, a, err)
		}
	})
}
