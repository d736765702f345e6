package rules

import (
	"errors"
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
type checker struct{ domain.FieldErrors }

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
			c.Add("internet_speed_id", domain.UnknownInternetSpeed, "not in the list of internet speeds")
		}
	case s.SpeedID == 0 || f.SpeedID.Null:
		s.SpeedID = domain.SpeedNotInformed
	}
	return s, c.FieldErrors
}

// hasValue reports whether the field has a value. It adds an error when a required
// field has none.
func (c *checker) hasValue(field string, t domain.Optional[string], partial bool) bool {
	if t.Set && !t.Null {
		return true
	}
	if t.Null || !partial {
		c.Add(field, "required", "required")
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
		c.Add(field, "required", "must not be empty")
	case utf8.RuneCountInString(v) > 255:
		c.Add(field, "too_long", "at most 255 characters")
	case strings.ContainsFunc(v, unicode.IsControl):
		c.Add(field, "control_character", "must not contain control characters")
	case strings.ContainsRune(v, utf8.RuneError):
		c.Add(field, "unreadable_text", "holds U+FFFD, which stands for a character that was lost on the way")
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
		c.Add("email", "required", "must not be empty")
	case len(v) > cpf.MaxEmail:
		c.Add("email", "too_long", "at most 254 characters")
	case !cpf.IsPlainEmail(v):
		c.Add("email", "invalid_email", "must be one plain e-mail address")
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
		c.Add(field, domain.Code(bad.Code), bad.Message)
	}
}
