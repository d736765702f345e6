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
func (s *Server) listSubscribers(x *exchange) error {
	products, err := s.catalogue(x.r.Context())
	if err != nil {
		return err
	}
	w := windowOf(x.r.URL.Query(), api.PageSizeSubscribers)
	if !w.paged {
		return x.stream(products)
	}
	subscribers, total, err := s.m.SubscriberPage(x.r.Context(), x.provider, w.offset(), w.perPage)
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, envelope(x, w, products.subscribers(subscribers), total))
}

// streamBuffer is how much of the plain list is held before it is sent.
const streamBuffer = 64 << 10

// stream sends the plain list in constant memory. When reading fails after the
// first bytes are out, the connection is broken: a list that ends early must
// not look whole.
func (x *exchange) stream(products catalogue) error {
	x.Header().Set("Content-Type", api.MediaJSON)
	out := bufio.NewWriterSize(patient{x, http.NewResponseController(x)}, streamBuffer)
	_, _ = out.WriteString(`{"subscribers":[`) // the writer keeps its first error
	var one api.Subscriber
	first := true
	err := x.s.m.EachSubscriber(x.r.Context(), x.provider, func(sub *provision.SubscriberServices) error {
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

// patient gives every piece of a long answer its own time, so that a slow
// download may go on and a stuck one ends.
type patient struct {
	x         *exchange
	deadlines *http.ResponseController
}

func (p patient) Write(b []byte) (int, error) {
	_ = p.deadlines.SetWriteDeadline(time.Now().Add(writeWithin)) // not every writer has deadlines
	return p.x.Write(b)
}

// searchSubscribers answers with what matches, or a page of it.
func (s *Server) searchSubscribers(x *exchange) error {
	value := x.r.PathValue(api.WildSearch)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return invalid(api.FieldError{Field: api.WildSearch, Code: "control_character", Detail: "must be text without control characters"})
	}
	term, err := provision.ParseTerm(value)
	if err != nil {
		return err
	}
	products, err := s.catalogue(x.r.Context())
	if err != nil {
		return err
	}
	w := windowOf(x.r.URL.Query(), api.PageSize)
	offset, limit := 0, 0
	if w.paged {
		offset, limit = w.offset(), w.perPage
	}
	found, total, err := s.m.Search(x.r.Context(), x.provider, term, offset, limit)
	if err != nil {
		return err
	}
	subscribers := products.subscribers(found)
	if w.paged {
		return x.json(http.StatusOK, envelope(x, w, subscribers, total))
	}
	return x.json(http.StatusOK, api.SubscribersAnswer{Subscribers: subscribers, Response: api.ResponseSuccess})
}
