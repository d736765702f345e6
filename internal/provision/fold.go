package provision

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in lower case and without the accents of its Latin letters, so
// that "JOÃO" and "joao" compare equal, whether Unicode composes the accents or
// not. The store keeps folded text, so what Fold returns for a letter must not change.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		lower := unicode.ToLower(r)
		switch {
		case lower < utf8.RuneSelf:
			b.WriteByte(byte(lower))
		case unicode.In(lower, unicode.Mn, unicode.Cf): // combining accents and invisible characters
		default:
			writeLetter(&b, lower, s[i:])
		}
	}
	return b.String()
}

// isFolded reports whether s is ASCII without capitals.
func isFolded(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// writeLetter writes the base letter of the first character of text, which is
// lower in lower case. A character that is not Latin stays as it is.
func writeLetter(b *strings.Builder, lower rune, text string) {
	base := lower
	if apart := norm.NFD.PropertiesString(text).Decomposition(); apart != nil {
		first, _ := utf8.DecodeRune(apart)
		base = unicode.ToLower(first)
	}
	switch base { // the letters that Unicode does not decompose
	case 'ª':
		base = 'a'
	case 'ƀ':
		base = 'b'
	case 'đ':
		base = 'd'
	case 'ǥ':
		base = 'g'
	case 'ħ':
		base = 'h'
	case 'ı':
		base = 'i'
	case 'ł':
		base = 'l'
	case 'º', 'ø':
		base = 'o'
	case 'ŧ':
		base = 't'
	case 'ƶ':
		base = 'z'
	case 'ß':
		b.WriteString("ss")
		return
	case 'æ':
		b.WriteString("ae")
		return
	case 'œ':
		b.WriteString("oe")
		return
	}
	if base < 'a' || 'z' < base {
		base = lower
	}
	b.WriteRune(base)
}
