package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Int is an integer that is written as a number and read as a number or as a
// string of one: `25` and `"25"` are the same (decisions.md 2).
type Int int64

// UnmarshalJSON reads an integer or a string that holds one; null leaves the
// value as it was. Anything else, fractions included, is a
// *json.UnmarshalTypeError.
func (i *Int) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(unquote(b), 10, 64)
	if err != nil {
		return &json.UnmarshalTypeError{Value: jsonType(b), Type: reflect.TypeFor[Int]()}
	}
	*i = Int(n)
	return nil
}

// Flag is a truth value that is written as true or false and also read from 1
// and 0, as numbers or strings: `active` comes as the integer 1 from some
// servers (api.md, Product).
type Flag bool

// UnmarshalJSON reads true, false, 1 and 0, bare or quoted; null leaves the
// value as it was. Anything else is a *json.UnmarshalTypeError.
func (f *Flag) UnmarshalJSON(b []byte) error {
	switch unquote(b) {
	case "true", "1":
		*f = true
	case "false", "0", "":
		*f = false
	case "null":
	default:
		return &json.UnmarshalTypeError{Value: jsonType(b), Type: reflect.TypeFor[Flag]()}
	}
	return nil
}

// List is an array that is never null on the wire: without elements it is
// written as [].
type List[T any] []T

// MarshalJSON writes the elements, or [] when there are none.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return marshalUnescaped([]T(l))
}

// Optional is a field of a partial body: absent, null or a value. With
// `omitzero` an absent field is not written.
type Optional[T any] struct {
	// Set reports whether the field stood in the body, be it as null.
	Set bool
	// Null reports whether it stood there as null; Value is then zero.
	Null  bool
	Value T
}

// Some is the field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// IsZero reports whether the field is absent, for `omitzero`.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value, or null when there is none.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	return marshalUnescaped(o.Value)
}

// UnmarshalJSON reads a value or null. It is not called for an absent field.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	*o = Optional[T]{Set: true, Null: string(b) == "null"}
	return json.Unmarshal(b, &o.Value)
}

// marshalUnescaped is v as JSON without HTML escaping: whether that is wanted is for the
// encoder around to say.
func marshalUnescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unquote is the text of a JSON scalar without its quotes. Numbers and words
// hold nothing that would be escaped, so escapes are not undone.
func unquote(b []byte) string {
	if len(b) >= 2 && b[0] == '"' && b[len(b)-1] == '"' {
		b = b[1 : len(b)-1]
	}
	return string(b)
}

// jsonType names the JSON type of a value for an error, without its content: it
// may be personal data.
func jsonType(b []byte) string {
	if len(b) == 0 {
		return "nothing"
	}
	switch b[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	default:
		return "number"
	}
}
