package provision

import (
	"net/url"
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

func invalidName(s string) *Error {
	if s == "" || utf8.RuneCountInString(s) > 255 {
		return invalid("name", "1 to 255 characters")
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
