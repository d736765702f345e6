package xlsx

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the characters that XML cannot hold and a workbook writes as
// _x000D_ (ECMA-376, ST_Xstring).
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	var half rune // of a surrogate pair
	flush := func() {
		if half != 0 {
			b.WriteRune(utf8.RuneError)
			half = 0
		}
	}
	for s != "" {
		unit, ok := escapedUnit(s)
		switch pair := utf16.DecodeRune(half, unit); {
		case !ok:
			flush()
			b.WriteByte(s[0])
			s = s[1:]
			continue
		case half != 0 && pair != utf8.RuneError:
			half = 0
			b.WriteRune(pair)
		case utf16.IsSurrogate(unit):
			flush()
			half = unit
		default:
			flush()
			b.WriteRune(unit)
		}
		s = s[len("_x0000_"):]
	}
	flush()
	return b.String()
}

// unescapeFrom decodes b from an index on.
func unescapeFrom(b []byte, from int) []byte {
	if !bytes.Contains(b[from:], []byte("_x")) {
		return b
	}
	return append(b[:from], unescape(string(b[from:]))...)
}

// escapedUnit returns the UTF-16 unit that s begins with, escaped as _x000D_.
func escapedUnit(s string) (unit rune, ok bool) {
	if len(s) < len("_x0000_") || s[:2] != "_x" || s[6] != '_' {
		return 0, false
	}
	for _, c := range []byte(s[2:6]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		unit = unit<<4 | rune(d)
	}
	return unit, true
}
