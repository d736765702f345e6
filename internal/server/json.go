package server

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may nest; the API needs four.
const maxDepth = 64

// malformed is the error of a body that is not one JSON document (RFC 8259) or in
// which an object has a key twice: programs differ in which of the two counts, so
// decisions.md 2 refuses them. The text never holds a part of the body.
type malformed string

func (m malformed) Error() string { return string(m) }

const (
	errSyntax    malformed = "the body is not one valid JSON document"
	errEncoding  malformed = "the body is not UTF-8"
	errDuplicate malformed = "an object holds the same key twice"
	errTooDeep   malformed = "arrays and objects nest too deeply"
)

// jsonReader reads a JSON document once, from front to back. Strings without
// escapes are not copied. Unlike encoding/json it refuses duplicate keys and
// distinguishes their case; a fuzz test compares the two.
type jsonReader struct {
	doc   string
	pos   int
	depth int
}

func newJSONReader(s string) (*jsonReader, error) {
	if !utf8.ValidString(s) {
		return nil, errEncoding
	}
	return &jsonReader{doc: s}, nil
}

// peek skips white space and returns the next byte without consuming it, 0 at the
// end. The byte tells the type of the next value.
func (r *jsonReader) peek() byte {
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
func (r *jsonReader) take(b byte) bool {
	if r.peek() != b {
		return false
	}
	r.pos++
	return true
}

// end returns an error if anything but white space follows.
func (r *jsonReader) end() error {
	if r.peek() != 0 || r.pos < len(r.doc) {
		return errSyntax
	}
	return nil
}

// object calls member for every member, in order; member reads its value.
func (r *jsonReader) object(member func(key string) error) error {
	var keys keySet
	return r.sequence('{', '}', func() error {
		key, err := r.str()
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

// array calls element for every element, in order; element reads it.
func (r *jsonReader) array(element func(n int) error) error {
	n := -1
	return r.sequence('[', ']', func() error {
		n++
		return element(n)
	})
}

func (r *jsonReader) sequence(from, to byte, read func() error) error {
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

func (r *jsonReader) str() (string, error) {
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

// number reads a number and returns its text.
func (r *jsonReader) number() (string, error) {
	r.peek()
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

func (r *jsonReader) sign(signs string) {
	if r.pos < len(r.doc) && strings.IndexByte(signs, r.doc[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *jsonReader) digits() (n int) {
	for r.pos < len(r.doc) && '0' <= r.doc[r.pos] && r.doc[r.pos] <= '9' {
		r.pos++
		n++
	}
	return n
}

// literal reads w, which is true, false or null.
func (r *jsonReader) literal(w string) error {
	r.peek()
	if !strings.HasPrefix(r.doc[r.pos:], w) {
		return errSyntax
	}
	r.pos += len(w)
	return nil
}

// skip reads any value and drops it, with all checks.
func (r *jsonReader) skip() (err error) {
	switch r.peek() {
	case '{':
		return r.object(func(string) error { return r.skip() })
	case '[':
		return r.array(func(int) error { return r.skip() })
	case '"':
		_, err = r.str()
	case 't':
		err = r.literal("true")
	case 'f':
		err = r.literal("false")
	case 'n':
		err = r.literal("null")
	default:
		_, err = r.number()
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
