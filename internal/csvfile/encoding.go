package csvfile

import (
	"ativa/internal/csvfile/names"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encoding is how the characters of a file are written.
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

// toUTF8 appends text, as the scanner cut it, to dst as UTF-8. UTF-16 was
// converted before the scanner already.
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

// fromUTF8 appends s in the encoding of the file. What Windows-1252 lacks
// becomes a question mark.
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

// mark is the byte order mark of the encoding, or "".
func (e Encoding) mark() string {
	for _, bom := range boms {
		if bom.encoding == e {
			return bom.mark
		}
	}
	return ""
}
