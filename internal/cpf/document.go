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

// Document is a CPF as eleven digits. The check digits of one that [Parse] or
// [WithCheckDigits] returns are right; those of one that [ParseLoosely] or
// [FromNumber] returns may be wrong.
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
	case isRepeatedDigit(digits):
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
	if isDigits(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if isDigit(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// WithCheckDigits completes the first nine digits of a CPF. It pads fewer digits
// with zeros on the left, and panics if root is not up to nine digits.
func WithCheckDigits(root string) Document {
	if !isDigits(root) || len(root) > RootSize {
		panic("cpf: the root of a CPF is up to nine digits")
	}
	root = zeros[:RootSize-len(root)] + root
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

// String returns the eleven digits.
func (d Document) String() string { return string(d) }
