package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A request body must be read within readTimeout; after that the response must be written within
// writeTimeout. The body of a refused request is discarded up to both discard limits.
const (
	readTimeout     = 2 * time.Minute
	writeTimeout    = 90 * time.Second
	discardTimeout  = 5 * time.Second
	maxDiscardBytes = 16 << 20
)

const (
	// maxProviderBodyBytes is how many bytes of large bodies one provider may
	// have in progress on this server: two of the largest imports.
	maxProviderBodyBytes = 2 * api.MaxImportBytes
	bodyWait             = 30 * time.Second // how long a large body waits for others to finish
)

// readBody returns the body of the request. It returns an error if the body exceeds limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) (string, error) {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return "", err
	}
	deadlines := http.NewResponseController(w)
	_ = deadlines.SetReadDeadline(time.Now().Add(readTimeout)) // not every writer supports deadlines
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "", &httpError{code: api.CodeUnsupportedEncoding, detail: "a Content-Encoding is not understood; send the body as it is"}
	}
	if r.ContentLength > limit {
		return "", tooLarge(limit, r.ContentLength)
	}
	var b strings.Builder
	b.Grow(int(max(r.ContentLength, 0)))
	if _, err := io.Copy(&b, http.MaxBytesReader(w, r.Body, limit)); err != nil {
		return "", readError(err, limit)
	}
	_ = deadlines.SetReadDeadline(time.Time{}) // net/http lifts it at the end of a body, but not if there is none
	_ = deadlines.SetWriteDeadline(time.Now().Add(writeTimeout))
	return b.String(), nil
}

// discardBody sends the response of a refused request, then reads and discards the rest of its
// body. If the connection were closed, a client that is still sending would see a reset instead of
// the response (decisions.md 8, "Before the body"). HTTP/2 does not need it.
func (c *requestContext) discardBody() {
	control := http.NewResponseController(c.ResponseWriter)
	_ = control.Flush()
	_ = control.SetReadDeadline(time.Now().Add(discardTimeout))
	if _, err := io.CopyN(io.Discard, c.r.Body, maxDiscardBytes); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler) // the rest would be taken for the next request
	}
}

// checkMediaType accepts JSON and a missing Content-Type.
func checkMediaType(header string) error {
	if header == "" {
		return nil
	}
	if media, _, err := mime.ParseMediaType(header); err == nil && media == api.MediaJSON {
		return nil
	}
	return &httpError{code: api.CodeUnsupportedMediaType, detail: "the body must be " + api.MediaJSON}
}

func readError(err error, limit int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(limit, 0)
	}
	return &httpError{code: api.CodeMalformedJSON, detail: "the body is incomplete", err: err}
}

// tooLarge returns the error for a body of more than limit bytes; actual is its size, or 0 if
// unknown.
func tooLarge(limit, actual int64) error {
	return &httpError{code: api.CodePayloadTooLarge, limit: limit, actual: actual,
		detail: fmt.Sprintf("the body is larger than %d bytes", limit)}
}

// checkLength returns an error if a list of n elements is longer than limit.
func checkLength(n, limit int) error {
	if n <= limit {
		return nil
	}
	return &httpError{code: api.CodeTooManyItems, limit: int64(limit), actual: int64(n),
		detail: "more than 5,000 elements in one request; send several"}
}

// bodyLimiter bounds the memory of each provider's large bodies, from before
// they are read until the response is written. The zero value is ready to use.
type bodyLimiter struct{ providers sync.Map } // ProviderID to *semaphore.Weighted

// acquire waits until the provider may hold n more bytes, for at most bodyWait. The caller must
// call release, which is never nil, after the response.
func (l *bodyLimiter) acquire(ctx context.Context, p domain.ProviderID, n int64) (release func(), err error) {
	held, _ := l.providers.LoadOrStore(p, semaphore.NewWeighted(maxProviderBodyBytes))
	bytes := held.(*semaphore.Weighted)
	waiting, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	if bytes.Acquire(waiting, n) != nil {
		return func() {}, unavailable("too many large requests of this provider are under way; send fewer at once", nil)
	}
	return func() { bytes.Release(n) }, nil
}

// bodySize returns the maximum number of bytes of the body that will be read: Content-Length, or the
// limit of the route without one, or 0 for a body over the limit, which is not read.
func (c *requestContext) bodySize() int64 {
	n := c.r.ContentLength
	switch {
	case n < 0:
		return c.route.body
	case n > c.route.body:
		return 0
	}
	return n
}
