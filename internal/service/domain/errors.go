package domain

import (
	"errors"
	"fmt"
)

// Code names an outcome that a caller can act on; it travels unchanged from
// here through HTTP to the exit code of the command line (decisions.md 2).
type Code string

// Codes of the refusals that the rules decide (decisions.md 2). The HTTP layer has its own for
// malformed JSON, unknown routes and so on.
const (
	TokenMissing           Code = "token_missing"
	TokenInvalid           Code = "token_invalid"
	TokenExpired           Code = "token_expired"
	InvalidAccessToken     Code = "invalid_access_token"
	NotFound               Code = "not_found"
	SubscriberNotFound     Code = "subscriber_not_found"
	ServiceNotFound        Code = "service_not_found"
	SubscriberExists       Code = "subscriber_exists"
	SubscriberHasServices  Code = "subscriber_has_services"
	ScheduleNotFound       Code = "schedule_not_found"
	ScheduleEnded          Code = "schedule_ended"
	OperationInProgress    Code = "operation_in_progress"
	ServiceNotActive       Code = "service_not_active"
	ServiceSuspended       Code = "service_suspended"
	ServiceOverdue         Code = "service_overdue"
	ServiceCanceled        Code = "service_canceled"
	ServiceInError         Code = "service_in_error"
	CancellationUnresolved Code = "cancellation_unresolved"
	NotReplaceable         Code = "not_replaceable"
	FamilyConflict         Code = "family_conflict"
	NothingToResend        Code = "nothing_to_resend"
	LinkInvalid            Code = "link_invalid"
	ValidationFailed       Code = "validation_failed"
	InvalidCursor          Code = "invalid_cursor"
	UnknownProduct         Code = "unknown_product"
	ProductInactive        Code = "product_inactive"
	ActionNotAllowed       Code = "action_not_allowed"
	SameProduct            Code = "same_product"
	UnknownInternetSpeed   Code = "unknown_internet_speed"
	IdempotencyKeyReused   Code = "idempotency_key_reused"
	DuplicateInRequest     Code = "duplicate_in_request"
	NameTaken              Code = "name_taken" // a provider, token, partner or product with the name or id exists
	InsufficientScope      Code = "insufficient_scope"
	LastAdminToken         Code = "last_admin_token"   // the last live token that may make others
	AccessTokenLimit       Code = "token_limit"        // the provider has as many live access tokens as it may
	AccessTokenEnded       Code = "access_token_ended" // the access token is revoked or has expired
	NotWaiting             Code = "not_waiting"        // operator only: the operation or delivery is not waiting
	Unavailable            Code = "unavailable"        // the database cannot take the request now; the caller may try again
	TokenLimit             Code = "too_many_tokens"    // the subscriber has used all 4,095 token numbers
)

// Subject is the kind of thing that a refusal is about: the name of the command group of
// `ativa admin` that lists them.
type Subject string

// The subjects of refusals.
const (
	SubjectProvider  Subject = "providers"
	SubjectPartner   Subject = "partners"
	SubjectToken     Subject = "tokens"
	SubjectProduct   Subject = "products"
	SubjectSpeed     Subject = "speeds"
	SubjectOperation Subject = "operations"
	SubjectDelivery  Subject = "deliveries"
	SubjectCallback  Subject = "callbacks"
)

// Error is a refusal that the caller can act on. Message is safe to show: it
// holds no document, e-mail address or token. Err, when set, is the cause and is
// only logged.
type Error struct {
	Code    Code
	Message string
	Subject Subject      // empty if there is nothing to list
	Fields  []FieldError // for ValidationFailed and InvalidCursor: the invalid fields
	Scope   Scopes       // for InsufficientScope: one that the token lacks
	Err     error
}

// Error returns the message, which is safe to show.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// TextError is an error for the operator. Detail is a format string with the arguments Args, so
// that it can be translated.
type TextError struct {
	Detail string
	Args   []any
	Err    error // may be nil
}

// Error returns the formatted text followed by the cause.
func (e *TextError) Error() string {
	text := fmt.Sprintf(e.Detail, e.Args...)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *TextError) Unwrap() error { return e.Err }

// Template returns the format string and its arguments.
func (e *TextError) Template() (text string, args []any) { return e.Detail, e.Args }

// FieldError says what is wrong with one field of a request. Field is the API's
// name; Code is stable snake_case; Message never repeats the value.
type FieldError struct {
	Field   string
	Code    Code
	Message string
}

// FieldErrors collects what is wrong with the fields of a request.
type FieldErrors []FieldError

// Add adds an error; see [FieldError].
func (e *FieldErrors) Add(field string, code Code, message string) {
	*e = append(*e, FieldError{Field: field, Code: code, Message: message})
}

// refusals are the messages of the state table's refusals.
var refusals = [...]struct {
	code    Code
	message string
}{
	{ServiceNotFound, "the subscriber has no service of this product"},
	{SubscriberNotFound, "no subscriber has this document"},
	{ScheduleNotFound, "nothing with this id is scheduled"},
	{ScheduleEnded, "the scheduled operation was done, refused or cancelled already"},
	{OperationInProgress, "another operation on the service is still running"},
	{ServiceNotActive, "the service is not active"},
	{ServiceSuspended, "a service of the same family is suspended; reactivate or cancel it first"},
	{ServiceOverdue, "the service is suspended for lack of payment; settle it first"},
	{ServiceCanceled, "the service is cancelled"},
	{ServiceInError, "the last operation on the service failed; repeat it or cancel the service"},
	{CancellationUnresolved, "the cancellation failed at the partner; cancel the service again"},
	{NotReplaceable, "the product cannot be changed to the requested one"},
	{NothingToResend, "no service of the subscriber can be activated by e-mail"},
	{LinkInvalid, "the activation link was replaced, used or has expired"},
}

// Refuse returns the error for a refusal of the state table.
func Refuse(c Code) *Error {
	e := &Error{Code: c}
	for _, r := range refusals {
		if r.code == c {
			e.Message = r.message
		}
	}
	return e
}

// IsCode reports whether err is an *Error with the code.
func IsCode(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// RefusalOf returns the refusal of one of several things that a request names; named is its name or
// id.
func RefusalOf(subject Subject, named string, code Code, why string) *Error {
	return &Error{Code: code, Message: why, Subject: subject, Fields: []FieldError{{named, code, why}}}
}

// Invalid returns the refusal of one field.
func Invalid(field, message string) *Error {
	return &Error{Code: ValidationFailed, Message: field + ": " + message,
		Fields: []FieldError{{Field: field, Code: "invalid", Message: message}}}
}
