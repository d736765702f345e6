package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// requestContext is the state of one request: its input and the response. A
// handler returns its error, fail turns the error into a response, and finish
// logs the request.
type requestContext struct {
	http.ResponseWriter
	domain.Caller // zero before authentication

	s        *Server
	r        *http.Request
	route    *route
	id       string // request ID, generated here: an ID chosen by the client could carry a document into the log
	start    time.Time
	body     string
	document cpf.Document // from the path, on routes that have one
	release  func()       // releases the memory of a large body

	status int    // 0 until the header of the response is written
	code   string // of the error, for the log
	cause  error  // of the error, for the log
}

// WriteHeader implements [http.ResponseWriter] and keeps the status for the log.
func (c *requestContext) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (c *requestContext) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] reach the underlying writer.
func (c *requestContext) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *requestContext) writeJSON(status int, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return c.send(status, api.MediaJSON, b)
}

// writeSuccess sends a response without a result.
func (c *requestContext) writeSuccess() error {
	return c.writeJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

func (c *requestContext) send(status int, media string, body []byte) error {
	c.Header().Set("Content-Type", media)
	c.Header().Set("Content-Length", strconv.Itoa(len(body)))
	c.WriteHeader(status)
	_, _ = c.Write(body) // an error means that the client is gone
	return nil
}

// encode returns v as JSON with a newline.
func encode(v any) ([]byte, error) {
	b, err := api.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the response: %w", err)
	}
	return append(b, '\n'), nil
}

// fail sends err as a problem (decisions.md 2). If part of a response has already been written, it
// closes the connection instead, so that the part is not mistaken for the whole. It does the same
// if the client is gone, because a client that has closed only its half would receive an empty
// 200.
func (c *requestContext) fail(err error) {
	c.cause = err
	begun := c.status != 0
	gone := c.r.Context().Err() != nil && (begun || errors.Is(err, context.Canceled))
	if gone {
		c.code, c.status = codeClientGone, statusClientGone
	}
	if begun || gone {
		panic(http.ErrAbortHandler)
	}
	if c.body == "" && c.r.ContentLength != 0 && c.r.ProtoMajor == 1 {
		control := http.NewResponseController(c.ResponseWriter)
		_ = control.EnableFullDuplex()                             // net/http would otherwise read the body before it responds
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // reading may have taken longer
		defer c.discardBody()
	}
	e := c.s.httpErrorOf(err)
	c.code = e.code
	e.headers(c.Header())
	if c.route != nil && c.route.html && !c.wantsProblem() {
		c.showError(e)
		return
	}
	if err := c.writeProblem(e, e.problem(c.id)); err != nil {
		panic(err)
	}
}

// writeProblem sends e as problem, which may have further members.
func (c *requestContext) writeProblem(e *httpError, problem any) error {
	c.code = e.code
	body, err := encode(problem)
	if err != nil {
		return err
	}
	return c.send(e.status(), api.MediaProblem, body)
}

// wantsProblem reports whether the client of the activation page is a program, which gets problems
// instead of error pages.
func (c *requestContext) wantsProblem() bool {
	accept := c.r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "html")
}

// Status and code that are logged and counted if the client closed the connection.
const (
	statusClientGone = 499
	codeClientGone   = "client_gone"
)

// finish logs the request. It turns a panic of the handler into a problem.
func (c *requestContext) finish() {
	defer c.logRequest()
	switch p := recover(); p {
	case nil:
	case http.ErrAbortHandler:
		if c.code == "" {
			c.code = "aborted"
		}
		defer panic(p)
	default:
		if c.status != 0 {
			c.code, c.cause = "aborted", fmt.Errorf("panic: %v", p)
			defer panic(http.ErrAbortHandler)
			return
		}
		c.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}
