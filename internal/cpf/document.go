package cpf

import (
	"fmt"
	"strings"
)

// Size is the number of digits of a CPF, RootSize without its check digits.
const (
	Size     = 11
	RootSize = 9
)

// Document is a CPF as eleven digits. Its check digits are valid if it comes from [Parse] or
// [WithCheckDigits], and may be wrong if it comes from [ParseLoosely] or [FromNumber].
type Document string

// Parse parses a CPF written as eleven digits or as ddd.ddd.ddd-dd, with or
// without spaces around it. The error is an *[Error].
func Parse(s string) (Document, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", &Error{CodeRequired, "the CPF is missing"}
	}
	digits := StripPunctuation(s)
	switch {
	case looksLikeCNPJ(s):
		return "", &Error{CodeCNPJ, "this is a company number (CNPJ); only a person's CPF can be registered"}
	case !isDigits(digits):
		return "", &Error{CodeInvalidCharacters, "a CPF is written with digits only or as ddd.ddd.ddd-dd"}
	case len(digits) != Size:
		return "", &Error{CodeInvalidLength, fmt.Sprintf("a CPF has %d digits, this has %d", Size, len(digits))}
	case strings.Count(digits, digits[:1]) == len(digits):
		return "", &Error{CodeRepeatedDigits, "a CPF is never one digit repeated"}
	case checkDigits(digits) != digits[RootSize:]:
		return "", &Error{CodeInvalidCheckDigit, "the check digits of the CPF are wrong"}
	}
	return Document(digits), nil
}

// StripPunctuation returns the digits of a text that is written like a CPF,
// valid or not, and any other text unchanged. So even the response that refuses
// a document writes it in digits (decisions.md 1).
func StripPunctuation(s string) string {
	if t := strings.TrimSpace(s); isDigits(t) {
		return t
	} else if isFormatted(t) {
		return t[0:3] + t[4:7] + t[8:11] + t[12:14]
	}
	return s
}

// ParseLoosely parses the document of a path: it drops everything but digits and
// reports whether eleven remain (decisions.md 6). It does not check the check
// digits, because a document that cannot exist is simply not found.
func ParseLoosely(s string) (Document, bool) {
	d := OnlyDigits(s)
	return Document(d), len(d) == Size
}

// OnlyDigits returns s without everything that is not a digit 0–9.
func OnlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// WithCheckDigits completes root, the first nine digits of a CPF. It pads fewer digits
// with zeros on the left.
func WithCheckDigits(root string) Document {
	root = strings.Repeat("0", RootSize-len(root)) + root
	return Document(root + checkDigits(root))
}

// FromNumber returns the document whose [Document.Number] is n.
func FromNumber(n uint64) Document {
	b := [Size]byte{}
	for i := Size - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return Document(b[:])
}

// Number returns the document as a number, which is how it is stored.
func (d Document) Number() uint64 {
	var n uint64
	for i := range len(d) {
		n = n*10 + uint64(d[i]-'0')
	}
	return n
}

// Format returns the document as ddd.ddd.ddd-dd. It returns a document that does
// not have eleven digits unchanged.
func (d Document) Format() string {
	if len(d) != Size {
		return string(d)
	}
	return string(d[0:3] + "." + d[3:6] + "." + d[6:9] + "-" + d[9:11])
}

// Mask returns the document with only the six digits of the middle, such as
// ***.982.247-**, for tables and logs.
func (d Document) Mask() string {
	if len(d) != Size {
		return "***.***.***-**"
	}
	return "***." + string(d[3:6]+"."+d[6:9]) + "-**"
}

// Codes of an [Error]. They never change: clients depend on them.
const (
	CodeRequired          = "required"
	CodeInvalidLength     = "invalid_length"
	CodeInvalidCharacters = "invalid_characters"
	CodeInvalidCheckDigit = "invalid_check_digit"
	CodeRepeatedDigits    = "repeated_digits"
	CodeCNPJ              = "cnpj_not_supported"
	CodeInvalidPhone      = "invalid_phone"
	CodeInvalidAreaCode   = "invalid_area_code"
	CodeMissingAreaCode   = "missing_area_code"
)

// Error is the reason why a number is invalid. Message is safe to show and to
// log: it never contains the number, which is personal data.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isDigits reports whether s has only digits. It is true for "".
func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// isFormatted reports whether s is ddd.ddd.ddd-dd.
func isFormatted(s string) bool {
	return len(s) == Size+3 && s[3] == '.' && s[7] == '.' && s[11] == '-' &&
		isDigits(s[0:3]) && isDigits(s[4:7]) && isDigits(s[8:11]) && isDigits(s[12:])
}

// checkDigits computes the two check digits of a root: each is the sum of the
// digits before it, weighted 2, 3, … from the right, times ten, modulo eleven,
// with ten written as zero.
func checkDigits(digits string) string {
	first, second := 0, 0
	for i := range RootSize {
		d := int(digits[i] - '0')
		first += d * (RootSize + 1 - i)
		second += d * (RootSize + 2 - i)
	}
	first = first * 10 % 11 % 10
	second = (second + 2*first) * 10 % 11 % 10
	return string([]byte{byte('0' + first), byte('0' + second)})
}

// looksLikeCNPJ reports whether s has the form of a company number: twelve
// digits or letters (letters since 2026) and two digits, with or without the
// punctuation of 12.345.678/0001-95.
func looksLikeCNPJ(s string) bool {
	const root, size, formattedSize = 12, 14, 18
	if len(s) != size && len(s) != formattedSize {
		return false
	}
	if len(s) == formattedSize {
		if s[2] != '.' || s[6] != '.' || s[10] != '/' || s[15] != '-' {
			return false
		}
		s = s[0:2] + s[3:6] + s[7:10] + s[11:15] + s[16:]
	}
	for i := range len(s) {
		c := s[i] | 0x20 // ASCII letters in lower case; digits do not change
		if !isDigit(s[i]) && (i >= root || c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
