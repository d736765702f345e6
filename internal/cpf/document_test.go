package cpf_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

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

// Of the hundred pairs of check digits one passes; a first digit of zero may stand for ten.
func TestAWrongCheckDigitIsRefused(t *testing.T) {
	for _, want := range []cpf.Document{"52998224725", "00000000191", "11144477735", "39053344705", "12345678909"} {
		var got []cpf.Document
		for n := range 100 {
			if d, err := cpf.Parse(fmt.Sprintf("%s%02d", want[:cpf.RootSize], n)); err == nil {
				got = append(got, d)
			}
		}
		if !slices.Equal(got, []cpf.Document{want}) || cpf.FromNumber(want.Number()) != want {
			t.Errorf("got %q, and %s of the number %d, want %s", got, cpf.FromNumber(want.Number()), want.Number(), want)
		}
	}
}
