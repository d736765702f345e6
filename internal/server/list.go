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
		return x.stream(products, func(each func(*provision.SubscriberServices) error) error {
			return s.m.EachSubscriber(x.r.Context(), x.provider, each)
		})
	}
	subscribers, total, err := s.m.SubscriberPage(x.r.Context(), x.provider, w.offset(), w.perPage)
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, envelope(x, w, products.subscribers(subscribers), total))
}

// streamBuffer is how much of the plain list is held before it is sent.
const streamBuffer = 64 << 10

// stream sends the plain list of what walk comes upon, in constant memory.
// When it fails after the first bytes are out, the connection is broken: a list
// that ends early must not look whole.
func (x *exchange) stream(products catalogue, walk func(each func(*provision.SubscriberServices) error) error) error {
	x.Header().Set("Content-Type", api.MediaJSON)
	deadlines := http.NewResponseController(x)
	_ = deadlines.SetReadDeadline(time.Time{}) // it would end the request, however well the download goes
	out := bufio.NewWriterSize(patient{x, deadlines}, streamBuffer)
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
	value := x.r.PathValue(api.WildcardSearch)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return invalid(api.FieldError{Field: api.WildcardSearch, Code: "control_character", Detail: "must be text without control characters"})
	}
	term, err := provision.ParseSearchTerm(value)
	if err != nil {
		return err
	}
	w := windowOf(x.r.URL.Query(), api.PageSize)
	if !w.paged {
		products, err := s.catalogue(x.r.Context())
		if err != nil {
			return err
		}
		return x.stream(products, func(each func(*provision.SubscriberServices) error) error {
			return s.m.EachMatch(x.r.Context(), x.provider, term, each)
		})
	}
	var found []provision.SubscriberServices
	var total int
	products, err := s.catalogueBeside(x.r.Context(), func() (err error) {
		found, total, err = s.m.Search(x.r.Context(), x.provider, term, w.offset(), w.perPage)
		return err
	})
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, envelope(x, w, products.subscribers(found), total))
}
