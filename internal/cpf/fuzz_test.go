package cpf_test

import (
	"errors"
	"strings"
	"testing"

	"ativa/internal/cpf"
)

// A parsed telephone number parses to itself; any other error has a code and no part of
// the number.
func FuzzPhone(f *testing.F) {
	for _, text := range []string{"11987654321", "(11) 98765-4321", "0055 11 3456-7890", "+55 (011) 98765-4321", "55 33334444", "+1 202 555 0123", "+550", "+", "++5511987654321", "+55", "0", "00550", "١١٩٨٧٦٥٤٣٢١"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		phone, err := cpf.ParsePhone(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		if again, err := cpf.ParsePhone(phone); err != nil || again != phone || len(phone) < 9 || len(phone) > 16 || phone[0] != '+' {
			t.Errorf("%q is %q, and that is %q, %v", text, phone, again, err)
		}
	})
}

// checkError checks that an error has a code and shows no part of the number.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	const part = 5
	digits := cpf.OnlyDigits(text)
	if e, ok := errors.AsType[*cpf.Error](err); !ok || e.Code == "" || len(digits) >= part && strings.Contains(err.Error(), digits[:part]) {
		t.Errorf("%q: got %v, want an error with a code and without the number", text, err)
	}
}

// A parsed CPF parses to itself in both of its forms, also in a path.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"52998224725", "529.982.247-25", " 52998224725\t", "11111111111", "12.ABC.345/01DE-35", "529 982 247 25", "5299822472", "52998224726", "529.98224725", "12345678000195", "５２９９８２２４７２５"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := cpf.Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		for _, form := range []string{string(d), d.Format()} {
			again, err := cpf.Parse(form)
			if loose, ok := cpf.ParseLoosely(form); err != nil || again != d || !ok || loose != d {
				t.Errorf("%q is %q, and %q is %q and %q, %v", text, d, form, again, loose, err)
			}
		}
		if d != cpf.WithCheckDigits(string(d[:cpf.RootSize])) {
			t.Errorf("%q has other check digits than its first nine", d)
		}
	})
}
