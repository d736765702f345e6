package domain

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// MaskPersonal replaces personal data and secrets in a text.
func MaskPersonal(text string) string {
	compilePersonal.Do(func() {
		personal = regexp.MustCompile(`[^\s<>"'(),:;/@]+@[^\s<>"'(),:;/@]+|\b(ativa_|atb_|whsec_)[\w+/=-]+|\d[\d. ()/-]{8,}\d`)
	})
	return personal.ReplaceAllStringFunc(text, func(found string) string {
		if _, err := netip.ParseAddr(found); err == nil { // an IP address of a server
			return found
		}
		return mask
	})
}

// personal matches documents, phone numbers, e-mail addresses and tokens. It is compiled on first
// use, because commands that only call a server do not need it.
var (
	compilePersonal sync.Once
	personal        *regexp.Regexp
)

const mask = "***"

// MaskPersonalOf is MaskPersonal for a text about a subscriber: it also replaces the
// words of the subscriber's name, whatever their case and accents.
func MaskPersonalOf(text, name string) string {
	words := nameWords(name)
	var b strings.Builder
	for text = MaskPersonal(text); text != ""; {
		n := wordLength(text)
		if n == 0 {
			n = strings.IndexFunc(text, inWord)
			if n < 0 {
				n = len(text)
			}
			b.WriteString(text[:n])
		} else {
			b.WriteString(maskWord(text[:n], words))
		}
		text = text[n:]
	}
	return b.String()
}

// nameWords returns the folded words of a name, and the parts of words with an apostrophe or a
// hyphen, without particles such as "da".
func nameWords(name string) (words []string) {
	between := []string{"da", "das", "de", "di", "do", "dos"}
	for whole := range strings.FieldsFuncSeq(name, func(r rune) bool { return !inWord(r) }) {
		for _, word := range append(strings.FieldsFunc(whole, isIgnored), whole) {
			word = Fold(word)
			if len(word) > 1 && strings.ContainsFunc(word, unicode.IsLetter) && !slices.Contains(between, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// maskWord masks the word, or the parts of it, that occur in names.
func maskWord(word string, names []string) string {
	if slices.Contains(names, Fold(word)) {
		return mask
	}
	for part := range strings.FieldsFuncSeq(word, isIgnored) {
		if slices.Contains(names, Fold(part)) {
			word = strings.Replace(word, part, mask, 1)
		}
	}
	return word
}

// wordLength returns the length in bytes of the word that text begins with, or 0.
func wordLength(text string) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// inWord reports whether a character is part of a word. Apostrophes and hyphens are.
func inWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf) || isIgnored(r)
}
