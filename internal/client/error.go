package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
)

// ErrorKind sorts errors by what the caller can do about them.
type ErrorKind int

// The kinds.
const (
	// KindUnexpected: a response that the API does not have, or no error of
	// this package.
	KindUnexpected ErrorKind = iota
	// KindNotFound: what was named does not exist.
	KindNotFound
	// KindAuth: no, wrong or expired credentials, or not allowed.
	KindAuth
	// KindRefused: a rule or a conflict, or what the server does not do at all.
	KindRefused
	// KindUnavailable: network, TLS, time-out or an overloaded server; it may
	// work later.
	KindUnavailable
)

// KindOf is the kind of an error of this package, however wrapped.
func KindOf(err error) ErrorKind {
	if _, ok := errors.AsType[*UnavailableError](err); ok {
		return KindUnavailable
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind()
	}
	return KindUnexpected
}

// IsTimeout reports whether no whole response came in time; a smaller request may pass.
func IsTimeout(err error) bool {
	if errors.Is(err, errTimeout) || errors.Is(err, errSilent) {
		return true
	}
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusRequestTimeout || e.Status == http.StatusGatewayTimeout)
}

// Error is a response that says no.
type Error struct {
	// Route is the method and the path with its wildcards, such as
	// `GET /subscribers/{document}`: it holds no personal data.
	Route string
	// Status is the HTTP status.
	Status int
	// Code is the server's code, or one that follows from Status when the
	// server gives none.
	Code string
	// Message is the server's text for people, and may be empty. Another
	// server may put anything there.
	Message string
	// RequestID is what the server's log knows the request by.
	RequestID string
	// Retryable reports whether the same request may succeed later.
	Retryable bool
	// RetryAfter is how long the server asks to wait, zero if it does not.
	RetryAfter time.Duration
	// Problem is the body as far as it was understood.
	Problem api.Problem
	// Body is the body as it came, at most 1 MiB of it.
	Body []byte

	header http.Header
}

// Error is the route, the status, and the code and text of the server.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.Route, e.Status, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Kind is what the caller can do about it.
func (e *Error) Kind() ErrorKind {
	if e.Code == api.CodeInvalidAccessToken {
		return KindAuth
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return KindAuth
	case http.StatusNotFound:
		return KindNotFound
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return KindUnavailable
	}
	switch {
	case e.Status >= http.StatusInternalServerError:
		return KindUnavailable
	case e.Status >= http.StatusMultipleChoices && e.Status < http.StatusBadRequest:
		return KindUnexpected
	}
	return KindRefused // a success by its body, see head.refuses
}

// CodeRedirect is the code of an Error for a redirect: none is followed.
const CodeRedirect = "redirect_refused"

// newError reads a response that is no success.
func newError(route string, status int, header http.Header, body []byte) *Error {
	e := &Error{
		Route: route, Status: status, Body: body, header: header,
		RequestID:  header.Get(api.HeaderRequestID),
		Retryable:  isRetryable(status),
		RetryAfter: retryAfter(header.Get("Retry-After"), time.Now()),
	}
	e.Problem = readProblem(header.Get("Content-Type"), body)
	e.Code, e.Message = e.Problem.Code, e.Problem.Detail
	if e.Problem.RequestID != "" {
		e.RequestID = e.Problem.RequestID
	}
	if status >= 300 && status < 400 {
		e.Code, e.Message = CodeRedirect, "the server answers from another address; set the server to that one"
	}
	if e.Code == "" {
		e.Code = codeForStatus(status)
	}
	if e.Code == api.CodeRequestInProgress {
		e.Retryable = true
	}
	return e
}

// readProblem understands our errors, and as much of others as is common:
// a text under one of a few names, and errors as a map from field to texts.
func readProblem(mediaType string, body []byte) api.Problem {
	var p api.Problem
	if json.Unmarshal(body, &p) == nil && p.Code != "" {
		return p
	}
	p = api.Problem{}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		if t, _, _ := mime.ParseMediaType(mediaType); t == "text/plain" {
			p.Detail = firstLine(string(body))
		}
		return p
	}
	_ = json.Unmarshal(fields["code"], &p.Code)
	for _, name := range []string{"detail", "message", "error_description", "error", "title"} {
		if json.Unmarshal(fields[name], &p.Detail) == nil && p.Detail != "" {
			break
		}
	}
	var errs map[string][]string
	if json.Unmarshal(fields["errors"], &errs) == nil {
		for field, texts := range errs {
			for _, text := range texts {
				p.Errors = append(p.Errors, api.FieldError{Field: field, Detail: text})
			}
		}
		slices.SortStableFunc(p.Errors, func(a, b api.FieldError) int { return strings.Compare(a.Field, b.Field) })
	}
	return p
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(line); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return line
}

// codeForStatus is the code for a server that sends none.
func codeForStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return api.CodeMalformedJSON
	case http.StatusUnauthorized:
		return api.CodeTokenInvalid
	case http.StatusForbidden:
		return api.CodeInsufficientScope
	case http.StatusNotFound:
		return api.CodeNotFound
	case http.StatusMethodNotAllowed:
		return api.CodeMethodNotAllowed
	case http.StatusRequestEntityTooLarge:
		return api.CodePayloadTooLarge
	case http.StatusUnprocessableEntity:
		return api.CodeValidationFailed
	case http.StatusTooManyRequests:
		return api.CodeRateLimited
	case http.StatusInternalServerError:
		return api.CodeInternal
	}
	if status > http.StatusInternalServerError {
		return api.CodeUnavailable
	}
	return "http_error"
}

// UnavailableError is a request that got no whole response.
type UnavailableError struct {
	Route string
	// Sent reports whether the server was reached: the response was lost, or part of it.
	Sent bool
	// Unknown reports whether the request may have had its effect: it was sent, and
	// is one that changes something.
	Unknown bool
	Err     error
}

// Error is the route and the cause.
func (e *UnavailableError) Error() string { return fmt.Sprintf("%s: %v", e.Route, e.Err) }

// Unwrap is the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// UnexpectedResponseError is a success that cannot be understood: HTML, a list that is
// none, a body over the cap.
type UnexpectedResponseError struct {
	Route string
	Err   error
}

// Error is the route and what is wrong with the response.
func (e *UnexpectedResponseError) Error() string {
	return fmt.Sprintf("%s: answer: %v", e.Route, e.Err)
}

// Unwrap is the cause.
func (e *UnexpectedResponseError) Unwrap() error { return e.Err }
