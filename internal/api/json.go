package api

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may nest; the API needs four.
const maxDepth = 64

// Malformed is the error of a body that is not one JSON document (RFC 8259) or in
// which an object has a key twice: programs differ in which of the two counts, so
// decisions.md 2 refuses them. The text never holds a part of the body.
type Malformed string

// Error returns the text.
func (m Malformed) Error() string { return string(m) }

const (
	errSyntax    Malformed = "the body is not one valid JSON document"
	errEncoding  Malformed = "the body is not UTF-8"
	errDuplicate Malformed = "an object holds the same key twice"
	errTooDeep   Malformed = "arrays and objects nest too deeply"
)

// JSONReader reads a JSON document once, from front to back. Its errors are
// [Malformed], beside those of the functions that it calls. Strings without escapes
// are not copied. Unlike encoding/json it refuses duplicate keys and
// distinguishes their case; a fuzz test compares the two.
type JSONReader struct {
	doc   string
	pos   int
	depth int
}

// NewJSONReader reads a document, which must be UTF-8.
func NewJSONReader(s string) (*JSONReader, error) {
	if !utf8.ValidString(s) {
		return nil, errEncoding
	}
	s = strings.TrimPrefix(s, "\ufeff") // PowerShell and .NET write one, and no editor shows it
	return &JSONReader{doc: s}, nil
}

// Peek skips white space and returns the next byte without consuming it, 0 at the
// end. The byte tells the type of the next value.
func (r *JSONReader) Peek() byte {
	for r.pos < len(r.doc) {
		switch b := r.doc[r.pos]; b {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return b
		}
	}
	return 0
}

// take skips white space and consumes the byte b, if that is next.
func (r *JSONReader) take(b byte) bool {
	if r.Peek() != b {
		return false
	}
	r.pos++
	return true
}

// End returns an error if anything but white space follows.
func (r *JSONReader) End() error {
	if r.Peek() != 0 || r.pos < len(r.doc) {
		return errSyntax
	}
	return nil
}

// Object calls member for every member, in order; member reads its value.
func (r *JSONReader) Object(member func(key string) error) error {
	var keys keySet
	return r.sequence('{', '}', func() error {
		key, err := r.Text()
		if err != nil {
			return err
		}
		if !keys.add(key) {
			return errDuplicate
		}
		if !r.take(':') {
			return errSyntax
		}
		return member(key)
	})
}

// Array calls element for every element, in order; element reads it.
func (r *JSONReader) Array(element func(n int) error) error {
	n := -1
	return r.sequence('[', ']', func() error {
		n++
		return element(n)
	})
}

func (r *JSONReader) sequence(from, to byte, read func() error) error {
	if !r.take(from) {
		return errSyntax
	}
	if r.depth++; r.depth > maxDepth {
		return errTooDeep
	}
	defer func() { r.depth-- }()
	if r.take(to) {
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if r.take(to) {
			return nil
		}
		if !r.take(',') {
			return errSyntax
		}
	}
}

// Text reads a string.
func (r *JSONReader) Text() (string, error) {
	if !r.take('"') {
		return "", errSyntax
	}
	start, escaped := r.pos, false
	for ; r.pos < len(r.doc); r.pos++ {
		switch b := r.doc[r.pos]; {
		case b == '"':
			r.pos++
			if !escaped {
				return r.doc[start : r.pos-1], nil
			}
			return unescape(r.doc[start-1 : r.pos])
		case b == '\\':
			escaped = true
			r.pos++
		case b < ' ':
			return "", errSyntax
		}
	}
	return "", errSyntax
}

func unescape(quoted string) (string, error) {
	var s string
	if json.Unmarshal([]byte(quoted), &s) != nil {
		return "", errSyntax
	}
	return s, nil
}

// Number reads a number and returns its text.
func (r *JSONReader) Number() (string, error) {
	r.Peek()
	start := r.pos
	r.sign("-")
	switch {
	case r.pos < len(r.doc) && r.doc[r.pos] == '0':
		r.pos++ // a digit after it is an error of the next read
	case r.digits() == 0:
		return "", errSyntax
	}
	if r.pos < len(r.doc) && r.doc[r.pos] == '.' {
		r.pos++
		if r.digits() == 0 {
			return "", errSyntax
		}
	}
	if r.pos < len(r.doc) && r.doc[r.pos]|0x20 == 'e' {
		r.pos++
		r.sign("+-")
		if r.digits() == 0 {
			return "", errSyntax
		}
	}
	return r.doc[start:r.pos], nil
}

func (r *JSONReader) sign(signs string) {
	if r.pos < len(r.doc) && strings.IndexByte(signs, r.doc[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *JSONReader) digits() (n int) {
	for r.pos < len(r.doc) && '0' <= r.doc[r.pos] && r.doc[r.pos] <= '9' {
		r.pos++
		n++
	}
	return n
}

// Literal reads w, which is true, false or null.
func (r *JSONReader) Literal(w string) error {
	r.Peek()
	if !strings.HasPrefix(r.doc[r.pos:], w) {
		return errSyntax
	}
	r.pos += len(w)
	return nil
}

// Skip reads any value and drops it, with all checks.
func (r *JSONReader) Skip() (err error) {
	switch r.Peek() {
	case '{':
		return r.Object(func(string) error { return r.Skip() })
	case '[':
		return r.Array(func(int) error { return r.Skip() })
	case '"':
		_, err = r.Text()
	case 't':
		err = r.Literal("true")
	case 'f':
		err = r.Literal("false")
	case 'n':
		err = r.Literal("null")
	default:
		_, err = r.Number()
	}
	return err
}

// keySet is the set of keys of one object: the first in an array, more in a map.
type keySet struct {
	few  [16]string
	n    int
	many map[string]bool
}

// add reports whether the key is new.
func (s *keySet) add(key string) bool {
	if slices.Contains(s.few[:s.n], key) || s.many[key] {
		return false
	}
	switch {
	case s.n < len(s.few):
		s.few[s.n] = key
		s.n++
	case s.many == nil:
		s.many = map[string]bool{key: true}
	default:
		s.many[key] = true
	}
	return true
}
