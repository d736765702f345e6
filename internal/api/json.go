package api

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal returns v as the API writes it. encoding/json encodes the types of this package to the
// same values, but several times slower.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, wireOptions()...) }

// MarshalWrite writes v to w in the encoding of Marshal.
func MarshalWrite(w io.Writer, v any) error { return json.MarshalWrite(w, v, wireOptions()...) }

// wireOptions replace invalid UTF-8 instead of returning an error. Member names are not compared,
// because no struct has two equal ones.
func wireOptions() []json.Options {
	return []json.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
}
