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

// undecomposed are the letters that Unicode does not decompose, each with its base.
const undecomposed = "ªa ƀb đd ǥg ħh ıi łl ºo øo ŧt ƶz ßss æae œoe "

// writeLetter writes the base letter of the first character of text, which is
// lower in lower case. A character that is not Latin stays as it is.
func writeLetter(b *strings.Builder, lower rune, text string) {
	base := lower
	if apart := norm.NFD.PropertiesString(text).Decomposition(); apart != nil {
		first, _ := utf8.DecodeRune(apart)
		base = unicode.ToLower(first)
	}
	if _, found, ok := strings.Cut(undecomposed, string(base)); ok && base >= utf8.RuneSelf {
		plain, _, _ := strings.Cut(found, " ")
		b.WriteString(plain)
		return
	}
	if base < 'a' || 'z' < base {
		base = lower
	}
	b.WriteRune(base)
}
