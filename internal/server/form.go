package server

import (
	"math"
	"slices"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// form reads the members of one object. A known member of the wrong JSON type
// is noted with its pointer and passed over (decisions.md 2); only a body that
// is no JSON at all ends the reading.
type form struct {
	c       *cursor
	pointer string // of the object
	wrong   []api.FieldError
}

// readForm reads the whole body as one object, and refuses it when a known
// member had the wrong type.
func readForm(body string, member func(f *form, key string) error) error {
	c, err := newCursor(body)
	if err != nil {
		return err
	}
	f := &form{c: c}
	if err := f.object("", func(key string) error { return member(f, key) }); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	return f.refusal()
}

func (f *form) refusal() error {
	if len(f.wrong) == 0 {
		return nil
	}
	return invalid(f.wrong...)
}

// object reads an object; field names it in a complaint when it is none.
func (f *form) object(field string, member func(key string) error) error {
	if f.c.kind() != '{' {
		return f.mistyped(field, f.pointer, "must be an object")
	}
	return f.c.object(member)
}

// mistyped notes a value of the wrong type and passes over it.
func (f *form) mistyped(field, pointer, detail string) error {
	f.complain(field, pointer, detail)
	return f.c.skip()
}

// text reads a string or null.
func (f *form) text(field string, into *provision.OptionalText) (err error) {
	into.Set = true
	switch f.c.kind() {
	case '"':
		into.Value, err = f.c.text()
		return err
	case 'n':
		into.Null = true
		return f.c.word("null")
	}
	return f.mistyped(field, f.pointer+"/"+field, "must be a string")
}

// number reads an integer, a string that holds one, or null.
func (f *form) number(field string, into *provision.OptionalNumber) error {
	into.Set = true
	if f.c.kind() == 'n' {
		into.Null = true
		return f.c.word("null")
	}
	n, ok, err := f.integer()
	if err != nil {
		return err
	}
	if into.Value = n; !ok {
		f.complain(field, f.pointer+"/"+field, "must be an integer")
	}
	return nil
}

// complain notes a value of the wrong type that has been read: the first of each
// field, so that the answer is bounded by the number of fields, of which no form
// has ten, and not by what is sent.
func (f *form) complain(field, pointer, detail string) {
	if slices.ContainsFunc(f.wrong, func(e api.FieldError) bool { return e.Field == field }) {
		return
	}
	f.wrong = append(f.wrong, api.FieldError{Pointer: pointer, Field: field, Code: api.CodeWrongType, Detail: detail})
}

// integer reads any value and reports whether it is an integer: as a number,
// also as 20.0, which is how some programs write the integers of a table, or as
// a string of digits.
func (f *form) integer() (n int, ok bool, err error) {
	var s string
	bare := f.c.kind() != '"'
	switch k := f.c.kind(); {
	case k == '"':
		s, err = f.c.text()
	case k == '-' || '0' <= k && k <= '9':
		s, err = f.c.number()
	default:
		return 0, false, f.c.skip()
	}
	if err != nil {
		return 0, false, err
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n, true, nil
	}
	const exact = 1 << 53
	number, err := strconv.ParseFloat(s, 64)
	whole := bare && err == nil && number == math.Trunc(number) && math.Abs(number) < exact
	if !whole {
		return 0, false, nil
	}
	return int(number), true, nil
}

// elements reads an array; null is an empty one.
func (f *form) elements(field string, element func(n int) error) error {
	switch f.c.kind() {
	case '[':
		return f.c.array(element)
	case 'n':
		return f.c.word("null")
	}
	return f.mistyped(field, f.pointer+"/"+field, "must be an array")
}

// subscriber reads a member of a subscriber, and passes over any other.
func (f *form) subscriber(key string, into *provision.Fields) error {
	switch key {
	case api.FieldName:
		return f.text(key, &into.Name)
	case api.FieldEmail:
		return f.text(key, &into.Email)
	case api.FieldDocument:
		return f.text(key, &into.Document)
	case api.FieldPhone:
		return f.text(key, &into.Phone)
	case api.FieldInternetSpeedID:
		return f.number(key, &into.SpeedID)
	case api.FieldCustomerPlan:
		return f.text(key, &into.Plan)
	}
	return f.c.skip()
}
