package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"

	"ativa/internal/api"
)

// UsagePeriod is the period of a usage report: days such as 2026-11-01, both included, in the time
// zone with the IANA name TZ.
type UsagePeriod struct{ From, To, TZ string }

func (p UsagePeriod) call(detail string) call {
	query := url.Values{api.ParamFrom: {p.From}, api.ParamTo: {p.To}, api.ParamTZ: {p.TZ}}
	if detail != "" {
		query.Set(api.ParamDetail, detail)
	}
	return call{method: http.MethodGet, route: api.PathUsage, path: api.PathUsage, query: query}
}

// Usage returns what was enabled in a period, by product. It needs the extension
// ExtUsage.
func (c *Client) Usage(ctx context.Context, p UsagePeriod) (u api.Usage, err error) {
	products := streamUsage[api.ProductUsage](ctx, c, p.call(""), "products", &u)
	for product, err := range products {
		if err != nil {
			return u, err
		}
		u.Products = append(u.Products, product.Value)
	}
	return u, nil
}

// TokenUsage yields the usage of every token, in order of creation and in constant memory, and
// then sets u to the rest of the report. The sequence ends after the first error. It needs the
// extension ExtUsage.
func (c *Client) TokenUsage(ctx context.Context, p UsagePeriod, u *api.Usage) iter.Seq2[Item[api.TokenUsage], error] {
	return streamUsage[api.TokenUsage](ctx, c, p.call(api.DetailTokens), "tokens", u)
}

// streamUsage yields one list of a report and then sets u to the rest of it. It
// streams, because the server may take longer than Timeout for a large report.
func streamUsage[T any](ctx context.Context, c *Client, cl call, field string, u *api.Usage) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		rest := map[string]json.RawMessage{}
		for item, err := range streamList[T](ctx, c, cl, field, rest) {
			if !yield(item, err) || err != nil {
				return
			}
		}
		members, err := json.Marshal(rest)
		if err == nil {
			err = json.Unmarshal(members, u)
		}
		if err != nil {
			yield(Item[T]{}, &UnexpectedResponseError{Route: cl.name(), Err: err})
		}
	}
}
