package provision

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

func invalid(field, message string) *Error {
	return &Error{Code: ValidationFailed, Message: field + ": " + message,
		Fields: []FieldError{{Field: field, Code: "invalid", Message: message}}}
}

func firstInvalid(errs ...*Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// invalidName checks the name of what an operator sets up.
func invalidName(s string) *Error {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 255 {
		return invalid("name", "1 to 255 characters")
	}
	return invalidText("name", s)
}

// invalidText refuses a text that would break a line, command a terminal or be
// read in another order than it is written: subscribers see names in their
// e-mail, operators in tables.
func invalidText(field, s string) *Error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
		return invalid(field, "must be valid UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return invalid(field, "must not contain control or text direction characters")
		}
	}
	return nil
}

func invalidURL(s string, plain bool) *Error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(plain && u.Scheme == "http") {
		return invalid("url", "an absolute https address")
	}
	return nil
}
