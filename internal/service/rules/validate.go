package rules

import (
	"errors"
	"math"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Fields are the subscriber's fields as a client sent them.
type Fields struct {
	Name     domain.Optional[string]
	Email    domain.Optional[string]
	Document domain.Optional[string]
	Phone    domain.Optional[string]
	SpeedID  domain.Optional[int] // absent: 38, "not informed"
	Plan     domain.Optional[string]
}

// checker collects the errors of fields.
type checker struct {
	errors []domain.FieldError
}

func (c *checker) fail(field string, code domain.Code, message string) {
	c.errors = append(c.errors, domain.FieldError{Field: field, Code: code, Message: message})
}

// check applies the fields to s and returns it with the errors it found (decisions.md 7). If
// partial, required fields may be absent, as for an existing subscriber. speeds holds the known
// ids of internet speeds.
func (f Fields) check(s domain.Subscriber, speeds map[int]bool, partial bool) (domain.Subscriber, []domain.FieldError) {
	var c checker
	s.Name = c.text("name", f.Name, s.Name, partial)
	s.Email = c.email(f.Email, s.Email, partial)
	s.Document = c.document(f.Document, s.Document, partial)
	s.Phone = c.phone(f.Phone, s.Phone, partial)
	s.Plan = c.text("customer_plan", f.Plan, s.Plan, true)
	switch {
	case f.SpeedID.Set && !f.SpeedID.Null:
		s.SpeedID = f.SpeedID.Value
		if !speeds[s.SpeedID] {
			c.fail("internet_speed_id", domain.UnknownInternetSpeed, "not in the list of internet speeds")
		}
	case s.SpeedID == 0 || f.SpeedID.Null:
		s.SpeedID = domain.SpeedNotInformed
	}
	return s, c.errors
}

// hasValue reports whether the field has a value. It adds an error when a required
// field has none.
func (c *checker) hasValue(field string, t domain.Optional[string], partial bool) bool {
	if t.Set && !t.Null {
		return true
	}
	if t.Null || !partial {
		c.fail(field, "required", "required")
	}
	return false
}

func (c *checker) text(field string, t domain.Optional[string], old string, partial bool) string {
	optional := field == "customer_plan"
	if optional && t.Null {
		return ""
	}
	if !c.hasValue(field, t, partial || optional) {
		return old
	}
	v := strings.TrimSpace(t.Value)
	switch {
	case v == "" && !optional:
		c.fail(field, "required", "must not be empty")
	case utf8.RuneCountInString(v) > 255:
		c.fail(field, "too_long", "at most 255 characters")
	case strings.ContainsFunc(v, unicode.IsControl):
		c.fail(field, "control_character", "must not contain control characters")
	case strings.ContainsRune(v, utf8.RuneError):
		c.fail(field, "unreadable_text", "holds U+FFFD, which stands for a character that was lost on the way")
	}
	return v
}

func (c *checker) email(t domain.Optional[string], old string, partial bool) string {
	if !c.hasValue("email", t, partial) {
		return old
	}
	v := strings.TrimSpace(t.Value)
	switch {
	case v == "":
		c.fail("email", "required", "must not be empty")
	case len(v) > cpf.MaxEmail:
		c.fail("email", "too_long", "at most 254 characters")
	case !cpf.IsPlainEmail(v):
		c.fail("email", "invalid_email", "must be one plain e-mail address")
	}
	return v
}

func (c *checker) document(t domain.Optional[string], old cpf.Document, partial bool) cpf.Document {
	if !c.hasValue("document", t, partial) {
		return old
	}
	d, err := cpf.Parse(t.Value)
	c.failCPF("document", err)
	return d
}

func (c *checker) phone(t domain.Optional[string], old string, partial bool) string {
	if !c.hasValue("phone", t, partial) {
		return old
	}
	p, err := cpf.ParsePhone(t.Value)
	c.failCPF("phone", err)
	return p
}

func (c *checker) failCPF(field string, err error) {
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		c.fail(field, domain.Code(bad.Code), bad.Message)
	}
}

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

// invalidName validates the name of a provider, product, partner or internet speed.
func invalidName(s string) *domain.Error {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 255 {
		return domain.Invalid("name", "1 to 255 characters")
	}
	return invalidText("name", s)
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
