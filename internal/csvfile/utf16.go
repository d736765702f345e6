package csvfile

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Reader reads UTF-16 as UTF-8. Half of a surrogate pair, which UTF-8
// cannot write, becomes the three bytes that it would have there: the check of
// the row refuses them, and [Encoding.original] gives the file's own bytes
// back.
type utf16Reader struct {
	r        *bufio.Reader
	encoding Encoding
	pending  []byte
}

func newUTF16Reader(r io.Reader, e Encoding) *utf16Reader {
	return &utf16Reader{r: bufio.NewReaderSize(r, maxRecord), encoding: e}
}

// Read implements io.Reader. A file with an odd byte at its end gives a
// *Problem.
func (u *utf16Reader) Read(p []byte) (int, error) {
	if len(u.pending) > 0 {
		n := copy(p, u.pending)
		u.pending = u.pending[n:]
		return n, nil
	}
	var char [4]byte
	n := 0
	for n+utf8.UTFMax <= len(p) {
		b, err := u.char(char[:0])
		if err != nil {
			if errors.Is(err, io.EOF) && n > 0 {
				return n, nil
			}
			return n, err
		}
		n += copy(p[n:], b)
		if u.r.Buffered() < 4 && n > 0 {
			return n, nil
		}
	}
	if n == 0 { // p is too short for any character
		b, err := u.char(nil)
		if err != nil {
			return 0, err
		}
		n = copy(p, b)
		u.pending = b[n:]
	}
	return n, nil
}

// char reads one character and appends it.
func (u *utf16Reader) char(dst []byte) ([]byte, error) {
	first, err := u.unit()
	if err != nil {
		return nil, err
	}
	if !utf16.IsSurrogate(rune(first)) {
		return utf8.AppendRune(dst, rune(first)), nil
	}
	if next, err := u.r.Peek(2); err == nil {
		r := utf16.DecodeRune(rune(first), rune(u.encoding.order().Uint16(next)))
		if r != utf8.RuneError {
			_, err := u.r.Discard(2)
			return utf8.AppendRune(dst, r), err
		}
	}
	return append(dst, 0xE0|byte(first>>12), 0x80|byte(first>>6)&0xBF, 0x80|byte(first)&0xBF), nil
}

func (u *utf16Reader) unit() (uint16, error) {
	var b [2]byte
	n, err := io.ReadFull(u.r, b[:])
	if n == 1 {
		return 0, &Problem{Code: CodeCutCharacter}
	}
	if err != nil {
		return 0, err
	}
	return u.encoding.order().Uint16(b[:]), nil
}

// loneSurrogate reads what char wrote for half of a pair.
func loneSurrogate(b []byte) (uint16, bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(b[1]&0x3F)<<6 | uint16(b[2]&0x3F), true
}
