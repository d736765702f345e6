package sheet

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"ativa/internal/sheet/names"
)

// Encoding is the character encoding of a file.
type Encoding string

// The encodings that can be read.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// parseEncoding reads the name of an encoding as people write it.
func parseEncoding(s string) (Encoding, bool) {
	switch names.Fold(s) {
	case "utf8", "utf8bom", "utf8sig":
		return UTF8, true
	case "utf16le", "utf16", "unicode":
		return UTF16LE, true
	case "utf16be":
		return UTF16BE, true
	case "windows1252", "cp1252", "1252", "ansi", "latin1", "iso88591", "iso885915":
		return Windows1252, true
	}
	return "", false
}

// toUTF8 appends the scanner's text to dst as UTF-8. UTF-16 is converted before the scanner.
func (e Encoding) toUTF8(dst, text []byte) []byte {
	if e != Windows1252 {
		return append(dst, text...)
	}
	for _, c := range text {
		if c < utf8.RuneSelf {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, charmap.Windows1252.DecodeByte(c))
		}
	}
	return dst
}

// fromUTF8 appends s in the encoding of the file. Characters that Windows-1252 lacks become
// question marks.
func (e Encoding) fromUTF8(dst []byte, s string) []byte {
	switch e {
	case Windows1252:
		for _, r := range s {
			c, ok := charmap.Windows1252.EncodeRune(r)
			if !ok {
				c = '?'
			}
			dst = append(dst, c)
		}
		return dst
	case UTF16LE, UTF16BE:
		return e.original(dst, []byte(s))
	}
	return append(dst, s...)
}

// original appends the bytes that the scanner's text had in the file.
func (e Encoding) original(dst, text []byte) []byte {
	if e != UTF16LE && e != UTF16BE {
		return append(dst, text...)
	}
	order := e.order()
	for len(text) > 0 {
		if s, ok := loneSurrogate(text); ok {
			dst = order.AppendUint16(dst, s)
			text = text[3:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			dst = order.AppendUint16(dst, uint16(r1))
			dst = order.AppendUint16(dst, uint16(r2))
		} else {
			dst = order.AppendUint16(dst, uint16(r))
		}
	}
	return dst
}

func (e Encoding) order() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	if e == UTF16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// mark returns the byte order mark of the encoding, or "".
func (e Encoding) mark() string {
	for _, bom := range boms {
		if bom.encoding == e {
			return bom.mark
		}
	}
	return ""
}

// utf16Reader reads UTF-16 as UTF-8. Half of a surrogate pair, which is not valid in UTF-8,
// becomes the three bytes that it would have there: the check of the row refuses them, and
// [Encoding.original] restores the file's own bytes.
type utf16Reader struct {
	r        *bufio.Reader
	encoding Encoding
	pending  []byte
}

// Read implements io.Reader. A file with an odd byte at its end causes a *Problem.
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

// loneSurrogate decodes what char wrote for half of a pair.
func loneSurrogate(b []byte) (uint16, bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(b[1]&0x3F)<<6 | uint16(b[2]&0x3F), true
}
