package support

import (
	"context"
	"strings"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
)

// IsDocument reports whether a term is a document and no term: eleven digits, or
// as a CPF is written, with right check digits or not (cli.md, DOC).
func IsDocument(term string) bool {
	digits := cpf.StripPunctuation(strings.TrimSpace(term))
	return len(digits) == cpf.Size && cpf.OnlyDigits(digits) == digits
}

// Find returns the subscribers that a term means, up to limit of them: the one
// with that document, else those that the search finds by name, e-mail, document
// or telephone. Nobody is no error.
func Find(ctx context.Context, c *client.Client, term string, limit int) ([]api.Subscriber, error) {
	term = strings.TrimSpace(term)
	if IsDocument(term) {
		s, err := c.Subscriber(ctx, cpf.OnlyDigits(term))
		if client.KindOf(err) == client.KindNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []api.Subscriber{s.Value}, nil
	}
	var found []api.Subscriber
	for s, err := range c.Search(ctx, term) {
		if err != nil {
			return nil, err
		}
		if found = append(found, s.Value); len(found) == limit {
			break
		}
	}
	return found, nil
}
