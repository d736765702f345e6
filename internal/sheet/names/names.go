// Package names compares names that people write in many ways: of columns, products and
// statuses. It refuses to know any of them.
package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold makes names comparable: lower case, without accents, and without anything that is not a
// letter or a digit. The º of nº is dropped like the degree sign, which is often typed for it.
func Fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != 'º' && r != 'ª' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// FoldEachWord returns the words of s, each folded.
func FoldEachWord(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, w := range words {
		words[i] = Fold(w)
	}
	return words
}

// Distance returns the number of letters to insert, delete, replace or swap with their neighbour to
// turn a into b. Both are short.
func Distance[Letter comparable](a, b []Letter) int {
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

// Near reports whether the folded name a is probably b with a typing mistake: one letter, or two in a
// name of ten or more.
func Near(a, b string) bool {
	allowed := 1
	if len(a) >= 10 {
		allowed = 2
	}
	if len(a) < 4 || len(a)-len(b) > allowed || len(b)-len(a) > allowed {
		return false
	}
	return Distance([]byte(a), []byte(b)) <= allowed
}
