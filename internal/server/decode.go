package server

import (
	"math"
	"slices"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// bodyDecoder decodes one object. A known member of the wrong JSON type is skipped
// and its error is collected with its pointer (decisions.md 2); only malformed
// JSON ends decoding.
type bodyDecoder struct {
	json *api.JSONReader
	errs []api.FieldError
}

// decodeBody decodes the whole body as one object. It fails if a known member has
// the wrong type.
func decodeBody(body string, member func(d *bodyDecoder, key string) error) error {
	r, err := api.NewJSONReader(body)
	if err != nil {
		return err
	}
	d := &bodyDecoder{json: r}
	if err := d.object("", func(key string) error { return member(d, key) }); err != nil {
		return err
	}
	if err := r.End(); err != nil {
		return err
	}
	return d.err()
}

// decodeFields decodes the members of the body that are named, each into the
// *provision.Optional[string] or *provision.Optional[int] beside its name.
func decodeFields(body string, fields map[string]any) error {
	return decodeBody(body, func(d *bodyDecoder, key string) error {
		switch into := fields[key].(type) {
		case *provision.Optional[string]:
			return d.text(key, into)
		case *provision.Optional[int]:
			return d.number(key, into)
		}
		return d.json.Skip()
	})
}

func (d *bodyDecoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	return invalidFields(d.errs...)
}

func (d *bodyDecoder) object(field string, member func(key string) error) error {
	if d.json.Peek() != '{' {
		return d.mistyped(field, "", "must be an object")
	}
	return d.json.Object(member)
}

// mistyped adds an error for a value of the wrong type and skips the value.
func (d *bodyDecoder) mistyped(field, pointer, detail string) error {
	d.addError(field, pointer, detail)
	return d.json.Skip()
}

// text decodes a string or null.
func (d *bodyDecoder) text(field string, into *provision.Optional[string]) (err error) {
	into.Set = true
	switch d.json.Peek() {
	case '"':
		into.Value, err = d.json.Text()
		return err
	case 'n':
		into.Null = true
		return d.json.Literal("null")
	}
	return d.mistyped(field, "/"+field, "must be a string")
}

// number decodes an integer, a string that holds one, or null.
func (d *bodyDecoder) number(field string, into *provision.Optional[int]) error {
	into.Set = true
	if d.json.Peek() == 'n' {
		into.Null = true
		return d.json.Literal("null")
	}
	n, ok, err := d.integer()
	if err != nil {
		return err
	}
	if into.Value = n; !ok {
		d.addError(field, "/"+field, "must be an integer")
	}
	return nil
}

// addError adds an error for a value of the wrong type, the first of each field:
// the size of the response is bounded by the number of fields, which is below
// ten, and not by the size of the body.
func (d *bodyDecoder) addError(field, pointer, detail string) {
	if slices.ContainsFunc(d.errs, func(e api.FieldError) bool { return e.Field == field }) {
		return
	}
	d.errs = append(d.errs, api.FieldError{Pointer: pointer, Field: field, Code: api.CodeWrongType, Detail: detail})
}

// integer reads any value and reports whether it is an integer: a number, also one
// like 20.0, as some programs write the integers of a table, or a string of digits.
func (d *bodyDecoder) integer() (n int, ok bool, err error) {
	var s string
	k := d.json.Peek()
	switch {
	case k == '"':
		s, err = d.json.Text()
	case k == '-' || '0' <= k && k <= '9':
		s, err = d.json.Number()
	default:
		return 0, false, d.json.Skip()
	}
	if err != nil {
		return 0, false, err
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n, true, nil
	}
	const exact = 1 << 53
	number, err := strconv.ParseFloat(s, 64)
	whole := k != '"' && err == nil && number == math.Trunc(number) && math.Abs(number) < exact
	if !whole {
		return 0, false, nil
	}
	return int(number), true, nil
}

// array decodes an array; null is an empty one.
func (d *bodyDecoder) array(field string, element func(n int) error) error {
	switch d.json.Peek() {
	case '[':
		return d.json.Array(element)
	case 'n':
		return d.json.Literal("null")
	}
	return d.mistyped(field, "/"+field, "must be an array")
}

// subscriber decodes a member of a subscriber, and skips any other.
func (d *bodyDecoder) subscriber(key string, into *provision.Fields) error {
	switch key {
	case api.FieldName:
		return d.text(key, &into.Name)
	case api.FieldEmail:
		return d.text(key, &into.Email)
	case api.FieldDocument:
		return d.text(key, &into.Document)
	case api.FieldPhone:
		return d.text(key, &into.Phone)
	case api.FieldInternetSpeedID:
		return d.number(key, &into.SpeedID)
	case api.FieldCustomerPlan:
		return d.text(key, &into.Plan)
	}
	return d.json.Skip()
}
