package csvfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
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
	switch fold(s) {
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

var boms = []struct {
	mark     string
	encoding Encoding
}{
	{"\xef\xbb\xbf", UTF8},
	{"\xff\xfe", UTF16LE},
	{"\xfe\xff", UTF16BE},
}

// detectEncoding finds the encoding by byte order mark, by the zero bytes of
// UTF-16, or by reading all of it: valid UTF-8, else Windows-1252. It also
// gives the length of the mark.
func detectEncoding(r io.Reader) (Encoding, int, error) {
	b := bufio.NewReaderSize(r, maxRecord)
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, err
	}
	for _, bom := range boms {
		if bytes.HasPrefix(head, []byte(bom.mark)) {
			return bom.encoding, len(bom.mark), nil
		}
	}
	if e, ok := zeroBytes(head); ok {
		return e, 0, nil
	}
	valid, err := validUTF8(b)
	if err != nil {
		return "", 0, err
	}
	if valid {
		return UTF8, 0, nil
	}
	return Windows1252, 0, nil
}

// zeroBytes recognises UTF-16 without a mark: in text of the Latin script
// every other byte is zero.
func zeroBytes(head []byte) (Encoding, bool) {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half == 0:
		return "", false
	case zeros[1] > half*3/4 && zeros[0] == 0:
		return UTF16LE, true
	case zeros[0] > half*3/4 && zeros[1] == 0:
		return UTF16BE, true
	}
	return "", false
}

func validUTF8(r io.Reader) (bool, error) {
	buf := make([]byte, maxRecord)
	kept := 0
	for {
		n, err := r.Read(buf[kept:])
		chunk := buf[:kept+n]
		cut := len(chunk)
		if i := lastStart(chunk); err == nil && !utf8.FullRune(chunk[i:]) {
			cut = i // the character goes on in the next chunk
		}
		if !utf8.Valid(chunk[:cut]) {
			return false, nil
		}
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(buf, chunk[cut:])
	}
}

// lastStart is the index of the last byte of b that can start a character.
func lastStart(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return 0
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

// garbled reports whether s shows UTF-8 that was read as Windows-1252: Ã or Â
// before a character from U+0080 to U+00BF, which no name has there.
func garbled(s string) bool {
	const continued = "\xc2" // the first byte of those characters
	return strings.Contains(s, "Ã"+continued) || strings.Contains(s, "Â"+continued)
}
