package api

// Problem is the body of every error, application/problem+json as in RFC 9457
// with our fields beside the standard ones (decisions.md 2).
type Problem struct {
	// Response is ResponseError.
	Response string `json:"response"`
	Type     string `json:"type"`
	Title    string `json:"title"`
	// Status is the HTTP status.
	Status int `json:"status"`
	// Code is one of the Code words and what clients branch on.
	Code string `json:"code"`
	// Detail explains it without any CPF, e-mail or token.
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	// Limit and Actual give the numbers of too_many_items and
	// payload_too_large, in elements or bytes.
	Limit  int64        `json:"limit,omitempty"`
	Actual int64        `json:"actual,omitempty"`
	Errors []FieldError `json:"errors,omitempty"`
}

// FieldError says what is wrong with one field.
type FieldError struct {
	// Pointer is the place in the body as a JSON pointer (RFC 6901). It is
	// absent in the results of a batch, which name their element already.
	Pointer string `json:"pointer,omitempty"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}
