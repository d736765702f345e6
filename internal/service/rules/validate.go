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
type checker struct {
	domain.FieldErrors
	partial bool // required fields may be absent
}

// check applies the fields to s and returns it with the errors it found (decisions.md 7). An existing
// subscriber, which has an id, keeps the fields that are absent. speeds holds the known ids of
// internet speeds.
func (f Fields) check(s domain.Subscriber, speeds map[int]bool) (domain.Subscriber, []domain.FieldError) {
	c := checker{partial: s.ID != 0}
	if c.hasValue("name", f.Name) {
		s.Name = c.name(f.Name.Value)
	}
	if c.hasValue("email", f.Email) {
		s.Email = c.email(f.Email.Value)
	}
	if c.hasValue("document", f.Document) {
		s.Document = parse(&c, "document", f.Document.Value, cpf.Parse)
	}
	if c.hasValue("phone", f.Phone) {
		s.Phone = parse(&c, "phone", f.Phone.Value, cpf.ParsePhone)
	}
	if f.Plan.Set {
		s.Plan = c.text("customer_plan", f.Plan.Value) // "" if null
	}
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

// hasValue reports whether a required field has a value. It adds an error if the field lacks one.
func (c *checker) hasValue(field string, t domain.Optional[string]) bool {
	if t.Set && !t.Null {
		return true
	}
	if t.Null || !c.partial {
		c.Add(field, "required", "required")
	}
	return false
}

func (c *checker) name(s string) string {
	v := c.text("name", s)
	if cpf.IsBlank(v) {
		c.Add("name", "required", "must not be empty")
	}
	return v
}

// text checks a text of any field and returns it without the spaces around it.
func (c *checker) text(field, s string) string {
	v := strings.TrimSpace(s)
	switch {
	case utf8.RuneCountInString(v) > 255:
		c.Add(field, "too_long", "at most 255 characters")
	case strings.ContainsFunc(v, unicode.IsControl):
		c.Add(field, "control_character", "must not contain control characters")
	case strings.ContainsRune(v, utf8.RuneError):
		c.Add(field, "unreadable_text", "holds U+FFFD, which stands for a character that was lost on the way")
	}
	return v
}

func (c *checker) email(s string) string {
	v := strings.TrimSpace(s)
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

// parse returns the parsed value of a field. Errors of read are *cpf.Error.
func parse[T any](c *checker, field, value string, read func(string) (T, error)) T {
	v, err := read(value)
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		c.Add(field, domain.Code(bad.Code), bad.Message)
	}
	return v
}
