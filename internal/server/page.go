package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ativa/internal/api"
)

// window is the part of a list that a request asks for (decisions.md 6).
type window struct {
	paged   bool
	page    int // from 1
	perPage int
}

func windowOf(q url.Values, perPage int) window {
	return window{
		paged:   q.Get(api.ParamPaginate) == api.PaginateYes,
		page:    positive(q.Get(api.ParamPage), 1),
		perPage: min(positive(q.Get(api.ParamPerPage), perPage), api.MaxPerPage),
	}
}

// positive is the number in s, or otherwise when s is not a number from 1 on.
// One too large to count with is the largest, which lies past the end of every list.
func positive(s string, otherwise int) int {
	if n, err := strconv.ParseInt(s, 10, 32); n > 0 && (err == nil || strings.Trim(s, "0123456789") == "") {
		return int(n) // math.MaxInt32 with an error of range
	}
	return otherwise
}

func (w window) offset() int { return (w.page - 1) * w.perPage }

// cut is the window's part of a list.
func cut[T any](w window, all []T) []T {
	from := min(w.offset(), len(all))
	return all[from:min(from+w.perPage, len(all))]
}

// envelope wraps the records of a window, of a list of total records.
func envelope[T any](x *exchange, w window, data []T, total int) api.Page[T] {
	last := max((total+w.perPage-1)/w.perPage, 1)
	links := api.Links{First: x.pageURL(1), Last: x.pageURL(last)}
	if w.page > 1 {
		prev := x.pageURL(min(w.page-1, last))
		links.Prev = &prev
	}
	if w.page < last {
		next := x.pageURL(w.page + 1)
		links.Next = &next
	}
	return api.Page[T]{
		Data: data, Links: links, Response: api.ResponseSuccess,
		Meta: api.Meta{CurrentPage: api.Int(w.page), LastPage: api.Int(last), PerPage: api.Int(w.perPage), Total: api.Int(total)},
	}
}

// pageURL is the request's own address with another page.
func (x *exchange) pageURL(page int) string {
	q := x.r.URL.Query()
	q.Set(api.ParamPage, strconv.Itoa(page))
	return x.origin() + x.r.URL.EscapedPath() + "?" + q.Encode()
}

// origin is what stands before a path in an absolute URL.
func (x *exchange) origin() string {
	if x.s.o.PublicURL != "" {
		return strings.TrimRight(x.s.o.PublicURL, "/")
	}
	scheme := "http"
	if x.r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + x.r.Host
}

// list answers with a list that is short enough to be held: the plain shape,
// or a page of it.
func list[T any](x *exchange, all []T, plain func(api.List[T]) any, message string) error {
	w := windowOf(x.r.URL.Query(), api.PageSize)
	if !w.paged {
		return x.json(http.StatusOK, plain(all))
	}
	p := envelope(x, w, cut(w, all), len(all))
	p.Message = message
	return x.json(http.StatusOK, p)
}
