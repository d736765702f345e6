package client

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"strconv"

	"ativa/internal/api"
)

// Page is one page of a list.
type Page[T any] struct {
	Items []Item[T]
	Links api.Links
	Meta  api.Meta
	// Raw is the whole body.
	Raw json.RawMessage
}

// SubscriberPage returns one page of all subscribers. Pages count from 1. A
// perPage above 0 sets the size of the page if the server has ExtPageSize.
func (c *Client) SubscriberPage(ctx context.Context, page, perPage int) (Page[api.Subscriber], error) {
	l := listRoute{api.PathSubscribers, api.PathSubscribers, api.FieldSubscribers}
	return getPage[api.Subscriber](ctx, c, l, page, perPage)
}

// PagedSubscribers yields what Subscribers does, but requests it page by page:
// slower, but a page whose transfer fails is retried. The sequence ends after the
// first error.
func (c *Client) PagedSubscribers(ctx context.Context, perPage int) iter.Seq2[Item[api.Subscriber], error] {
	return pages(func(page int) (Page[api.Subscriber], error) {
		return c.SubscriberPage(ctx, page, perPage)
	})
}

// pages requests page after page until there is no next one. It counts the pages
// itself and never follows a link, which could send the bearer token to another
// host.
func pages[T any](get func(page int) (Page[T], error)) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		var before []byte
		for page := 1; ; page++ {
			got, err := get(page)
			if err == nil && page > 1 && len(got.Items) > 0 && bytes.Equal(got.Items[0].Raw, before) {
				err = &UnexpectedResponseError{Route: "page " + strconv.Itoa(page), Err: constError("the same as the page before")}
			}
			if err != nil {
				yield(Item[T]{}, err)
				return
			}
			for _, r := range got.Items {
				if !yield(r, nil) {
					return
				}
			}
			if len(got.Items) == 0 || got.Links.Next == nil {
				return
			}
			before = got.Items[0].Raw
		}
	}
}

func getPage[T any](ctx context.Context, c *Client, l listRoute, page, perPage int) (Page[T], error) {
	cl := l.call()
	cl.query = url.Values{
		api.ParamPaginate: {api.PaginateYes},
		api.ParamPage:     {strconv.Itoa(page)},
	}
	if perPage > 0 {
		cl.query.Set(api.ParamPerPage, strconv.Itoa(perPage))
	}
	a, err := c.do(ctx, cl)
	if err != nil {
		return Page[T]{}, err
	}
	records, err := decodeList[T](cl, l.field, a)
	if err != nil {
		return Page[T]{}, err
	}
	// A server without pages responds with the whole list and no links.
	var around struct {
		Links api.Links `json:"links"`
		Meta  api.Meta  `json:"meta"`
	}
	if err := json.Unmarshal(a.body, &around); err != nil {
		return Page[T]{}, &UnexpectedResponseError{Route: cl.name(), Err: err}
	}
	return Page[T]{records, around.Links, around.Meta, a.body}, nil
}

// decodeList decodes a list response.
func decodeList[T any](cl call, field string, a response) ([]Item[T], error) {
	out := []Item[T]{}
	err := walkList(bytes.NewReader(a.body), field, func(raw json.RawMessage) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		out = append(out, Item[T]{v, raw})
		return nil
	})
	if err != nil {
		return nil, &UnexpectedResponseError{Route: cl.name(), Err: explainHTML(a.header, err)}
	}
	return out, nil
}
