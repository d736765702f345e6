package support

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet/names"
)

// WrongDocument returns why a term that seems meant as a CPF is invalid: eleven digits or more
// without letters, and not a telephone number (cli.md, Commands). It returns nil for other terms.
func WrongDocument(term string) error {
	digits := cpf.OnlyDigits(term)
	if _, err := cpf.ParsePhone(term); err == nil || len(digits) < cpf.Size || strings.ContainsFunc(term, unicode.IsLetter) {
		return nil
	}
	_, err := cpf.Parse(digits)
	return err
}

// IsPhone reports whether a term is a Brazilian telephone number with area code. One
// mobile number in a hundred is also a valid CPF.
func IsPhone(term string) bool { return phoneDigits(term) != "" }

// spelledDocument returns the CPF in a term, and whether it is valid.
func spelledDocument(term string) (document string, valid bool) {
	d, err := cpf.Parse(cpf.OnlyDigits(term))
	return string(d), err == nil && !strings.ContainsFunc(term, unicode.IsLetter)
}

// phoneDigits returns area code and number without 0 or +55, the form that every server's
// search finds. It is empty for anything else.
func phoneDigits(term string) string {
	phone, err := cpf.ParsePhone(term)
	if digits, brazilian := strings.CutPrefix(phone, "+55"); err == nil && brazilian {
		return digits
	}
	return ""
}

// Search finds subscribers by a term. It accepts telephone numbers in any notation.
func Search(ctx context.Context, c *client.Client, term string) iter.Seq2[client.Item[api.Subscriber], error] {
	if _, valid := spelledDocument(term); !valid {
		term = cmp.Or(phoneDigits(term), term)
	}
	return c.Search(ctx, term)
}

// Find returns up to limit subscribers that match a term: by exact document, else by a search of
// name, e-mail, document and telephone. No match is not an error.
func Find(ctx context.Context, c *client.Client, term string, limit int) ([]api.Subscriber, error) {
	term = strings.TrimSpace(term)
	if document, valid := spelledDocument(term); valid {
		s, err := c.Subscriber(ctx, document)
		if err == nil {
			return []api.Subscriber{s.Value}, nil
		}
		if client.KindOf(err) != client.KindNotFound {
			return nil, err
		}
		if term = phoneDigits(term); term == "" {
			return nil, nil
		}
	}
	var found []api.Subscriber
	for s, err := range Search(ctx, c, term) {
		if err != nil {
			return nil, err
		}
		if found = append(found, s.Value); len(found) == limit {
			break
		}
	}
	return found, nil
}

// CanBeCanceled reports whether a service is neither cancelled nor being cancelled.
func CanBeCanceled(s api.Service) bool {
	return s.StatusID != 0 && !lifecycle.Done(s.StatusID, api.Deactivate)
}

// CountCancelable counts the services of a product that can be cancelled: selected counts those
// whose documents named picks, cancelable all of them. It reads the whole list of subscribers in
// constant memory.
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

// ByName sorts subscribers alphabetically; equal names keep the server's order.
func ByName(found []api.Subscriber) []api.Subscriber {
	slices.SortStableFunc(found, func(a, b api.Subscriber) int {
		return slices.Compare(names.FoldEachWord(a.Name), names.FoldEachWord(b.Name))
	})
	return found
}
