package csvfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable: lower case, without accents, and without
// anything that is not a letter or a digit.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// foldWords folds each word of s.
func foldWords(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, w := range words {
		words[i] = fold(w)
	}
	return words
}

// distance is the number of letters to insert, delete or replace to make b of
// a (Levenshtein). Both are folded names and short.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// near reports whether a is so close to b that it is probably a slip: one
// letter, or two in a long name.
func near(a, b string) bool {
	allowed := 1
	if len(a) >= 8 {
		allowed = 2
	}
	if len(a) < 4 || len(a)-len(b) > allowed || len(b)-len(a) > allowed {
		return false
	}
	return distance(a, b) <= allowed
}
