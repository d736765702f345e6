package server

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may nest; the API needs four.
const maxDepth = 64

// malformed is a body that is not one JSON document (RFC 8259), or one that
// says a thing twice: which of two equal keys counts differs between readers,
// so decisions.md 2 refuses them. It never holds a part of the body.
type malformed string

func (m malformed) Error() string { return string(m) }

const (
	errSyntax    malformed = "the body is not one valid JSON document"
	errEncoding  malformed = "the body is not UTF-8"
	errDuplicate malformed = "an object holds the same key twice"
	errTooDeep   malformed = "arrays and objects nest too deeply"
)

// cursor reads a JSON document once, from the front to the back. Strings
// without escapes are parts of the document and are not copied. The standard
// decoder lets equal keys pass and ignores the case of keys, hence this one;
// a fuzz test holds it against encoding/json.
type cursor struct {
	s     string
	i     int
	depth int
}

func newCursor(s string) (*cursor, error) {
	if !utf8.ValidString(s) {
		return nil, errEncoding
	}
	return &cursor{s: s}, nil
}

// kind skips white space and returns the first byte of what follows, which
// tells its type; 0 at the end.
func (c *cursor) kind() byte {
	for c.i < len(c.s) {
		switch b := c.s[c.i]; b {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return b
		}
	}
	return 0
}

// take moves past the byte b, white space before it aside.
func (c *cursor) take(b byte) bool {
	if c.kind() != b {
		return false
	}
	c.i++
	return true
}

// end makes sure that nothing follows.
func (c *cursor) end() error {
	if c.kind() != 0 || c.i < len(c.s) {
		return errSyntax
	}
	return nil
}

// object calls member for every member, in order; member reads its value.
func (c *cursor) object(member func(key string) error) error {
	var keys seen
	return c.each('{', '}', func() error {
		key, err := c.text()
		if err != nil {
			return err
		}
		if !keys.add(key) {
			return errDuplicate
		}
		if !c.take(':') {
			return errSyntax
		}
		return member(key)
	})
}

// array calls element for every element, in order; element reads it.
func (c *cursor) array(element func(n int) error) error {
	n := -1
	return c.each('[', ']', func() error {
		n++
		return element(n)
	})
}

func (c *cursor) each(from, to byte, read func() error) error {
	if !c.take(from) {
		return errSyntax
	}
	if c.depth++; c.depth > maxDepth {
		return errTooDeep
	}
	defer func() { c.depth-- }()
	if c.take(to) {
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if c.take(to) {
			return nil
		}
		if !c.take(',') {
			return errSyntax
		}
	}
}

// text reads a string.
func (c *cursor) text() (string, error) {
	if !c.take('"') {
		return "", errSyntax
	}
	start, escaped := c.i, false
	for ; c.i < len(c.s); c.i++ {
		switch b := c.s[c.i]; {
		case b == '"':
			c.i++
			if !escaped {
				return c.s[start : c.i-1], nil
			}
			return unescape(c.s[start-1 : c.i])
		case b == '\\':
			escaped = true
			c.i++
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

// number reads a number as it is spelt.
func (c *cursor) number() (string, error) {
	c.kind()
	start := c.i
	c.sign("-")
	switch {
	case c.i < len(c.s) && c.s[c.i] == '0':
		c.i++ // and no digit may follow: whoever reads on will not expect one
	case c.digits() == 0:
		return "", errSyntax
	}
	if c.i < len(c.s) && c.s[c.i] == '.' {
		c.i++
		if c.digits() == 0 {
			return "", errSyntax
		}
	}
	if c.i < len(c.s) && c.s[c.i]|0x20 == 'e' {
		c.i++
		c.sign("+-")
		if c.digits() == 0 {
			return "", errSyntax
		}
	}
	return c.s[start:c.i], nil
}

func (c *cursor) sign(signs string) {
	if c.i < len(c.s) && strings.IndexByte(signs, c.s[c.i]) >= 0 {
		c.i++
	}
}

func (c *cursor) digits() (n int) {
	for c.i < len(c.s) && '0' <= c.s[c.i] && c.s[c.i] <= '9' {
		c.i++
		n++
	}
	return n
}

// word reads true, false or null.
func (c *cursor) word(w string) error {
	c.kind()
	if !strings.HasPrefix(c.s[c.i:], w) {
		return errSyntax
	}
	c.i += len(w)
	return nil
}

// skip reads any value, as strictly as one that is wanted.
func (c *cursor) skip() (err error) {
	switch c.kind() {
	case '{':
		return c.object(func(string) error { return c.skip() })
	case '[':
		return c.array(func(int) error { return c.skip() })
	case '"':
		_, err = c.text()
	case 't':
		err = c.word("true")
	case 'f':
		err = c.word("false")
	case 'n':
		err = c.word("null")
	default:
		_, err = c.number()
	}
	return err
}

// seen is the set of keys of one object: a few in an array, many in a map.
type seen struct {
	few  [16]string
	n    int
	many map[string]bool
}

// add reports whether the key is new.
func (s *seen) add(key string) bool {
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
