package sheet

import (
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

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

// fromUTF8 appends s in the encoding of the scanner's text. Characters that Windows-1252 lacks
// become question marks.
func (e Encoding) fromUTF8(dst []byte, s string) []byte {
	if e != Windows1252 {
		return append(dst, s...)
	}
	for _, r := range s {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			c = '?'
		}
		dst = append(dst, c)
	}
	return dst
}

// reader reads UTF-16 as UTF-8, with U+FFFD for half of a surrogate pair, and other encodings as
// they are.
func (e Encoding) reader(r io.Reader) io.Reader {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(r)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(r)
	}
	return r
}

func (e Encoding) isUTF16() bool { return e == UTF16LE || e == UTF16BE }

// mark returns the byte order mark of the encoding, or "".
func (e Encoding) mark() string {
	for _, bom := range boms {
		if bom.encoding == e {
			return bom.mark
		}
	}
	return ""
}
