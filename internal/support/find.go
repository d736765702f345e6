package support

import (
	"context"
	"strings"
	"unicode"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
)

// IsDocument reports whether a term is a document, right or wrong: eleven digits
// are a CPF and never a telephone (cli.md, Commands), whatever stands between
// them but letters.
func IsDocument(term string) bool {
	return len(cpf.OnlyDigits(term)) == cpf.Size && !strings.ContainsFunc(term, unicode.IsLetter)
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

// CanBeCanceled reports whether a service is neither over nor about to be.
func CanBeCanceled(s api.Service) bool {
	return s.StatusID != 0 && !api.IsCanceled(s.StatusID) && s.StatusID != api.StatusWaitingCancellation
}

// CountCancelable counts the services of a product that can be canceled: those of
// the documents that named picks, and all of them. It reads the whole list of
// subscribers in constant memory.
func CountCancelable(ctx context.Context, c *client.Client, product api.Int, named func(document string) bool) (selected, cancelable int, err error) {
	for s, err := range c.Subscribers(ctx) {
		if err != nil {
			return 0, 0, err
		}
		service, has := api.NewestService(s.Value.Services, product)
		if !has || !CanBeCanceled(service) {
			continue
		}
		cancelable++
		if named(cpf.OnlyDigits(s.Value.Document)) {
			selected++
		}
	}
	return selected, cancelable, nil
}
