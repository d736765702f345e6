package server

import (
	"bufio"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// listSubscribers sends all subscribers, or a page of them.
func (s *Server) listSubscribers(c *requestContext) error {
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return sendLongList(c, "subscribers", api.PageSizeSubscribers, products.fill, func(each func(*domain.SubscriberServices) error) error {
		return s.store.EachSubscriber(c.r.Context(), c.Provider, each)
	}, func(offset, limit int) ([]domain.SubscriberServices, int, error) {
		return s.store.SubscriberPage(c.r.Context(), c.Provider, offset, limit)
	})
}

// searchSubscribers sends all matching subscribers, or a page of them.
func (s *Server) searchSubscribers(c *requestContext) error {
	value := c.r.PathValue(api.WildcardSearch)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return invalidFields(api.FieldError{Field: api.WildcardSearch, Code: "control_character", Detail: "must be text without control characters"})
	}
	term, err := domain.ParseSearchTerm(value)
	if err != nil {
		return err
	}
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return sendLongList(c, "subscribers", api.PageSize, products.fill, func(each func(*domain.SubscriberServices) error) error {
		return s.store.EachMatch(c.r.Context(), c.Provider, term, each)
	}, func(offset, limit int) ([]domain.SubscriberServices, int, error) {
		return s.store.Search(c.r.Context(), c.Provider, term, offset, limit)
	})
}

// sendLongList sends a list that may be long: all values of walk, in constant memory, or one page of
// the list. fill converts one value, and may reuse the memory of what it overwrites. An error after
// the first bytes of the whole list closes the connection, so that a part of it is not mistaken for
// the whole.
func sendLongList[T, W any](c *requestContext, name string, perPage int, fill func(*W, *T),
	walk func(each func(*T) error) error, read func(offset, limit int) ([]T, int, error)) error {
	page := readPageRequest(c.r.URL.Query(), perPage)
	if !page.paginate {
		out := c.stream()
		if err := beginWithList(out, name, fill, walk); err != nil {
			return err
		}
		_, _ = out.WriteString(`"response":"success"}` + "\n") // Flush returns the error
		return out.Flush()
	}
	found, total, err := read(page.offset(), page.perPage)
	if err != nil {
		return err
	}
	data := make([]W, len(found))
	for i := range found {
		fill(&data[i], &found[i])
	}
	return c.writeJSON(http.StatusOK, newPage(c, page, data, total))
}

// beginWithList writes the beginning of an object, up to the comma after the list.
func beginWithList[T, W any](out *bufio.Writer, name string, fill func(*W, *T), walk func(each func(*T) error) error) error {
	_, _ = out.WriteString(`{"` + name + `":[`) // Flush returns the error
	var written W
	before := ""
	err := walk(func(value *T) error {
		_, _ = out.WriteString(before)
		before = ","
		fill(&written, value)
		return api.MarshalWrite(out, &written)
	})
	_, _ = out.WriteString(`],`)
	return err
}

// streamBuffer is the buffer of a streamed response in bytes.
const streamBuffer = 64 << 10

// stream begins a response that may take as long as the client keeps reading.
func (c *requestContext) stream() *bufio.Writer {
	c.Header().Set("Content-Type", api.MediaJSON)
	return bufio.NewWriterSize(deadlineWriter{c, http.NewResponseController(c)}, streamBuffer)
}

// deadlineWriter extends the write deadline with every write, so that a slow download continues
// and a stalled one ends.
type deadlineWriter struct {
	c         *requestContext
	deadlines *http.ResponseController
}

func (w deadlineWriter) Write(b []byte) (int, error) {
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer supports deadlines
	return w.c.Write(b)
}

// pageRequest is the page of a list that a request asks for (decisions.md 6).
type pageRequest struct {
	paginate bool
	page     int // from 1
	perPage  int
}

func readPageRequest(q url.Values, perPage int) pageRequest {
	return pageRequest{
		paginate: q.Get(api.ParamPaginate) == api.PaginateYes,
		page:     positive(q.Get(api.ParamPage), 1),
		perPage:  min(positive(q.Get(api.ParamPerPage), perPage), api.MaxPerPage),
	}
}

// positive returns the number in s, or fallback if s is not a number above 0. A number above
// math.MaxInt32 becomes math.MaxInt32, a page past the end of every list.
func positive(s string, fallback int) int {
	if n, err := strconv.ParseInt(s, 10, 32); n > 0 && (err == nil || strings.Trim(s, "0123456789") == "") {
		return int(n) // math.MaxInt32 if out of range
	}
	return fallback
}

func (page pageRequest) offset() int { return (page.page - 1) * page.perPage }

// pageOf returns one page of a list.
func pageOf[T any](page pageRequest, all []T) []T {
	from := min(page.offset(), len(all))
	return all[from:min(from+page.perPage, len(all))]
}

// newPage returns the body of a page with data, of a list of total elements.
func newPage[T any](c *requestContext, page pageRequest, data []T, total int) api.Page[T] {
	last := max((total+page.perPage-1)/page.perPage, 1)
	links := api.Links{First: c.pageURL(1), Last: c.pageURL(last)}
	if page.page > 1 {
		prev := c.pageURL(min(page.page-1, last))
		links.Prev = &prev
	}
	if page.page < last {
		next := c.pageURL(page.page + 1)
		links.Next = &next
	}
	return api.Page[T]{
		Data: data, Links: links, Response: api.ResponseSuccess,
		Meta: api.Meta{CurrentPage: api.Int(page.page), LastPage: api.Int(last), PerPage: api.Int(page.perPage), Total: api.Int(total)},
	}
}

// pageURL returns the URL of the request with another page.
func (c *requestContext) pageURL(page int) string {
	q := c.r.URL.Query()
	q.Set(api.ParamPage, strconv.Itoa(page))
	return c.origin() + c.r.URL.EscapedPath() + "?" + q.Encode()
}

// origin returns the part of an absolute URL before the path.
func (c *requestContext) origin() string {
	if c.s.o.PublicURL != "" {
		return strings.TrimRight(c.s.o.PublicURL, "/")
	}
	scheme := "http"
	if c.r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + c.r.Host
}

// sendShortList sends a list that fits in memory: in the shape that plain makes, or a
// page of it.
func sendShortList[T any](c *requestContext, all []T, plain func(api.List[T]) any, message string) error {
	page := readPageRequest(c.r.URL.Query(), api.PageSize)
	if !page.paginate {
		return c.writeJSON(http.StatusOK, plain(all))
	}
	p := newPage(c, page, pageOf(page, all), len(all))
	p.Message = message
	return c.writeJSON(http.StatusOK, p)
}
