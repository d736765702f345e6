package api

// Problem is the body of every error: application/problem+json (RFC 9457) with
// additional fields (decisions.md 2).
type Problem struct {
	// Response is ResponseError.
	Response string `json:"response"`
	Type     string `json:"type"`
	Title    string `json:"title"`
	// Status is the HTTP status.
	Status int `json:"status"`
	// Code is one of the Code constants. Clients depend on it.
	Code string `json:"code"`
	// Detail explains the error without any CPF, e-mail or token.
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	// Limit and Actual are the numbers of elements of too_many_items and of
	// bytes of payload_too_large.
	Limit  int64        `json:"limit,omitempty"`
	Actual int64        `json:"actual,omitempty"`
	Errors []FieldError `json:"errors,omitempty"`
}

// FieldError is an error of one field.
type FieldError struct {
	// Pointer is the JSON pointer (RFC 6901) of the field in the body. It is
	// absent in the results of a batch, which have an index.
	Pointer string `json:"pointer,omitempty"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}
