package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// statuses maps error codes to HTTP statuses (decisions.md 2). A missing code is a bug of the
// server.
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
	api.CodeScheduleNotFound:       http.StatusNotFound,
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
	api.CodeScheduleEnded:          http.StatusConflict,
	api.CodeNameTaken:              http.StatusConflict,
	api.CodeTokenLimit:             http.StatusConflict,
	api.CodeLastAdminToken:         http.StatusConflict,
	api.CodeAccessTokenEnded:       http.StatusConflict,
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

// httpError is an error in the form that is sent. detail is safe to show; err, if not nil, is the
// cause and is only logged.
type httpError struct {
	code       string
	detail     string
	errors     []api.FieldError
	limit      int64
	actual     int64
	allow      string        // the Allow header of a 405
	scope      string        // the scope that the token of a 403 lacks
	retryAfter time.Duration // 0: no Retry-After
	err        error
}

func (e *httpError) Error() string { return e.detail }
func (e *httpError) Unwrap() error { return e.err }

func invalidFields(errs ...api.FieldError) *httpError {
	return &httpError{code: api.CodeValidationFailed, detail: "the request has invalid fields", errors: errs}
}

// scopeError returns the error for a token without the scope (decisions.md 11).
func scopeError(needed domain.Scopes) *httpError {
	scope := strings.Join(needed.Names(), " ")
	return &httpError{code: api.CodeInsufficientScope, detail: "the access token lacks the scope " + scope, scope: scope}
}

func requiredField(field string) api.FieldError {
	return api.FieldError{Pointer: "/" + field, Field: field, Code: api.CodeRequired, Detail: "required"}
}

func invalidField(field, detail string) api.FieldError {
	return api.FieldError{Pointer: "/" + field, Field: field, Code: "invalid", Detail: detail}
}

// httpErrorOf turns an error of a handler into the one to send. For an unknown error, which is a
// bug, the client learns only that it is in the log.
func (s *Server) httpErrorOf(err error) *httpError {
	if e, ok := errors.AsType[*httpError](err); ok {
		return e
	}
	if cause, ok := errors.AsType[*domain.Error](err); ok {
		return fromDomainError(cause)
	}
	if cause := s.o.DatabaseFault(err); cause != nil {
		return fromDomainError(cause)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &httpError{code: api.CodeUnavailable, detail: "it took too long; try again", retryAfter: time.Second, err: err}
	}
	return &httpError{code: api.CodeInternal, detail: "an error of the server; it is in its log under the request id", err: err}
}

func fromDomainError(cause *domain.Error) *httpError {
	if cause.Scope != 0 {
		return scopeError(cause.Scope)
	}
	e := &httpError{code: string(cause.Code), detail: cause.Error(), err: cause.Err}
	if cause.Code == domain.Unavailable {
		e.retryAfter = time.Second
	}
	for _, f := range cause.Fields {
		e.errors = append(e.errors, api.FieldError{
			Pointer: pointerTo(f.Field), Field: f.Field, Code: string(f.Code), Detail: f.Message,
		})
	}
	if _, known := statuses[e.code]; !known {
		return &httpError{code: api.CodeInternal, detail: "an error of the server; it is in its log under the request id", err: cause}
	}
	return e
}

// pointerTo returns the JSON pointer to a field of the body, or "" for a parameter of the path or
// the query.
func pointerTo(field string) string {
	switch field {
	case api.WildcardSearch, api.ParamAfter, api.ParamFrom, api.ParamTo, api.ParamTZ:
		return ""
	}
	return "/" + field
}

func (e *httpError) status() int { return statuses[e.code] }

func (e *httpError) problem(requestID string) api.Problem {
	title := strings.NewReplacer("_", " ", "json", "JSON").Replace(e.code)
	return api.Problem{
		Response: api.ResponseError, Type: "urn:ativa:problem:" + e.code,
		Title: strings.ToUpper(title[:1]) + title[1:], Status: e.status(), Code: e.code,
		Detail: e.detail, RequestID: requestID, Limit: e.limit, Actual: e.actual, RequiredScope: api.Scope(e.scope), Errors: e.errors,
	}
}

func (e *httpError) headers(h http.Header) {
	if e.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.retryAfter+time.Second-1)/time.Second)))
	}
	if e.allow != "" {
		h.Set("Allow", e.allow)
	}
	if e.scope != "" {
		h.Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+e.scope+`"`)
	}
	if e.status() != http.StatusUnauthorized {
		return
	}
	challenge := `Bearer realm="ativa"`
	if e.code == api.CodeTokenInvalid || e.code == api.CodeTokenExpired {
		challenge += `, error="invalid_token", error_description="` + e.detail + `"`
	}
	h.Set("WWW-Authenticate", challenge)
}
