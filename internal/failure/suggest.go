package failure

import (
	"slices"
	"strings"

	"ativa/internal/lang"
	"ativa/internal/sheet/names"
)

// Nearest returns up to three words that the user may have meant, best first: those that begin with
// typed, and those a few letters away.
func Nearest(typed string, words []string) []string {
	typed = strings.ToLower(typed)
	type near struct {
		word     string
		distance int
	}
	var all []near
	for _, word := range words {
		lower := strings.ToLower(word)
		d := names.Distance([]rune(typed), []rune(lower))
		if len(typed) > 1 && strings.HasPrefix(lower, typed) {
			d = 0
		}
		if d <= 1+len(typed)/5 {
			all = append(all, near{word, d})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	var found []string
	for _, n := range all[:min(len(all), 3)] {
		found = append(found, n.word)
	}
	return found
}

// DidYouMean returns the hint for an unknown word: similar words, or else all words.
func DidYouMean(typed string, words []string) lang.Message {
	if near := Nearest(typed, words); len(near) > 0 {
		return lang.Msg("did you mean %s?", strings.Join(near, ", "))
	}
	return lang.Msg("available: %s", strings.Join(words, ", "))
}
