package csvfile

import (
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// Document reads a CPF as people type and copy it: with any punctuation, but
// with every digit. The error is a *[cpf.Error].
func Document(s string) (cpf.Document, error) {
	d, err := cpf.Parse(s)
	if digits, ok := unpunctuated(plainPunctuation(s)); err != nil && ok {
		return cpf.Parse(digits)
	}
	return d, err
}

// Phone reads a telephone number as a cell of a file is read, and gives its
// E.164 form. Of several numbers the first valid one is taken. The error is a
// *[Problem].
func Phone(s string) (string, error) {
	value, _ := clean(s)
	phone, _, bad := normalizePhone(value)
	if bad != "" {
		return "", &Problem{Field: api.FieldPhone, Code: bad, Value: s}
	}
	return phone, nil
}

// mostLostZeros is how many zeros a CPF may have lost. With more, any small
// number has a good chance of right check digits.
const mostLostZeros = 3

// normalizeDocument reads a CPF as a spreadsheet left it. Lost zeros are put back
// only when the check digits then match; what is not certain is refused with
// the code in bad.
func normalizeDocument(s string) (d cpf.Document, repair, bad string) {
	if d, err := cpf.Parse(s); err == nil {
		return d, "", ""
	}
	s, repair, bad = normalizeNumber(plainPunctuation(s))
	if bad != "" {
		return "", "", bad
	}
	d, err := cpf.Parse(s)
	if err == nil {
		return d, repair, ""
	}
	digits, ok := unpunctuated(s)
	if code := errorCode(err); !ok || code == cpf.CodeCNPJ || code == cpf.CodeRequired {
		return "", "", code
	}
	if missing := cpf.Size - len(digits); missing > 0 && missing <= mostLostZeros {
		d, err := cpf.Parse(strings.Repeat("0", missing) + digits)
		if err != nil {
			return "", "", cpf.CodeInvalidLength
		}
		return d, RepairLostZeros, ""
	}
	d, err = cpf.Parse(digits)
	if err != nil {
		return "", "", errorCode(err)
	}
	return d, cmp.Or(repair, RepairSeparators), ""
}

// normalizePhone reads a telephone cell. Of several numbers in it the first valid
// one is taken.
func normalizePhone(s string) (phone, repair, bad string) {
	if phone, err := cpf.ParsePhone(s); err == nil {
		return phone, "", ""
	}
	s, repair, bad = normalizeNumber(plainPunctuation(s))
	if bad != "" {
		return "", "", bad
	}
	phone, err := cpf.ParsePhone(s)
	if err == nil {
		return phone, repair, ""
	}
	several := func(r rune) bool { return strings.ContainsRune("/;,|\n\r", r) }
	parts := strings.FieldsFunc(strings.ReplaceAll(s, " ou ", "/"), several)
	if len(parts) > 1 {
		for _, part := range parts {
			if phone, err := cpf.ParsePhone(part); err == nil {
				return phone, RepairSeveralPhones, ""
			}
		}
	}
	return "", "", errorCode(err)
}

// normalizeNumber undoes what a spreadsheet does to a long number: a decimal tail,
// or scientific notation when every digit is still there.
func normalizeNumber(s string) (normalized, repair, bad string) {
	if digits, ok := decimalTail(s); ok {
		return digits, RepairDecimalTail, ""
	}
	mantissa, exponent, ok := strings.Cut(strings.ToUpper(s), "E")
	exponent = strings.TrimPrefix(exponent, "+")
	whole, fraction, _ := strings.Cut(strings.Replace(mantissa, ",", ".", 1), ".")
	if !ok || !digitsOnly(whole) || exponent == "" || !digitsOnly(exponent) || fraction != "" && !digitsOnly(fraction) {
		return s, "", ""
	}
	if len(whole) == 1 && number(len(fraction)) == strings.TrimLeft(exponent, "0") {
		return whole + fraction, RepairScientific, ""
	}
	return "", "", CodeScientific
}

// decimalTail reads digits with .0 or ,00 behind them, which a number gets
// when a program took it for an amount.
func decimalTail(s string) (digits string, ok bool) {
	i := strings.IndexAny(s, ".,")
	if i <= 0 || !digitsOnly(s[:i]) {
		return "", false
	}
	tail := s[i+1:]
	return s[:i], tail == "0" || tail == "00"
}

func digitsOnly(s string) bool { return s != "" && cpf.OnlyDigits(s) == s }

// plainPunctuation replaces the dashes and spaces of word processors by those
// of a keyboard.
func plainPunctuation(s string) string {
	s = trim(s)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return punctuation.Replace(s)
		}
	}
	return s
}

var punctuation = strings.NewReplacer(
	"\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-")

// unpunctuated is the digits of s when it has nothing else but separators.
func unpunctuated(s string) (string, bool) {
	separator := func(r rune) bool { return strings.ContainsRune(" .,-/'", r) }
	digits := strings.Join(strings.FieldsFunc(s, separator), "")
	return digits, digitsOnly(digits)
}

func errorCode(err error) string {
	if e, ok := errors.AsType[*cpf.Error](err); ok {
		return e.Code
	}
	return ""
}

// normalizeEmail reads an e-mail cell.
func normalizeEmail(s string) (email, repair string, f fault) {
	if len(s) > len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:") {
		s, repair = trim(s[len("mailto:"):]), RepairMailto
	}
	switch {
	case s == "":
		return "", "", fault{code: api.CodeRequired}
	case len(s) > cpf.MaxEmail:
		return "", "", fault{CodeTooLong, map[string]string{"max": number(cpf.MaxEmail)}}
	case !cpf.IsPlainEmail(s):
		return "", "", fault{code: CodeInvalidEmail}
	}
	return s, repair, fault{}
}
