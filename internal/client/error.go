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

// ErrorKind classifies errors by what the caller can do about them.
type ErrorKind int

// The kinds.
const (
	// KindUnexpected is a response that the API does not define, or an error
	// of another package.
	KindUnexpected ErrorKind = iota
	KindNotFound             // the named resource does not exist
	KindAuth                 // missing, wrong or expired credentials, or no permission
	KindRefused              // a rule, a conflict, or an operation that the server lacks
	// KindUnavailable: network, TLS, time-out or an overloaded server. It may
	// work later.
	KindUnavailable
)

// KindOf returns the kind of an error, which may be wrapped.
func KindOf(err error) ErrorKind {
	if _, ok := errors.AsType[*UnavailableError](err); ok {
		return KindUnavailable
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind()
	}
	if errors.Is(err, ErrWebPage) {
		return KindUnavailable
	}
	return KindUnexpected
}

// IsTimeout reports whether no complete response came in time. A smaller request
// may succeed.
func IsTimeout(err error) bool {
	if errors.Is(err, errTimeout) || errors.Is(err, errSilent) {
		return true
	}
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusRequestTimeout || e.Status == http.StatusGatewayTimeout)
}

// HasCode reports whether err is an error response with that code.
func HasCode(err error, code string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// Error is an error response of the server.
type Error struct {
	// Route is the method and the path with its wildcards, such as
	// `GET /subscribers/{document}`: it holds no personal data.
	Route  string
	Status int    // the HTTP status
	Code   string // the server's code, or one derived from Status if it has none
	// Message is the server's text for people. It may be empty, and another
	// server may write anything there.
	Message    string
	RequestID  string        // identifies the request in the server's log
	Retryable  bool          // reports whether the same request may succeed later
	RetryAfter time.Duration // how long the server asks to wait; 0 if it does not
	// AccessToken is the token that lacks a scope, for CodeInsufficientScope; nil
	// if it is not known.
	AccessToken *api.AccessToken
	// Unknown reports whether the request may have had its effect: it is not read-only,
	// and the server broke down over an attempt, or is still processing one.
	Unknown bool
	Problem api.Problem // the part of the body that could be decoded
	Body    []byte      // the body, at most 1 MiB of it
	// Document names the subscriber of the command in hints.
	Document string
	// Location is the scheme and host of a redirect, if it names one.
	Location string

	header http.Header
	// codeless reports whether the server sent no code, so that only its text says why.
	codeless bool
}

// Error returns the route, the status, and the server's code and text.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.Route, e.Status, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Kind returns the kind of the error.
func (e *Error) Kind() ErrorKind {
	switch {
	case e.Code == api.CodeInvalidAccessToken:
		return KindAuth
	case e.isForeign():
		return KindUnavailable
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return KindAuth
	case http.StatusNotFound:
		return KindNotFound
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return KindUnavailable
	}
	if e.Status >= http.StatusInternalServerError {
		return KindUnavailable
	}
	return KindRefused // also the status of a success, see topLevelFields.isRefusal
}

// MissingScope returns the scope that the access token lacks (decisions.md 11), or
// "" for any other error. A 403 of a proxy, or of a server without scopes, names
// no scope.
func (e *Error) MissingScope() api.Scope {
	if e.Status != http.StatusForbidden || e.Problem.Code != api.CodeInsufficientScope {
		return ""
	}
	return e.Problem.RequiredScope
}

// Codes of an Error for a response that does not come from the API but from something in between,
// such as a proxy or the sign-in page of a network.
const (
	CodeRedirect    = "redirect_refused" // redirects are not followed
	CodeWebPage     = "web_page"
	CodeProxyAuth   = "proxy_authentication_required"
	CodeTLSRequired = "tls_required" // the server expects TLS at the port, and got plain http
)

// isForeign reports whether the response does not come from the API.
func (e *Error) isForeign() bool {
	return e.Code == CodeRedirect || e.Code == CodeWebPage || e.Code == CodeProxyAuth || e.Code == CodeTLSRequired
}

// newError returns the error for a response other than a success.
func newError(cl call, status int, header http.Header, body []byte) *Error {
	e := &Error{
		Route: cl.name(), Status: status, Body: body, header: header,
		RequestID:  header.Get(api.HeaderRequestID),
		Retryable:  isRetryable(status),
		RetryAfter: retryAfter(header.Get("Retry-After"), time.Now()),
	}
	e.Problem = readProblem(header.Get("Content-Type"), body)
	e.Code, e.Message = e.Problem.Code, e.Problem.Detail
	if e.Problem.RequestID != "" {
		e.RequestID = e.Problem.RequestID
	}
	switch {
	case status >= 300 && status < 400:
		e.Code, e.Message = CodeRedirect, "the answer points to another address"
	case status == http.StatusProxyAuthRequired:
		e.Code, e.Message = CodeProxyAuth, "a proxy asks for a user name and a password"
	case status == http.StatusBadRequest && expectsTLS(body):
		e.Code, e.Message = CodeTLSRequired, "there is TLS at this address: it must begin with https://"
	case isMarkup(body) && status < http.StatusInternalServerError:
		e.Code, e.Message = CodeWebPage, ErrWebPage.Error()
	case isMarkup(body):
		e.Message = gatewayPage.Error()
	}
	if e.codeless = e.Code == ""; e.codeless {
		e.Code = cl.codeForStatus(status)
	}
	if e.Code == api.CodeRequestInProgress {
		e.Retryable = true
	}
	e.Unknown = !cl.isReadOnly() && (status == http.StatusRequestTimeout || status >= http.StatusInternalServerError || e.Code == api.CodeRequestInProgress)
	return e
}

// expectsTLS reports whether the body is the response of Go, nginx or Apache to plain http at a port
// for TLS.
func expectsTLS(body []byte) bool {
	text := strings.ToLower(string(body[:min(len(body), 4<<10)]))
	return slices.ContainsFunc([]string{"http request to an https server", "plain http request was sent to https port", "speaking plain http to an ssl-enabled"},
		func(part string) bool { return strings.Contains(text, part) })
}

// readProblem decodes our errors and the usual ones of other servers: a text
// under one of a few names, and errors as a map from field to texts.
func readProblem(mediaType string, body []byte) api.Problem {
	var p api.Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		p = api.Problem{}
	}
	if p.Detail != "" {
		return p
	}
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

// codeForStatus returns the code for a status, for a server that sends no codes.
func (cl call) codeForStatus(status int) string {
	if status == http.StatusNotFound && (cl.route == api.PathSubscriber || cl.route == api.PathResend) {
		return api.CodeSubscriberNotFound
	}
	code, known := map[int]string{
		http.StatusBadRequest:            api.CodeMalformedJSON,
		http.StatusUnauthorized:          api.CodeTokenInvalid,
		http.StatusForbidden:             api.CodeInsufficientScope,
		http.StatusNotFound:              api.CodeNotFound,
		http.StatusMethodNotAllowed:      api.CodeMethodNotAllowed,
		http.StatusRequestEntityTooLarge: api.CodePayloadTooLarge,
		http.StatusUnprocessableEntity:   api.CodeValidationFailed,
		http.StatusTooManyRequests:       api.CodeRateLimited,
		http.StatusInternalServerError:   api.CodeInternal,
	}[status]
	switch {
	case known:
		return code
	case status > http.StatusInternalServerError:
		return api.CodeUnavailable
	}
	return "http_error"
}

// UnavailableError is the error of a request without a complete response.
type UnavailableError struct {
	Route string
	// Sent reports whether a connection was made, so that only the response, or
	// part of it, may be lost.
	Sent bool
	// Unknown reports whether the request may have had its effect: it was sent
	// and is not read-only.
	Unknown bool
	Err     error
}

// Error returns the route and the cause.
func (e *UnavailableError) Error() string { return fmt.Sprintf("%s: %v", e.Route, e.Err) }

func (e *UnavailableError) Unwrap() error { return e.Err }

// ProxyError is the error of a connection that the proxy does not make.
type ProxyError struct {
	Proxy  string // host and port
	Status int    // of the proxy's response; 0 if the proxy cannot be reached
	Err    error
}

// Error returns the proxy and the cause.
func (e *ProxyError) Error() string { return fmt.Sprintf("proxy %s: %v", e.Proxy, e.Err) }

func (e *ProxyError) Unwrap() error { return e.Err }

// UnexpectedResponseError is a success that cannot be decoded: HTML, no list
// where one is expected, a body over the limit.
type UnexpectedResponseError struct {
	Route   string
	Unknown bool // reports whether the request may have had its effect: it is not read-only
	Err     error
}

// Error returns the route and what is wrong with the response.
func (e *UnexpectedResponseError) Error() string {
	return fmt.Sprintf("%s: answer: %v", e.Route, e.Err)
}

func (e *UnexpectedResponseError) Unwrap() error { return e.Err }
