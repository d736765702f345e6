package client

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
)

// maxTracedBody is the size in bytes above which a trace shows only the size of
// a body.
const maxTracedBody = 16 << 10

// tracer writes requests and responses without secrets and personal data. A nil
// tracer writes nothing.
type tracer struct {
	mu  sync.Mutex
	out io.Writer
}

func newTracer(out io.Writer) *tracer {
	if out == nil {
		return nil
	}
	return &tracer{out: out}
}

func (t *tracer) request(cl call, req *http.Request) {
	if t == nil {
		return
	}
	t.line(">", "%s %s://%s%s%s", cl.method, req.URL.Scheme, req.URL.Host, cl.route, maskQuery(req.URL.Query()))
	t.headers(">", req.Header)
	t.body(">", req.Header, cl.body)
}

func (t *tracer) response(res *http.Response) {
	if t == nil {
		return
	}
	t.line("<", "%s %d", res.Proto, res.StatusCode)
	t.headers("<", res.Header)
}

func (t *tracer) failure(err error) {
	if t != nil {
		t.line("!", "%s", maskError(err))
	}
}

func (t *tracer) waiting(wait time.Duration, err error) {
	if t != nil {
		t.line("*", "next try in %v: %s", wait.Round(time.Millisecond), maskError(err))
	}
}

// maskError returns the text of an error without the server's message, which may
// contain personal data.
func maskError(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return fmt.Sprintf("%s: %d %s", e.Route, e.Status, maskText(e.Code))
	}
	return maskText(err.Error())
}

// headers writes the values of headers that hold no secret, and the names of the
// others.
func (t *tracer) headers(mark string, h http.Header) {
	shown := []string{
		"Content-Type", "Content-Length", "Retry-After", "Www-Authenticate", "Date", "Allow",
		"User-Agent", "Accept", http.CanonicalHeaderKey(api.HeaderRequestID),
		api.HeaderIdempotencyReplayed, api.HeaderExtensions,
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if slices.Contains(shown, name) {
			t.line(mark, "%s: %s", name, maskText(strings.Join(h[name], ", ")))
		} else {
			t.line(mark, "%s: ***", name)
		}
	}
}

func (t *tracer) body(mark string, h http.Header, body []byte) {
	switch {
	case t == nil || len(body) == 0:
	case len(body) > maxTracedBody:
		t.line(mark, "(%d bytes)", len(body))
	default:
		if masked, ok := maskJSON(body); ok {
			t.line(mark, "%s", masked)
		} else {
			t.line(mark, "(%d bytes of %s)", len(body), h.Get("Content-Type"))
		}
	}
}

// line writes one line with every unprintable character escaped, because a
// server's text must not reach a terminal.
func (t *tracer) line(mark, format string, args ...any) {
	text := escapeUnprintable(fmt.Sprintf(format, args...))
	t.mu.Lock()
	defer t.mu.Unlock()
	// An error of the trace must not stop the work.
	_, _ = fmt.Fprintf(t.out, "%s %s\n", mark, text)
}
