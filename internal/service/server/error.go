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

// statusOf returns the HTTP status of an error code (decisions.md 2), or 0 for an unknown code, which
// is a bug of the server.
func statusOf(code string) int {
	switch code {
	case api.CodeMalformedJSON, api.CodeUnsupportedEncoding:
		return http.StatusBadRequest
	case api.CodeTokenMissing, api.CodeTokenInvalid, api.CodeTokenExpired, api.CodeInvalidAccessToken, api.CodeInvalidSignature:
		return http.StatusUnauthorized
	case api.CodeInsufficientScope:
		return http.StatusForbidden
	case api.CodeNotFound, api.CodeSubscriberNotFound, api.CodeServiceNotFound, api.CodeScheduleNotFound:
		return http.StatusNotFound
	case api.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case api.CodeSubscriberExists, api.CodeSubscriberHasServices, api.CodeOperationInProgress, api.CodeServiceNotActive,
		api.CodeServiceSuspended, api.CodeServiceOverdue, api.CodeServiceCanceled, api.CodeServiceInError,
		api.CodeCancellationUnresolved, api.CodeNotReplaceable, api.CodeFamilyConflict, api.CodeNothingToResend,
		api.CodeRequestInProgress, api.CodeScheduleEnded, api.CodeNameTaken, api.CodeTokenLimit, api.CodeLastAdminToken,
		api.CodeAccessTokenEnded:
		return http.StatusConflict
	case api.CodeLinkInvalid:
		return http.StatusGone
	case api.CodePayloadTooLarge, api.CodeTooManyItems:
		return http.StatusRequestEntityTooLarge
	case api.CodeUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case api.CodeValidationFailed, api.CodeInvalidCursor, api.CodeUnknownProduct, api.CodeProductInactive,
		api.CodeActionNotAllowed, api.CodeSameProduct, api.CodeUnknownInternetSpeed, api.CodeBatchFailed,
		api.CodeIdempotencyKeyReused:
		return http.StatusUnprocessableEntity
	case api.CodeRateLimited:
		return http.StatusTooManyRequests
	case api.CodeInternal:
		return http.StatusInternalServerError
	case api.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return 0
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

// fieldError returns the error for a member of the body.
func fieldError(field, code, detail string) api.FieldError {
	return api.FieldError{Pointer: "/" + field, Field: field, Code: code, Detail: detail}
}

// invalidField returns the error for a request with one member of the body that is invalid.
func invalidField(field, detail string) *httpError {
	return invalidFields(fieldError(field, "invalid", detail))
}

func requiredField(field string) api.FieldError {
	return fieldError(field, api.CodeRequired, "required")
}

// httpErrorOf turns an error of a handler into the one to send. For an unknown error, which is a
// bug, the client learns only that it is in the log.
func (s *Server) httpErrorOf(err error) *httpError {
	if e, ok := errors.AsType[*httpError](err); ok {
		return e
	}
	cause, ok := errors.AsType[*domain.Error](err)
	if !ok {
		cause = s.o.DatabaseFault(err)
	}
	switch {
	case cause != nil && statusOf(string(cause.Code)) != 0:
		return fromDomainError(cause)
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable("it took too long; try again", err)
	}
	return &httpError{code: api.CodeInternal, detail: "an error of the server; it is in its log under the request id", err: err}
}

// unavailable returns the error for a request that may succeed if it is repeated a second later.
func unavailable(detail string, cause error) *httpError {
	return &httpError{code: api.CodeUnavailable, detail: detail, retryAfter: time.Second, err: cause}
}

func fromDomainError(cause *domain.Error) *httpError {
	switch {
	case cause.Scope != 0:
		return scopeError(cause.Scope)
	case cause.Code == domain.Unavailable:
		return unavailable(cause.Error(), cause.Err)
	}
	e := &httpError{code: string(cause.Code), detail: cause.Error(), err: cause.Err}
	for _, f := range cause.Fields {
		e.errors = append(e.errors, api.FieldError{
			Pointer: pointerTo(f.Field), Field: f.Field, Code: string(f.Code), Detail: f.Message,
		})
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

func (e *httpError) status() int { return statusOf(e.code) }

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
