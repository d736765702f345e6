package render

import (
	"bytes"
	"encoding/json"
	"io"

	"ativa/internal/api"
)

// ErrorInfo is an error for the user. Its texts are sanitised when written.
type ErrorInfo struct {
	// Code is the API's code, or one of the command line's own.
	Code string `json:"code"`
	// Message says what happened and why, such as "import people.csv: line 3:
	// check digits wrong".
	Message string `json:"message"`
	// HTTPStatus is 0 if there was no response.
	HTTPStatus api.NullableInt `json:"http_status"`
	// RequestID identifies the request in the server's log, or is empty.
	RequestID api.NullableString `json:"request_id"`
	// Retryable reports whether the same command may succeed later.
	Retryable bool `json:"retryable"`
	// Hint says what to do next, or is empty.
	Hint api.NullableString `json:"hint"`
}

// WriteError writes an error: a line `ativa: MESSAGE` and a line with the hint,
// or one JSON object on a line if the format is json or jsonl. It accepts an
// unknown format.
func WriteError(w io.Writer, format string, e ErrorInfo) error {
	if format == FormatJSON || format == FormatJSONL {
		return jsonError(w, e)
	}
	text := FitMessage(w, "ativa: "+e.Message) + "\n"
	if e.Hint != "" {
		text += FitMessage(w, string(e.Hint)) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// jsonError always writes all six fields; empty ones are null.
func jsonError(w io.Writer, e ErrorInfo) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return err
	}
	_, err := w.Write(sanitiseJSON(b.Bytes()))
	return err
}
