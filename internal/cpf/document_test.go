package cpf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
)

func code(err error) string {
	if e, ok := errors.AsType[*cpf.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestParseAcceptsTwoFormsAndNamesEveryFault(t *testing.T) {
	tests := []struct {
		in   string
		want cpf.Document
		code string
	}{
		{in: "52998224725", want: "52998224725"},
		{in: "529.982.247-25", want: "52998224725"},
		{in: "\t 529.982.247-25 \n", want: "52998224725"},
		{in: "00000000191", want: "00000000191"},
		{in: "", code: cpf.CodeRequired},
		{in: "52998224726", code: cpf.CodeInvalidCheckDigit},
		{in: "52998224735", code: cpf.CodeInvalidCheckDigit},
		{in: "5299822472", code: cpf.CodeInvalidLength},
		{in: "529982247250", code: cpf.CodeInvalidLength},
		{in: "11111111111", code: cpf.CodeRepeatedDigits},
		{in: "000.000.000-00", code: cpf.CodeRepeatedDigits},
		{in: "529982247-25", code: cpf.CodeInvalidCharacters},
		{in: "529 982 247 25", code: cpf.CodeInvalidCharacters},
		{in: "529982247٢٥", code: cpf.CodeInvalidCharacters},
		{in: "12345678000195", code: cpf.CodeCNPJ},
		{in: "12.345.678/0001-95", code: cpf.CodeCNPJ},
		{in: "12ABC34501DE35", code: cpf.CodeCNPJ},
		{in: "12.abc.345/01de-35", code: cpf.CodeCNPJ},
		{in: "12ABC34501DEF5", code: cpf.CodeInvalidCharacters},
	}
	for _, tt := range tests {
		got, err := cpf.Parse(tt.in)
		if got != tt.want || code(err) != tt.code {
			t.Errorf("Parse(%q) = %q, %v; want %q, code %q", tt.in, got, err, tt.want, tt.code)
		}
	}
}

func TestParseLooselyTakesAnyElevenDigits(t *testing.T) {
	for in, want := range map[string]cpf.Document{"529/982 247x26": "52998224726", "11111111111": "11111111111", "5299822472": "5299822472", "search": ""} {
		if got, ok := cpf.ParseLoosely(in); got != want || ok != (len(want) == cpf.Size) {
			t.Errorf("ParseLoosely(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestFormatAndMask(t *testing.T) {
	for in, want := range map[cpf.Document][2]string{
		"52998224725": {"529.982.247-25", "***.982.247-**"},
		"00000000191": {"000.000.001-91", "***.000.001-**"},
		"":            {"", "***.***.***-**"},
		"123":         {"123", "***.***.***-**"},
	} {
		if got := [2]string{in.Format(), in.Mask()}; got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestWithCheckDigitsPanicsWithoutARoot(t *testing.T) {
	for _, root := range []string{"1234567890", "12345678x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("WithCheckDigits(%q) did not panic", root)
				}
			}()
			cpf.WithCheckDigits(root)
		}()
	}
}

// A CPF parses from each of its forms, and no single wrong digit passes.
func TestEveryFormReadsBackAndEveryWrongDigitIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := fmt.Sprintf("%09d", rapid.IntRange(1, 999_999_999).Draw(t, "root"))
		d := cpf.WithCheckDigits(root)
		if strings.Count(string(d), string(d[:1])) == cpf.Size {
			t.Skip("one digit repeated is no CPF")
		}
		for _, form := range []string{string(d), d.Format(), " " + d.Format() + " "} {
			if got, err := cpf.Parse(form); err != nil || got != d {
				t.Fatalf("Parse(%q) = %q, %v; want %q", form, got, err, d)
			}
		}
		if got := cpf.FromNumber(d.Number()); got != d {
			t.Fatalf("FromNumber(%d) = %q, want %q", d.Number(), got, d)
		}
		at := rapid.IntRange(0, cpf.Size-1).Draw(t, "at")
		wrong := []byte(d)
		wrong[at] = '0' + (wrong[at]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		// Ten and zero share a check digit, so a slip in the root may give
		// another valid number.
		if _, err := cpf.Parse(string(wrong)); err == nil && (at >= cpf.RootSize ||
			cpf.WithCheckDigits(string(wrong[:cpf.RootSize])) != cpf.Document(wrong)) {
			t.Fatalf("Parse(%q) passed", wrong)
		}
	})
}
