package api

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal returns v as the API writes it. The types of this package can be written by
// encoding/json too, to the same values; Marshal is several times faster.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, wireOptions()...) }

// MarshalWrite writes v to w as Marshal returns it.
func MarshalWrite(w io.Writer, v any) error { return json.MarshalWrite(w, v, wireOptions()...) }

// wireOptions let text pass that is not UTF-8, with replacement characters. Names of
// members are not compared: structs have no two that are equal.
func wireOptions() []json.Options {
	return []json.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
}
