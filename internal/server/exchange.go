package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// exchange is one request and its answer. Handlers return their error; fail
// turns it into the answer, finish writes the one line of the log.
type exchange struct {
	http.ResponseWriter
	s        *Server
	r        *http.Request
	route    *route
	id       string // of the request
	start    time.Time
	provider provision.ProviderID // 0 before authentication
	body     string
	done     func() // gives back the room of a large body

	status int // 0 until the answer has begun
	code   string
	cause  error
}

// WriteHeader begins the answer.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write goes on with the answer.
func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	return x.ResponseWriter.Write(b)
}

// Unwrap gives [http.ResponseController] the writer below.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// json answers with v.
func (x *exchange) json(status int, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return x.send(status, api.MediaJSON, b)
}

func (x *exchange) send(status int, media string, body []byte) error {
	x.Header().Set("Content-Type", media)
	x.WriteHeader(status)
	_, _ = x.Write(body) // when it cannot be written, nobody is there to be told
	return nil
}

// encode is v as JSON with a newline, and without the escapes that only HTML needs.
// The long answers append themselves, at a fraction of the cost.
func encode(v any) ([]byte, error) {
	if a, ok := v.(interface{ AppendJSON([]byte) []byte }); ok {
		return append(a.AppendJSON(nil), '\n'), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	return b.Bytes(), nil
}

// fail answers with a problem (decisions.md 2), or breaks the connection when
// an answer has begun that would look whole.
func (x *exchange) fail(err error) {
	x.cause = err
	if x.status != 0 {
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, context.Canceled) && x.r.Context().Err() != nil {
		x.code = "client_gone"
		x.status = statusClientGone
		return
	}
	r := x.s.asRefusal(err)
	x.code = r.code
	r.headers(x.Header())
	if x.route != nil && x.route.page && !x.forMachine() {
		x.s.page.refuse(x, r)
		return
	}
	body, err := encode(r.problem(x.id))
	if err != nil {
		panic(err)
	}
	_ = x.send(r.status(), api.MediaProblem, body)
}

// forMachine reports whether a page was asked for by a program, which gets
// problems like anywhere else.
func (x *exchange) forMachine() bool {
	accept := x.r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "html")
}

// statusClientGone stands in log and figures for a client that did not wait.
const statusClientGone = 499

// finish ends the exchange: a panic becomes a problem, and all is logged once.
func (x *exchange) finish() {
	defer x.log()
	switch p := recover(); p {
	case nil:
	case http.ErrAbortHandler:
		x.code = "aborted"
		defer panic(p)
	default:
		if x.status != 0 {
			x.code, x.cause = "aborted", fmt.Errorf("panic: %v", p)
			defer panic(http.ErrAbortHandler)
			return
		}
		x.fail(fmt.Errorf("panic: %v\n%s", p, stack()))
	}
}

// newRequestID is ours alone: one that a client chose could carry a document
// into the log.
func newRequestID() string { return rand.Text() }
