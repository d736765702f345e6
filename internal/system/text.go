package system

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// InUTF8 converts a text as Windows programs write it, in UTF-16 or with a byte order mark, to
// UTF-8 without one. Any other text is returned unchanged.
func InUTF8(text []byte) []byte {
	unit := binary.LittleEndian.Uint16
	switch {
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return text[len("\ufeff"):]
	case len(text)%2 != 0:
		return text
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		unit = binary.BigEndian.Uint16
	case !bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		return text
	}
	var units []uint16
	for i := 2; i < len(text); i += 2 {
		units = append(units, unit(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
