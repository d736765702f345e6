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
	personal, _ := privacy()
	return personal.ReplaceAllStringFunc(text, func(found string) string {
		if _, err := netip.ParseAddr(found); err == nil { // an IP address of a server
			return found
		}
		return mask
	})
}

// privacy returns two expressions: one matches documents, phone numbers, e-mail addresses and
// tokens, the other a word with its apostrophes and hyphens. They are compiled on first use, because
// commands that only call a server do not need them.
var privacy = sync.OnceValues(func() (personal, word *regexp.Regexp) {
	return regexp.MustCompile(`[^\s<>"'(),:;/@]+@[^\s<>"'(),:;/@]+|\b(ativa_|atb_|whsec_)[\w+/=-]+|\d[\d. ()/-]{8,}\d`),
		regexp.MustCompile(`[\pL\pM\pN\p{Cf}\p{Pd}` + ignored + `]+`)
})

const mask = "***"

// MaskPersonalOf is MaskPersonal for a text about a subscriber: it also replaces the
// words of the subscriber's name in any case and with or without accents.
func MaskPersonalOf(text, name string) string {
	text = MaskPersonal(text)
	words := nameWords(name)
	_, word := privacy()
	return word.ReplaceAllStringFunc(text, func(found string) string { return maskWord(found, words) })
}

// nameWords returns the folded words of a name, and the parts of words with an apostrophe or a
// hyphen, without particles such as "da".
func nameWords(name string) (words []string) {
	between := []string{"da", "das", "de", "di", "do", "dos"}
	_, word := privacy()
	for _, whole := range word.FindAllString(name, -1) {
		for _, part := range append(strings.FieldsFunc(whole, isIgnored), whole) {
			part = Fold(part)
			if len(part) > 1 && strings.ContainsFunc(part, unicode.IsLetter) && !slices.Contains(between, part) {
				words = append(words, part)
			}
		}
	}
	return words
}

// maskWord masks a word, or the parts of it, that occur in names.
func maskWord(found string, names []string) string {
	if slices.Contains(names, Fold(found)) {
		return mask
	}
	for part := range strings.FieldsFuncSeq(found, isIgnored) {
		if slices.Contains(names, Fold(part)) {
			found = strings.Replace(found, part, mask, 1)
		}
	}
	return found
}
