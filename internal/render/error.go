package render

import (
	"bytes"
	"encoding/json"
	"io"
)

// ErrorInfo is an error for the user. Its texts are sanitised when written.
type ErrorInfo struct {
	// Code is the API's code, or one of the command line's own.
	Code string
	// Message says what happened and why, such as "import people.csv: line 3:
	// check digits wrong".
	Message string
	// HTTPStatus is 0 if there was no response.
	HTTPStatus int
	// RequestID identifies the request in the server's log, or is empty.
	RequestID string
	// Retryable reports whether the same command may succeed later.
	Retryable bool
	// Hint says what to do next, or is empty.
	Hint string
}

// WriteError writes an error: a line `ativa: MESSAGE` and a line with the hint,
// or one JSON object on a line if the format is json or jsonl. It accepts an
// unknown format.
func WriteError(w io.Writer, format string, e ErrorInfo) error {
	if format == FormatJSON || format == FormatJSONL {
		return jsonError(w, e)
	}
	text := "ativa: " + Sanitise(e.Message) + "\n"
	if e.Hint != "" {
		text += Sanitise(e.Hint) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// jsonError always writes all six fields; empty ones are null.
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
	_, err = w.Write(sanitiseJSON(b.Bytes()))
	return err
}

func nilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
