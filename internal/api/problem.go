package api

// Problem is the body of every error: application/problem+json (RFC 9457) with
// additional fields (decisions.md 2).
type Problem struct {
	Response  string `json:"response"` // ResponseError
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"` // the HTTP status
	Code      string `json:"code"`   // one of the Code constants, on which clients depend
	Detail    string `json:"detail"` // explains the error without any CPF, e-mail or token
	RequestID string `json:"request_id"`
	// Limit and Actual are numbers of elements for too_many_items, and of bytes for
	// payload_too_large.
	Limit         int64        `json:"limit,omitzero"`
	Actual        int64        `json:"actual,omitzero"`
	RequiredScope Scope        `json:"required_scope,omitzero"` // with insufficient_scope: the scope that the token lacks
	Errors        []FieldError `json:"errors,omitempty"`
}

// FieldError is an error of one field.
type FieldError struct {
	// Pointer is the JSON pointer (RFC 6901) of the field in the body. It is
	// absent in the results of a batch, which have an index.
	Pointer string `json:"pointer,omitzero"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}

// Codes of an error (decisions.md 2). They never change: clients depend on them.
const (
	CodeMalformedJSON       = "malformed_json"
	CodeUnsupportedEncoding = "unsupported_encoding"

	CodeTokenMissing       = "token_missing"
	CodeTokenInvalid       = "token_invalid"
	CodeTokenExpired       = "token_expired"
	CodeInvalidAccessToken = "invalid_access_token"
	CodeInvalidSignature   = "invalid_signature"
	CodeInsufficientScope  = "insufficient_scope"

	CodeNotFound           = "not_found"
	CodeSubscriberNotFound = "subscriber_not_found"
	CodeServiceNotFound    = "service_not_found"
	CodeScheduleNotFound   = "schedule_not_found"

	CodeMethodNotAllowed     = "method_not_allowed"
	CodeUnsupportedMediaType = "unsupported_media_type"

	CodeSubscriberExists       = "subscriber_exists"
	CodeSubscriberHasServices  = "subscriber_has_services"
	CodeOperationInProgress    = "operation_in_progress"
	CodeServiceNotActive       = "service_not_active"
	CodeServiceSuspended       = "service_suspended"
	CodeServiceOverdue         = "service_overdue"
	CodeServiceCanceled        = "service_canceled"
	CodeServiceInError         = "service_in_error"
	CodeCancellationUnresolved = "cancellation_unresolved"
	CodeNotReplaceable         = "not_replaceable"
	CodeFamilyConflict         = "family_conflict"
	CodeNothingToResend        = "nothing_to_resend"
	CodeRequestInProgress      = "request_in_progress"
	CodeScheduleEnded          = "schedule_ended"
	CodeNameTaken              = "name_taken"
	CodeTokenLimit             = "token_limit"
	CodeLastAdminToken         = "last_admin_token"
	CodeAccessTokenEnded       = "access_token_ended"
	CodeLinkInvalid            = "link_invalid"

	CodePayloadTooLarge = "payload_too_large"
	CodeTooManyItems    = "too_many_items"

	CodeValidationFailed     = "validation_failed"
	CodeInvalidCursor        = "invalid_cursor"
	CodeUnknownProduct       = "unknown_product"
	CodeProductInactive      = "product_inactive"
	CodeActionNotAllowed     = "action_not_allowed"
	CodeSameProduct          = "same_product"
	CodeUnknownInternetSpeed = "unknown_internet_speed"
	CodeBatchFailed          = "batch_failed"
	CodeIdempotencyKeyReused = "idempotency_key_reused"

	CodeRateLimited = "rate_limited"
	CodeUnavailable = "unavailable"
	CodeInternal    = "internal"
)

// Codes used only for a field or an element (decisions.md 3, 7).
const (
	CodeRequired  = "required"
	CodeWrongType = "wrong_type"
)
