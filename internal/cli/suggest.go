package cli

import (
	"slices"
	"strings"
)

// Nearest is the words that somebody who typed the given one may have meant,
// best first: those that begin with it, and those a few letters away.
func Nearest(typed string, words []string) []string {
	typed = strings.ToLower(typed)
	type near struct {
		word     string
		distance int
	}
	var all []near
	for _, word := range words {
		d := distance(typed, strings.ToLower(word))
		if len(typed) > 1 && strings.HasPrefix(strings.ToLower(word), typed) {
			d = 0
		}
		if d <= 1+len(typed)/5 {
			all = append(all, near{word, d})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	out := []string{}
	for _, n := range all[:min(len(all), 3)] {
		out = append(out, n.word)
	}
	return out
}

// distance is how many letters must be typed, dropped, replaced or swapped with
// their neighbour to get from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, now := rows[0], rows[1], rows[2]
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, now, before}
	}
	return rows[1][len(y)]
}

// DidYouMean is the hint for a word that does not exist: what is near, or else
// all there is.
func DidYouMean(typed string, words []string) Message {
	if near := Nearest(typed, words); len(near) > 0 {
		return Msg("did you mean %s?", strings.Join(near, ", "))
	}
	return Msg("there is: %s", strings.Join(words, ", "))
}
