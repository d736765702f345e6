package searchindex

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"ativa/internal/service/domain"
)

// Matcher compares texts with one search term.
type Matcher struct {
	words    [][]byte // longest first: usually the rarest
	whole    []byte
	digits   []byte   // empty: the term has no digits to look for
	needles  [][]byte // every match contains at least one of them
	anywhere bool     // every text that contains a needle matches
}

// NewMatcher returns the matcher of a term.
func NewMatcher(t domain.SearchTerm) *Matcher {
	m := &Matcher{whole: []byte(t.Whole), digits: []byte(t.Digits), anywhere: t.MatchesAnyField()}
	for _, w := range t.Words {
		m.words = append(m.words, []byte(w))
	}
	m.needles = m.words[:1:1]
	if !strings.Contains(t.Digits, t.Words[0]) && len(m.digits) > 0 {
		m.needles = append(m.needles, m.digits)
	}
	return m
}

// Matches reports whether a [Text] matches: all words are in the name, or the
// whole term is in the e-mail address, or its digits are in the document or the
// telephone number (decisions.md 6).
func (m *Matcher) Matches(text []byte) bool {
	name, rest, _ := bytes.Cut(text, []byte{fieldSeparator})
	email, digits, _ := bytes.Cut(rest, []byte{fieldSeparator})
	if len(m.digits) > 0 && bytes.Contains(digits, m.digits) || bytes.Contains(email, m.whole) {
		return true
	}
	for _, w := range m.words {
		if !bytes.Contains(name, w) {
			return false
		}
	}
	return true
}

// search returns the ids of the matches in chunks in ascending order.
func (m *Matcher) search(ctx context.Context, chunks []*chunk) (found []domain.SubscriberID) {
	for _, k := range chunks {
		if ctx.Err() != nil {
			return nil
		}
		before := len(found)
		for _, needle := range m.needles {
			found = m.scan(k, needle, found)
		}
		if len(m.needles) > 1 {
			slices.Sort(found[before:])
			found = append(found[:before], slices.Compact(found[before:])...)
		}
	}
	return found
}

// scan appends the ids of the matches that contain a needle.
func (m *Matcher) scan(k *chunk, needle []byte, found []domain.SubscriberID) []domain.SubscriberID {
	for from := 0; ; {
		hit := bytes.Index(k.text[from:], needle)
		if hit < 0 {
			return found
		}
		i, exact := slices.BinarySearch(k.starts, uint32(from+hit))
		if !exact {
			i--
		}
		from = k.start(i + 1)
		if m.anywhere || m.Matches(k.text[k.start(i)+1:from]) {
			found = append(found, k.ids[i])
		}
	}
}
