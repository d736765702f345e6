package server

import (
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// decodeBody decodes the body, one object, into a struct. It returns an error if the body is not
// JSON (RFC 8259) or has an object with a duplicate key: programs differ in which of the two values
// counts (decisions.md 2). It returns the errors of all values of a wrong type, or else of all
// fields with the tag required that are absent or null.
func decodeBody(body string, into any) error {
	if !utf8.ValidString(body) {
		return malformed("the body is not UTF-8")
	}
	body = strings.TrimPrefix(body, "\ufeff") // PowerShell and .NET write a byte order mark
	// The body is valid UTF-8; this allows half of a surrogate pair, such as \ud800.
	in := jsontext.NewDecoder(strings.NewReader(body), jsontext.AllowInvalidUTF8(true))
	d := newBodyDecoder()
	err := d.object(in, into)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return malformed("an object holds the same key twice")
	}
	if _, end := in.ReadToken(); err != nil || !errors.Is(end, io.EOF) {
		return malformed("the body is not one valid JSON document")
	}
	if len(d.errs) > 0 {
		return invalidFields(d.errs...)
	}
	return missingFields(into)
}

// withBody returns a handler that decodes the body of the request and passes it to handle.
func withBody[T any](handle func(*requestContext, T) error) func(*requestContext) error {
	return func(c *requestContext) error {
		var body T
		if err := decodeBody(c.body, &body); err != nil {
			return err
		}
		return handle(c, body)
	}
}

// malformed returns the error for a body that is not JSON. The text never contains part of the
// body.
func malformed(detail string) *httpError {
	return &httpError{code: api.CodeMalformedJSON, detail: detail}
}

// missingFields returns the error for the fields of a decoded body that have the tag required and
// are absent or null, or nil.
func missingFields(body any) error {
	v := reflect.ValueOf(body).Elem()
	var missing []api.FieldError
	for _, f := range reflect.VisibleFields(v.Type()) {
		if _, required := f.Tag.Lookup("required"); required && v.FieldByIndex(f.Index).IsNil() {
			missing = append(missing, requiredField(f.Tag.Get("json")))
		}
	}
	if missing == nil {
		return nil
	}
	return invalidFields(missing...)
}

// bodyDecoder decodes a body. A value of the wrong type is skipped, and its error is collected with
// its pointer (decisions.md 2). Only malformed JSON ends decoding.
type bodyDecoder struct {
	unmarshalers *json.Unmarshalers
	row          string // pointer to the row that is being decoded, "" outside of rows
	errs         []api.FieldError
}

func newBodyDecoder() *bodyDecoder {
	d := &bodyDecoder{}
	d.unmarshalers = json.JoinUnmarshalers(
		json.UnmarshalFromFunc(d.text), optional(d.text), list[string](d),
		json.UnmarshalFromFunc(d.integer), optional(d.integer), list[int](d),
		json.UnmarshalFromFunc(d.rows))
	return d
}

// object decodes an object into a struct.
func (d *bodyDecoder) object(in *jsontext.Decoder, into any) error {
	if in.PeekKind() != '{' {
		return d.mistyped(in, "must be an object")
	}
	return json.UnmarshalDecode(in, into, json.WithUnmarshalers(d.unmarshalers))
}

// text decodes a string.
func (d *bodyDecoder) text(in *jsontext.Decoder, into *string) error {
	if in.PeekKind() != '"' {
		return d.mistyped(in, "must be a string")
	}
	t, err := in.ReadToken()
	if err == nil {
		*into = t.String()
	}
	return err
}

// integer decodes a number without a fraction, such as 20, 20.0 or 2e1, or a string of digits.
func (d *bodyDecoder) integer(in *jsontext.Decoder, into *int) error {
	kind := in.PeekKind()
	if kind != '"' && kind != '0' {
		return d.mistyped(in, "not an integer")
	}
	t, err := in.ReadToken()
	if err != nil {
		return err
	}
	s := t.String()
	if n, err := strconv.Atoi(s); err == nil {
		*into = n
		return nil
	}
	const exact = 1 << 53
	number, err := strconv.ParseFloat(s, 64)
	if kind == '0' && err == nil && number == math.Trunc(number) && math.Abs(number) < exact {
		*into = int(number)
		return nil
	}
	d.addError(in, "not an integer")
	return nil
}

// optional decodes null, and any other value with decode.
func optional[T any](decode func(*jsontext.Decoder, *T) error) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(in *jsontext.Decoder, into *domain.Optional[T]) error {
		into.Set = true
		if into.Null = in.PeekKind() == 'n'; into.Null {
			return in.SkipValue()
		}
		return decode(in, &into.Value)
	})
}

// list accepts null, which is nil, and arrays, whose elements the library decodes.
func list[T any](d *bodyDecoder) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(in *jsontext.Decoder, _ *[]T) error {
		if kind := in.PeekKind(); kind == '[' || kind == 'n' {
			return json.SkipFunc
		}
		return d.mistyped(in, "must be an array")
	})
}

// mistyped skips a value of the wrong type and adds its error.
func (d *bodyDecoder) mistyped(in *jsontext.Decoder, detail string) error {
	if err := in.SkipValue(); err != nil {
		return err
	}
	d.addError(in, detail)
	return nil
}

// addError adds an error of the value that was read last. It keeps only the first error of each
// field: the number of fields, which is below ten, bounds the response, not the size of the body.
func (d *bodyDecoder) addError(in *jsontext.Decoder, detail string) {
	pointer := strings.TrimPrefix(string(in.StackPointer()), d.row)
	field, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if slices.ContainsFunc(d.errs, func(e api.FieldError) bool { return e.Field == field }) {
		return
	}
	d.errs = append(d.errs, api.FieldError{Pointer: pointer, Field: field, Code: api.CodeWrongType, Detail: detail})
}

// parseTime reads an RFC 3339 time in UTC, to the microsecond. It refuses the zero time, which
// means "not set" to the rules and is what programs send for a time that they did not set.
func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err == nil && t.IsZero() {
		err = errors.New("the time is not set")
	}
	return t.UTC().Truncate(time.Microsecond), err
}
