package provision

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invalid returns the refusal of one field.
func invalid(field, message string) *Error {
	return &Error{Code: ValidationFailed, Message: field + ": " + message,
		Fields: []FieldError{{Field: field, Code: "invalid", Message: message}}}
}

// firstInvalid returns the first of the errors, or nil.
func firstInvalid(errs ...*Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// invalidName checks the name of a provider, product, partner or internet speed.
func invalidName(s string) *Error {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 255 {
		return invalid("name", "1 to 255 characters")
	}
	return invalidText("name", s)
}

// invalidText refuses characters that would break a line, control a terminal or
// change the order of reading: subscribers see names in e-mails, operators in
// tables.
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

// invalidURL checks an absolute URL. plain says whether http is allowed too.
func invalidURL(s string, plain bool) *Error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(plain && u.Scheme == "http") {
		return invalid("url", "an absolute https address")
	}
	return nil
}

// invalidCallbackURL checks the URL of a callback. With allowPrivate, plain http
// and private addresses are allowed; without, an address that is private is
// refused here already, and a name that leads to one when it is called.
func invalidCallbackURL(s string, allowPrivate bool) *Error {
	if err := invalidURL(s, true); err != nil || allowPrivate {
		return err
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || isPrivateHost(u.Hostname()) {
		return invalid("url", "an absolute https address that is public, or --allow-private")
	}
	return nil
}

// isPrivateHost reports whether a host is this machine or an address of a private
// network.
func isPrivateHost(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (!ip.Unmap().IsGlobalUnicast() || ip.Unmap().IsPrivate())
}
