package server

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"ativa/internal/api"
)

// A body may take its time to come in, but not for ever; the answer has its
// own time from then on.
const (
	readWithin  = 2 * time.Minute
	writeWithin = 90 * time.Second
)

// readBody reads the body of the request, at most limit bytes of it, and
// undoes gzip; the limit counts what comes out.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) (string, error) {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return "", err
	}
	deadlines := http.NewResponseController(w)
	_ = deadlines.SetReadDeadline(time.Now().Add(readWithin)) // not every writer has deadlines
	var from io.Reader = http.MaxBytesReader(w, r.Body, limit)
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		if r.ContentLength > limit {
			return "", tooLarge(limit, r.ContentLength)
		}
	case "gzip", "x-gzip":
		plain, err := gzip.NewReader(from)
		if err != nil {
			return "", readError(err, limit)
		}
		from = plain
	default:
		return "", &refusal{code: api.CodeUnsupportedEncoding, detail: "only gzip is understood as Content-Encoding"}
	}
	var b strings.Builder
	b.Grow(int(min(max(r.ContentLength, 0), limit)))
	n, err := io.Copy(&b, io.LimitReader(from, limit+1))
	if err != nil {
		return "", readError(err, limit)
	}
	if n > limit {
		return "", tooLarge(limit, 0)
	}
	_ = deadlines.SetReadDeadline(time.Time{}) // it would end the request while it is worked on
	_ = deadlines.SetWriteDeadline(time.Now().Add(writeWithin))
	return b.String(), nil
}

// checkMediaType accepts JSON, and a body that does not say what it is.
func checkMediaType(header string) error {
	if header == "" {
		return nil
	}
	if media, _, err := mime.ParseMediaType(header); err == nil && media == api.MediaJSON {
		return nil
	}
	return &refusal{code: api.CodeUnsupportedMediaType, detail: "the body must be " + api.MediaJSON}
}

func readError(err error, limit int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(limit, 0)
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &refusal{code: api.CodeUnsupportedEncoding, detail: "the body is not gzip, as its Content-Encoding says", err: err}
	}
	return &refusal{code: api.CodeMalformedJSON, detail: "the body did not come in whole", err: err}
}

// tooLarge refuses a body over the limit; actual is 0 when its size is not known.
func tooLarge(limit, actual int64) error {
	return &refusal{code: api.CodePayloadTooLarge, limit: limit, actual: actual,
		detail: fmt.Sprintf("the body is larger than %d bytes", limit)}
}

func tooMany(limit, actual int) error {
	return &refusal{code: api.CodeTooManyItems, limit: int64(limit), actual: int64(actual),
		detail: fmt.Sprintf("%d elements, and at most %d are taken in one request; send several", actual, limit)}
}
