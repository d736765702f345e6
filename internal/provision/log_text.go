package provision

import (
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
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

// MaskPersonal replaces personal data and secrets in a text.
func MaskPersonal(text string) string {
	compilePersonal.Do(func() {
		personal = regexp.MustCompile(`[^\s<>"'(),:;/@]+@[^\s<>"'(),:;/@]+|\b(ativa_|atb_|whsec_)[\w+/=-]+|\d[\d. ()/-]{8,}\d`)
	})
	return personal.ReplaceAllString(text, "***")
}

// personal matches documents, phones, e-mail addresses and tokens. It is compiled when
// it is needed: a command that asks a server does not.
var (
	compilePersonal sync.Once
	personal        *regexp.Regexp
)
