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
	Records []Record[T]
	Links   api.Links
	Meta    api.Meta
	// Raw is the whole body.
	Raw json.RawMessage
}

// SubscriberPage is one page of all subscribers, from 1. The size of a page is
// the server's; perPage above 0 asks for another where that is an extension.
func (c *Client) SubscriberPage(ctx context.Context, page, perPage int) (Page[api.Subscriber], error) {
	l := list{api.PathSubscribers, api.PathSubscribers, api.FieldSubscribers}
	return getPage[api.Subscriber](ctx, c, l, page, perPage)
}

// PagedSubscribers is what Subscribers is, page by page: slower, but a page
// whose transfer fails is asked for again. The sequence ends after the first
// error.
func (c *Client) PagedSubscribers(ctx context.Context, perPage int) iter.Seq2[Record[api.Subscriber], error] {
	return paged(func(page int) (Page[api.Subscriber], error) {
		return c.SubscriberPage(ctx, page, perPage)
	})
}

// paged asks for page after page until there is no next one. It counts by
// itself and never follows a link: a link could lead to another host, and the
// bearer token with it.
func paged[T any](get func(page int) (Page[T], error)) iter.Seq2[Record[T], error] {
	return func(yield func(Record[T], error) bool) {
		var before []byte
		for page := 1; ; page++ {
			got, err := get(page)
			if err == nil && page > 1 && len(got.Records) > 0 && bytes.Equal(got.Records[0].Raw, before) {
				err = &Unexpected{Route: "page " + strconv.Itoa(page), Err: reason("the same as the page before")}
			}
			if err != nil {
				yield(Record[T]{}, err)
				return
			}
			for _, r := range got.Records {
				if !yield(r, nil) {
					return
				}
			}
			if len(got.Records) == 0 || got.Links.Next == nil {
				return
			}
			before = got.Records[0].Raw
		}
	}
}

func getPage[T any](ctx context.Context, c *Client, l list, page, perPage int) (Page[T], error) {
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
	// A server that knows no pages answers with the whole list and no links.
	var around struct {
		Links api.Links `json:"links"`
		Meta  api.Meta  `json:"meta"`
	}
	if err := json.Unmarshal(a.body, &around); err != nil {
		return Page[T]{}, &Unexpected{Route: cl.name(), Err: err}
	}
	return Page[T]{records, around.Links, around.Meta, a.body}, nil
}

// decodeList reads a list that is there as a whole.
func decodeList[T any](cl call, field string, a answer) ([]Record[T], error) {
	out := []Record[T]{}
	err := walkList(bytes.NewReader(a.body), field, func(raw json.RawMessage) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		out = append(out, Record[T]{v, raw})
		return nil
	})
	if err != nil {
		return nil, &Unexpected{Route: cl.name(), Err: notJSON(a.header, err)}
	}
	return out, nil
}
