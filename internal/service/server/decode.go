package server

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// maxDepth is the maximum nesting depth of arrays and objects; the API needs four.
const maxDepth = 64

// malformed is the error of a body that is not one JSON document (RFC 8259), or that has an object
// with a duplicate key: programs differ in which of the two values counts, so decisions.md 2
// refuses them. The text never contains part of the body.
type malformed string

// Error returns the text.
func (m malformed) Error() string { return string(m) }

const (
	errSyntax    malformed = "the body is not one valid JSON document"
	errEncoding  malformed = "the body is not UTF-8"
	errDuplicate malformed = "an object holds the same key twice"
	errTooDeep   malformed = "arrays and objects nest too deeply"
)

// bodyDecoder decodes one object. A known member of the wrong JSON type is skipped, and its error
// is collected with its pointer (decisions.md 2). Only malformed JSON ends decoding.
type bodyDecoder struct {
	json *jsontext.Decoder
	errs []api.FieldError
}

// decodeBody decodes the whole body as one object. It returns an error if a known member has the
// wrong type.
func decodeBody(body string, member func(d *bodyDecoder, key string) error) error {
	if !utf8.ValidString(body) {
		return errEncoding
	}
	body = strings.TrimPrefix(body, "\ufeff") // a byte order mark, which PowerShell and .NET write and no editor shows
	// The body is valid UTF-8; this allows half of a surrogate pair, such as \ud800.
	d := &bodyDecoder{json: jsontext.NewDecoder(strings.NewReader(body), jsontext.AllowInvalidUTF8(true))}
	err := d.object("", func(key string) error { return member(d, key) })
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return err
	}
	if len(d.errs) > 0 {
		return invalidFields(d.errs...)
	}
	return nil
}

// decodeFields decodes the named members of the body into the *rules.Optional[string] or
// *rules.Optional[int] of each.
func decodeFields(body string, fields map[string]any) error {
	return decodeBody(body, func(d *bodyDecoder, key string) error {
		switch into := fields[key].(type) {
		case *domain.Optional[string]:
			return d.text(key, into)
		case *domain.Optional[int]:
			return d.number(key, into)
		}
		return d.skip()
	})
}

// token reads the next token. It is valid until the next call.
func (d *bodyDecoder) token() (jsontext.Token, error) {
	t, err := d.json.ReadToken()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return t, errDuplicate
	case err != nil:
		return t, errSyntax
	case d.json.StackDepth() > maxDepth:
		return t, errTooDeep
	}
	return t, nil
}

// skip reads and discards any value, with all checks.
func (d *bodyDecoder) skip() error {
	for depth := d.json.StackDepth(); ; {
		if _, err := d.token(); err != nil || d.json.StackDepth() == depth {
			return err
		}
	}
}

// end returns an error if anything but white space follows.
func (d *bodyDecoder) end() error {
	if _, err := d.json.ReadToken(); !errors.Is(err, io.EOF) {
		return errSyntax
	}
	return nil
}

// object calls member for every member in order; member must decode its value.
func (d *bodyDecoder) object(field string, member func(key string) error) error {
	if d.json.PeekKind() != '{' {
		return d.mistyped(field, "", "must be an object")
	}
	return d.sequence('}', func(int) error {
		key, err := d.token()
		if err != nil {
			return err
		}
		return member(key.String())
	})
}

// array calls element for every element of an array in order; element must decode it. null counts
// as an empty array.
func (d *bodyDecoder) array(field string, element func(n int) error) error {
	switch d.json.PeekKind() {
	case '[':
		return d.sequence(']', element)
	case 'n':
		return d.skip()
	}
	return d.mistyped(field, "/"+field, "must be an array")
}

// sequence decodes the elements up to the closing bracket.
func (d *bodyDecoder) sequence(closing jsontext.Kind, decode func(n int) error) error {
	if _, err := d.token(); err != nil {
		return err
	}
	for n := 0; d.json.PeekKind() != closing; n++ {
		if err := decode(n); err != nil {
			return err
		}
	}
	_, err := d.token()
	return err
}

// mistyped adds an error for a value of the wrong type and skips the value.
func (d *bodyDecoder) mistyped(field, pointer, detail string) error {
	d.addError(field, pointer, detail)
	return d.skip()
}

// text decodes a string or null.
func (d *bodyDecoder) text(field string, into *domain.Optional[string]) error {
	into.Set = true
	switch d.json.PeekKind() {
	case '"':
		t, err := d.token()
		if err == nil {
			into.Value = t.String()
		}
		return err
	case 'n':
		into.Null = true
		return d.skip()
	}
	return d.mistyped(field, "/"+field, "must be a string")
}

// element decodes a string of an array.
func (d *bodyDecoder) element(field string, n int, into *[]string) error {
	if d.json.PeekKind() != '"' {
		return d.mistyped(field, "/"+field+"/"+strconv.Itoa(n), "must be a string")
	}
	t, err := d.token()
	if err == nil {
		*into = append(*into, t.String())
	}
	return err
}

// number decodes an integer, a string that holds one, or null.
func (d *bodyDecoder) number(field string, into *domain.Optional[int]) error {
	into.Set = true
	if d.json.PeekKind() == 'n' {
		into.Null = true
		return d.skip()
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

// addError adds an error for a value of the wrong type, but only the first of each field, so that
// the response is bounded by the number of fields, which is below ten, rather than by the size of
// the body.
func (d *bodyDecoder) addError(field, pointer, detail string) {
	if slices.ContainsFunc(d.errs, func(e api.FieldError) bool { return e.Field == field }) {
		return
	}
	d.errs = append(d.errs, api.FieldError{Pointer: pointer, Field: field, Code: api.CodeWrongType, Detail: detail})
}

// integer reads any value and reports whether it is an integer: a number, also one
// like 20.0, as some programs write the integers of a table, or a string of digits.
func (d *bodyDecoder) integer() (n int, ok bool, err error) {
	kind := d.json.PeekKind()
	if kind != '"' && kind != '0' {
		return 0, false, d.skip()
	}
	t, err := d.token()
	if err != nil {
		return 0, false, err
	}
	s := t.String()
	if n, err := strconv.Atoi(s); err == nil {
		return n, true, nil
	}
	const exact = 1 << 53
	number, err := strconv.ParseFloat(s, 64)
	whole := kind == '0' && err == nil && number == math.Trunc(number) && math.Abs(number) < exact
	if !whole {
		return 0, false, nil
	}
	return int(number), true, nil
}

// subscriber decodes a member of a subscriber, and skips any other.
func (d *bodyDecoder) subscriber(key string, into *rules.Fields) error {
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
	return d.skip()
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
