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

// listSubscribers answers with all subscribers, or a page of them.
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

// streamBuffer is how much of the plain list is held before it is sent.
const streamBuffer = 64 << 10

// streamSubscribers sends the plain list of what walk comes upon, in constant memory.
// When it fails after the first bytes are out, the connection is broken: a list
// that ends early must not look whole.
func (c *requestContext) streamSubscribers(products catalogue, walk func(each func(*provision.SubscriberServices) error) error) error {
	c.Header().Set("Content-Type", api.MediaJSON)
	deadlines := http.NewResponseController(c)
	_ = deadlines.SetReadDeadline(time.Time{}) // it would end the request, however well the download goes
	out := bufio.NewWriterSize(deadlineWriter{c, deadlines}, streamBuffer)
	_, _ = out.WriteString(`{"subscribers":[`) // the writer keeps its first error
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

// deadlineWriter gives every piece of a long answer its own time, so that a slow
// download may go on and a stuck one ends.
type deadlineWriter struct {
	x         *requestContext
	deadlines *http.ResponseController
}

func (w deadlineWriter) Write(b []byte) (int, error) {
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	return w.x.Write(b)
}

// searchSubscribers answers with what matches, or a page of it.
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
