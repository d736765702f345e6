package render

import (
	"bytes"
	"encoding/json"
	"io"
)

// ErrorInfo is an error as the user is told of it. Nothing in it is trusted.
type ErrorInfo struct {
	// Code is the API's code, or one of the command line's own.
	Code string
	// Message is what happened and why, such as "import people.csv: line 3:
	// check digits wrong".
	Message string
	// HTTPStatus is 0 where no answer came.
	HTTPStatus int
	// RequestID is what the server's log knows the request by, or empty.
	RequestID string
	// Retryable tells that the same command may succeed later.
	Retryable bool
	// Hint says what to do next, or is empty.
	Hint string
}

// WriteError tells of an error: in one line `ativa: MESSAGE` and the hint in
// another, or as one JSON object on one line where the format is json or
// jsonl. The format may be one that does not exist.
func WriteError(w io.Writer, format string, e ErrorInfo) error {
	if format == FormatJSON || format == FormatJSONL {
		return jsonError(w, e)
	}
	text := "ativa: " + Sanitize(e.Message) + "\n"
	if e.Hint != "" {
		text += Sanitize(e.Hint) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// jsonError always writes all six fields, null where there is nothing.
func jsonError(w io.Writer, e ErrorInfo) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Code       string  `json:"code"`
		Message    string  `json:"message"`
		HTTPStatus *int    `json:"http_status"`
		RequestID  *string `json:"request_id"`
		Retryable  bool    `json:"retryable"`
		Hint       *string `json:"hint"`
	}{e.Code, e.Message, nilIfZero(e.HTTPStatus), nilIfZero(e.RequestID), e.Retryable, nilIfZero(e.Hint)})
	if err != nil {
		return err
	}
	_, err = w.Write(sanitizeJSON(b.Bytes()))
	return err
}

func nilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
