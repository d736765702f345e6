package domain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ativa/internal/cpf"
)

// SearchTerm is a search term prepared for comparing (decisions.md 6). A
// subscriber matches when every word occurs in the folded name, or the whole
// term in the folded e-mail address, or the digits in document or phone.
type SearchTerm struct {
	Words  []string // folded, the longest first; none is part of another
	Whole  string   // folded, inner spaces kept
	Digits string   // three or more; "" when the term has fewer, or has letters
}

// MaxSearchWords is the maximum number of different words of a search term. The
// cost of a search grows with them.
const MaxSearchWords = 32

// ParseSearchTerm prepares a search term. It refuses a term of fewer than two
// characters or more than MaxSearchWords different words with ValidationFailed.
func ParseSearchTerm(s string) (SearchTerm, error) {
	whole := strings.TrimSpace(Fold(s)) // Fold has removed invisible characters
	if len([]rune(whole)) < 2 {
		return SearchTerm{}, &Error{Code: ValidationFailed, Message: "a search term needs two characters or more",
			Fields: []FieldError{{Field: "searchValue", Code: "too_short", Message: "two characters or more"}}}
	}
	words := differentWords(whole)
	if len(words) > MaxSearchWords {
		return SearchTerm{}, &Error{Code: ValidationFailed, Message: fmt.Sprintf("a search term has at most %d different words", MaxSearchWords),
			Fields: []FieldError{{Field: "searchValue", Code: "too_many_words", Message: fmt.Sprintf("at most %d different words", MaxSearchWords)}}}
	}
	t := SearchTerm{Words: withoutParts(words), Whole: whole}
	// A term with letters is a name or an e-mail address: the digits of "maria1990@…" occur in
	// many documents and phone numbers.
	if digits := cpf.OnlyDigits(whole); len(digits) >= 3 && !strings.ContainsFunc(whole, unicode.IsLetter) {
		t.Digits = digits
	}
	return t, nil
}

// differentWords returns the distinct words of a text, longest first.
func differentWords(text string) []string {
	words := slices.Compact(slices.Sorted(strings.FieldsSeq(text)))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return words
}

// withoutParts drops the words that are part of a longer one, because they occur wherever the
// longer one does.
func withoutParts(words []string) []string {
	var whole []string
	for _, w := range words {
		if !slices.ContainsFunc(whole, func(longer string) bool { return strings.Contains(longer, w) }) {
			whole = append(whole, w)
		}
	}
	return whole
}

// MatchesAnyField reports whether the term may be compared with all fields at
// once: it is one word that consists of digits only, or that cannot occur in the
// digits of document and phone.
func (t SearchTerm) MatchesAnyField() bool {
	if len(t.Words) != 1 || t.Words[0] != t.Whole {
		return false
	}
	other := func(r rune) bool { return r < '0' || '9' < r }
	return t.Digits == t.Whole || t.Digits == "" && strings.ContainsFunc(t.Whole, other)
}

// Fold returns s in lower case, without the accents of its Latin letters and without
// apostrophes and hyphens, so that "JOÃO" and "joao" compare equal, whether Unicode
// composes the accents or not, and so do "Sant’Ana" and "santana". The store keeps folded
// text, so what Fold returns for a letter must not change.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		lower := unicode.ToLower(r)
		switch {
		case isIgnored(lower):
		case lower < utf8.RuneSelf:
			b.WriteByte(byte(lower))
		case unicode.In(lower, unicode.Mn, unicode.Cf): // combining accents and invisible characters
		default:
			writeLetter(&b, lower, s[i:])
		}
	}
	return b.String()
}

// ignored holds the characters that people type as apostrophes, and the minus sign.
const ignored = "'`´‘’‛ʹʻʼʽ′＇−"

// isIgnored reports whether a character is an apostrophe or a hyphen of any kind.
func isIgnored(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '-' || r == '\'' || r == '`'
	}
	return unicode.Is(unicode.Pd, r) || strings.ContainsRune(ignored, r)
}

// isFolded reports whether s is ASCII without capitals, apostrophes and hyphens.
func isFolded(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || isIgnored(rune(c)) {
			return false
		}
	}
	return true
}

// undecomposed lists the letters that Unicode does not decompose, each followed by its base.
const undecomposed = "ªa ƀb đd ǥg ħh ıi łl ºo øo ŧt ƶz ßss æae œoe "

// writeLetter writes the base letter of the first character of text; lower is that character in
// lower case. If it is not Latin, lower itself is written.
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
