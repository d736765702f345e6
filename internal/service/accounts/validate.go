package accounts

import (
	"math"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// firstInvalid returns the first of the errors, or nil.
func firstInvalid(errs ...*domain.Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// invalidID validates an id chosen by the operator. The database and reports keep it in 32 bits.
func invalidID(id int) *domain.Error {
	if id < 1 || id > math.MaxInt32 {
		return domain.Invalid("id", "a number from 1 to 2147483647")
	}
	return nil
}

// invalidName trims and validates the name of a provider, product, partner or internet speed.
func invalidName(s *string) *domain.Error {
	if *s = strings.TrimSpace(*s); cpf.IsBlank(*s) || utf8.RuneCountInString(*s) > 255 {
		return domain.Invalid("name", "1 to 255 characters")
	}
	return invalidText("name", *s)
}

// invalidText refuses characters that could break a line, control a terminal or change the text
// direction: subscribers see names in e-mails, operators in tables.
func invalidText(field, s string) *domain.Error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
		return domain.Invalid(field, "must be valid UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return domain.Invalid(field, "must not contain control or text direction characters")
		}
	}
	return nil
}

// invalidURL validates an absolute URL. plain allows http too.
func invalidURL(s string, plain bool) *domain.Error {
	u, err := url.Parse(s)
	if err == nil && u.User != nil {
		return domain.Invalid("url", "must not contain a user or password")
	}
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && !(plain && u.Scheme == "http") {
		return domain.Invalid("url", "an absolute https address")
	}
	return nil
}

// invalidCallbackURL validates the URL of a callback. With allowPrivate, plain http and private
// addresses are allowed. Without it, a private IP address is refused here, and a name that
// resolves to one when it is called.
func invalidCallbackURL(s string, allowPrivate bool) *domain.Error {
	if err := invalidURL(s, true); err != nil || allowPrivate {
		return err
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || isPrivateHost(u.Hostname()) {
		return domain.Invalid("url", "an absolute https address that is public, or --allow-private")
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
