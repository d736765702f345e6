package accounts

import (
	"context"
	"strings"
	"unicode"

	"ativa/internal/service/domain"
)

// AddInternetSpeed adds an internet speed. Every server on the database accepts it at once. It
// returns NameTaken if the id exists, or a text that differs only in case, accents or punctuation.
func (r *Registry) AddInternetSpeed(ctx context.Context, id int, text string) (domain.InternetSpeed, error) {
	text = strings.Join(strings.Fields(text), " ")
	if err := firstInvalid(invalidID(id), invalidName(&text)); err != nil {
		return domain.InternetSpeed{}, err
	}
	s := domain.InternetSpeed{ID: id, Speed: text, Slug: slug(text)}
	return s, r.store.CreateInternetSpeed(ctx, s)
}

// slug returns text in lower-case letters and digits, with hyphens between words.
func slug(text string) string {
	words := strings.FieldsFunc(domain.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}
