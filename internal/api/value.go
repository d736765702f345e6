package api

import (
	"encoding/json"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Int is an integer that is written as a number and read from a number or a string: `25` and
// `"25"` are equal (decisions.md 2).
type Int int64

// UnmarshalJSON reads an integer or a string that contains one; null does not
// change the value. Anything else, including a fraction, is a
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

// Flag is a bool that is written as true or false and is also read from 1 and 0, as numbers or
// strings, because some servers write `active` as 1 (api.md, Product).
type Flag bool

// UnmarshalJSON reads true, false, 1 and 0, with or without quotes. An empty string is false, and
// null does not change the value. Anything else is a *json.UnmarshalTypeError.
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

// LenientText is a string of an extension. Any other value of another server is read as empty.
type LenientText string

// UnmarshalJSON reads a string; anything else is the empty string.
func (s *LenientText) UnmarshalJSON(b []byte) error {
	*s = ""
	_ = json.Unmarshal(b, (*string)(s)) // anything else leaves it empty
	return nil
}

// NullableString is a string that is written as null if it is empty. It reads null
// as the empty string.
type NullableString string

// MarshalJSONTo writes the string, or null when it is empty.
func (s NullableString) MarshalJSONTo(e *jsontext.Encoder) error {
	if s == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(string(s)))
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (s NullableString) MarshalJSON() ([]byte, error) { return Marshal(s) }

// NullableInt is an integer that is written as null if it is 0. It reads null as 0.
type NullableInt Int

// MarshalJSONTo writes the number, or null when it is 0.
func (i NullableInt) MarshalJSONTo(e *jsontext.Encoder) error {
	if i == 0 {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.Int(int64(i)))
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (i NullableInt) MarshalJSON() ([]byte, error) { return Marshal(i) }

// UnmarshalJSON reads what [Int] reads.
func (i *NullableInt) UnmarshalJSON(b []byte) error { return (*Int)(i).UnmarshalJSON(b) }

// List is an array that is written as [] if it is empty, never as null.
type List[T any] []T

// MarshalJSON is for encoding/json, which would write null.
func (l List[T]) MarshalJSON() ([]byte, error) { return Marshal([]T(l)) }

// MarshalJSONTo writes the elements, or [] when there are none.
func (l *List[T]) MarshalJSONTo(e *jsontext.Encoder) error { return jsonv2.MarshalEncode(e, (*[]T)(l)) }

// Optional is a field that may be absent, null or a value. With `omitzero` an
// absent field is not written.
type Optional[T any] struct {
	Set   bool // whether the field was in the body, even as null
	Null  bool // whether the field was null; Value is then zero
	Value T
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// IsZero reports whether the field is absent, for `omitzero`.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value, or null if there is none.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	return Marshal(o.Value)
}

// UnmarshalJSON reads a value or null. It is not called for an absent field.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	*o = Optional[T]{Set: true, Null: string(b) == "null"}
	return json.Unmarshal(b, &o.Value)
}

// unquote returns the text of a JSON scalar without its quotes. It does not
// decode escapes, which numbers, times and flags do not contain.
func unquote(b []byte) string {
	if len(b) >= 2 && b[0] == '"' && b[len(b)-1] == '"' {
		b = b[1 : len(b)-1]
	}
	return string(b)
}

// jsonType returns the JSON type of a value, for an error that must not contain the value, because
// it may be personal data.
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
