package csvfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable: lower case, without accents, and without
// anything that is not a letter or a digit. The º of nº counts as the sign of a
// degree, which is often typed for it.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != 'º' && r != 'ª' {
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

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour to make b of a. Both are folded names and short.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := above[j]
			if a[i] != b[j] {
				cost++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = min(cost, above[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// near reports whether a is so close to b that it is probably a slip: one
// letter, or two in a name of ten or more.
func near(a, b string) bool {
	allowed := 1
	if len(a) >= 10 {
		allowed = 2
	}
	if len(a) < 4 || len(a)-len(b) > allowed || len(b)-len(a) > allowed {
		return false
	}
	return distance(a, b) <= allowed
}
