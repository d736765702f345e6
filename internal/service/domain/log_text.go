package domain

import (
	"errors"
	"log/slog"
	"strings"
)

// LogText returns the text of err followed by the causes that the text leaves out,
// with personal data and secrets masked.
func LogText(err error) string {
	text := err.Error()
	for under := errors.Unwrap(err); under != nil; under = errors.Unwrap(under) {
		if cause := under.Error(); !strings.Contains(text, cause) {
			text += ": " + cause
		}
	}
	return MaskPersonal(text)
}

// LogValue returns the error as it is logged: with its cause.
func (e *Error) LogValue() slog.Value { return slog.StringValue(LogText(e)) }
