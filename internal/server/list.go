package server

import (
	"bufio"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// listSubscribers sends all subscribers, or a page of them.
func (s *Server) listSubscribers(c *requestContext) error {
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	page := readPageRequest(c.r.URL.Query(), api.PageSizeSubscribers)
	if !page.paginate {
		return c.streamSubscribers(products, func(each func(*provision.SubscriberServices) error) error {
			return s.m.EachSubscriber(c.r.Context(), c.provider, each)
		})
	}
	subscribers, total, err := s.m.SubscriberPage(c.r.Context(), c.provider, page.offset(), page.perPage)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, newPage(c, page, products.subscribers(subscribers), total))
}

// streamBuffer is the buffer of the plain list in bytes.
const streamBuffer = 64 << 10

// streamSubscribers sends the subscribers that walk finds as the plain list, in
// constant memory. An error after the first bytes are sent closes the connection,
// so that a part of the list is not mistaken for the whole.
func (c *requestContext) streamSubscribers(products catalogue, walk func(each func(*provision.SubscriberServices) error) error) error {
	out := c.stream()
	_, _ = out.WriteString(`{"subscribers":[`) // Flush returns the error
	var one api.Subscriber
	first := true
	err := walk(func(sub *provision.SubscriberServices) error {
		b := out.AvailableBuffer()
		if !first {
			b = append(b, ',')
		}
		first = false
		products.fill(&one, sub)
		_, err := out.Write(one.AppendJSON(b))
		return err
	})
	if err != nil {
		return err
	}
	_, _ = out.WriteString(`],"response":"success"}` + "\n")
	return out.Flush()
}

// stream begins a response that may take as long as the client reads on.
func (c *requestContext) stream() *bufio.Writer {
	c.Header().Set("Content-Type", api.MediaJSON)
	deadlines := http.NewResponseController(c)
	_ = deadlines.SetReadDeadline(time.Time{}) // it would cancel the request during a long download
	return bufio.NewWriterSize(deadlineWriter{c, deadlines}, streamBuffer)
}

// deadlineWriter extends the write deadline with every write, so that a slow
// download goes on and one that stands still ends.
type deadlineWriter struct {
	x         *requestContext
	deadlines *http.ResponseController
}

func (w deadlineWriter) Write(b []byte) (int, error) {
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	return w.x.Write(b)
}

// searchSubscribers sends the subscribers that match, or a page of them.
func (s *Server) searchSubscribers(c *requestContext) error {
	value := c.r.PathValue(api.WildcardSearch)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return invalidFields(api.FieldError{Field: api.WildcardSearch, Code: "control_character", Detail: "must be text without control characters"})
	}
	term, err := provision.ParseSearchTerm(value)
	if err != nil {
		return err
	}
	page := readPageRequest(c.r.URL.Query(), api.PageSize)
	if !page.paginate {
		products, err := s.catalogue(c.r.Context())
		if err != nil {
			return err
		}
		return c.streamSubscribers(products, func(each func(*provision.SubscriberServices) error) error {
			return s.m.EachMatch(c.r.Context(), c.provider, term, each)
		})
	}
	var found []provision.SubscriberServices
	var total int
	products, err := s.withCatalogue(c.r.Context(), func() (err error) {
		found, total, err = s.m.Search(c.r.Context(), c.provider, term, page.offset(), page.perPage)
		return err
	})
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, newPage(c, page, products.subscribers(found), total))
}
