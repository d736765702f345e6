package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// statuses says which HTTP status each code of an error has (decisions.md 2).
// A code that is absent is a fault of the server.
var statuses = map[string]int{
	api.CodeMalformedJSON:          http.StatusBadRequest,
	api.CodeUnsupportedEncoding:    http.StatusBadRequest,
	api.CodeTokenMissing:           http.StatusUnauthorized,
	api.CodeTokenInvalid:           http.StatusUnauthorized,
	api.CodeTokenExpired:           http.StatusUnauthorized,
	api.CodeInvalidAccessToken:     http.StatusUnauthorized,
	api.CodeInvalidSignature:       http.StatusUnauthorized,
	api.CodeInsufficientScope:      http.StatusForbidden,
	api.CodeNotFound:               http.StatusNotFound,
	api.CodeSubscriberNotFound:     http.StatusNotFound,
	api.CodeServiceNotFound:        http.StatusNotFound,
	api.CodeMethodNotAllowed:       http.StatusMethodNotAllowed,
	api.CodeUnsupportedMediaType:   http.StatusUnsupportedMediaType,
	api.CodeSubscriberExists:       http.StatusConflict,
	api.CodeSubscriberHasServices:  http.StatusConflict,
	api.CodeOperationInProgress:    http.StatusConflict,
	api.CodeServiceNotActive:       http.StatusConflict,
	api.CodeServiceSuspended:       http.StatusConflict,
	api.CodeServiceOverdue:         http.StatusConflict,
	api.CodeServiceCanceled:        http.StatusConflict,
	api.CodeServiceInError:         http.StatusConflict,
	api.CodeCancellationUnresolved: http.StatusConflict,
	api.CodeNotReplaceable:         http.StatusConflict,
	api.CodeFamilyConflict:         http.StatusConflict,
	api.CodeNothingToResend:        http.StatusConflict,
	api.CodeRequestInProgress:      http.StatusConflict,
	api.CodeLinkInvalid:            http.StatusGone,
	api.CodePayloadTooLarge:        http.StatusRequestEntityTooLarge,
	api.CodeTooManyItems:           http.StatusRequestEntityTooLarge,
	api.CodeValidationFailed:       http.StatusUnprocessableEntity,
	api.CodeInvalidCursor:          http.StatusUnprocessableEntity,
	api.CodeUnknownProduct:         http.StatusUnprocessableEntity,
	api.CodeProductInactive:        http.StatusUnprocessableEntity,
	api.CodeActionNotAllowed:       http.StatusUnprocessableEntity,
	api.CodeSameProduct:            http.StatusUnprocessableEntity,
	api.CodeUnknownInternetSpeed:   http.StatusUnprocessableEntity,
	api.CodeBatchFailed:            http.StatusUnprocessableEntity,
	api.CodeIdempotencyKeyReused:   http.StatusUnprocessableEntity,
	api.CodeRateLimited:            http.StatusTooManyRequests,
	api.CodeUnavailable:            http.StatusServiceUnavailable,
	api.CodeInternal:               http.StatusInternalServerError,
}

// refusal is an error that HTTP itself gives rise to. detail is safe to show;
// err, when set, is the cause and only logged.
type refusal struct {
	code       string
	detail     string
	errors     []api.FieldError
	limit      int64
	actual     int64
	allow      string        // the Allow header of a 405
	retryAfter time.Duration // 0: no Retry-After
	err        error
}

func (r *refusal) Error() string { return r.detail }
func (r *refusal) Unwrap() error { return r.err }

// invalid is what is wrong with the fields of a body.
func invalid(errs ...api.FieldError) *refusal {
	return &refusal{code: api.CodeValidationFailed, detail: "the request has invalid fields", errors: errs}
}

// required is invalid for one missing field of the body.
func required(field string) api.FieldError {
	return api.FieldError{Pointer: "/" + field, Field: field, Code: api.CodeRequired, Detail: "required"}
}

// asRefusal tells how an error is answered; an unknown one is a fault of ours,
// of which only the log says more.
func (s *Server) asRefusal(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if m, ok := errors.AsType[malformed](err); ok {
		return &refusal{code: api.CodeMalformedJSON, detail: m.Error()}
	}
	if e, ok := errors.AsType[*provision.Error](err); ok {
		return fromProvision(e)
	}
	if e := s.o.Fault(err); e != nil {
		return fromProvision(e)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &refusal{code: api.CodeUnavailable, detail: "it took too long; try again", retryAfter: time.Second, err: err}
	}
	return &refusal{code: api.CodeInternal, detail: "an error of the server; it is in its log under the request id", err: err}
}

func fromProvision(e *provision.Error) *refusal {
	r := &refusal{code: string(e.Code), detail: e.Error(), err: e.Err}
	if e.Code == provision.Unavailable {
		r.retryAfter = time.Second
	}
	for _, f := range e.Fields {
		r.errors = append(r.errors, api.FieldError{
			Pointer: pointerTo(f.Field), Field: f.Field, Code: string(f.Code), Detail: f.Message,
		})
	}
	if _, known := statuses[r.code]; !known {
		return &refusal{code: api.CodeInternal, detail: "an error of the server; it is in its log under the request id", err: e}
	}
	return r
}

// pointerTo is the place of a field of the body; what stands in the path or
// the query has none.
func pointerTo(field string) string {
	switch field {
	case api.WildcardSearch, api.ParamAfter:
		return ""
	}
	return "/" + field
}

func (r *refusal) status() int { return statuses[r.code] }

// problem is the body that the refusal is answered with.
func (r *refusal) problem(requestID string) api.Problem {
	title := strings.NewReplacer("_", " ", "json", "JSON").Replace(r.code)
	return api.Problem{
		Response: api.ResponseError, Type: "urn:ativa:problem:" + r.code,
		Title: strings.ToUpper(title[:1]) + title[1:], Status: r.status(), Code: r.code,
		Detail: r.detail, RequestID: requestID, Limit: r.limit, Actual: r.actual, Errors: r.errors,
	}
}

// headers adds what the status asks for besides the body.
func (r *refusal) headers(h http.Header) {
	if r.code == api.CodePayloadTooLarge {
		h.Set("Connection", "close") // rather than read the rest of the body
	}
	if r.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((r.retryAfter+time.Second-1)/time.Second)))
	}
	if r.allow != "" {
		h.Set("Allow", r.allow)
	}
	if r.status() != http.StatusUnauthorized {
		return
	}
	challenge := `Bearer realm="ativa"`
	if r.code == api.CodeTokenInvalid || r.code == api.CodeTokenExpired {
		challenge += `, error="invalid_token", error_description="` + r.detail + `"`
	}
	h.Set("WWW-Authenticate", challenge)
}
