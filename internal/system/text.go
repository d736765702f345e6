package system

import (
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// InUTF8 converts a text as Windows programs write it, in UTF-16 or with a byte order mark, to
// UTF-8 without one. Any other text is returned unchanged.
func InUTF8(text []byte) []byte {
	utf8, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	if err != nil {
		return text
	}
	return utf8
}
