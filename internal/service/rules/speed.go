package rules

import (
	"context"
	"strings"
	"unicode"
)

// InternetSpeed is one entry of the list of internet speeds. Subscribers refer to
// it by id, so that it is never removed.
type InternetSpeed struct {
	ID    int
	Speed string // as people read it, such as "2 Gbps"
	Slug  string // its short form, such as "2-gbps"
}

// SpeedNotInformed is the id of the internet speed of a subscriber without one
// (api.md, Internet speed).
const SpeedNotInformed = 38

// AddInternetSpeed adds an internet speed. Every server on the database accepts it at once. It
// returns NameTaken if the id exists, or a text that differs only in case, accents or punctuation.
func (r *Registry) AddInternetSpeed(ctx context.Context, id int, text string) (InternetSpeed, error) {
	text = strings.Join(strings.Fields(text), " ")
	if err := firstInvalid(invalidID(id), invalidName(text)); err != nil {
		return InternetSpeed{}, err
	}
	s := InternetSpeed{ID: id, Speed: text, Slug: slug(text)}
	return s, r.store.CreateInternetSpeed(ctx, s)
}

// slug returns text in lower-case letters and digits, with hyphens between words.
func slug(text string) string {
	words := strings.FieldsFunc(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}
