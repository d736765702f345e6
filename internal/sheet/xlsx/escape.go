package xlsx

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// escapes matches characters that XML cannot hold and that a workbook writes as UTF-16 units, such
// as _x000D_ (ECMA-376, ST_Xstring).
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(_x[0-9A-Fa-f]{4}_)+`) })

// unescape decodes these characters.
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escapes().ReplaceAllStringFunc(s, func(run string) string {
		var units []uint16
		for ; run != ""; run = run[len("_x0000_"):] {
			unit, _ := strconv.ParseUint(run[len("_x"):len("_x0000")], 16, 16) // four hexadecimal digits
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	})
}

// unescapeFrom decodes b from an index on.
func unescapeFrom(b []byte, from int) []byte {
	if !bytes.Contains(b[from:], []byte("_x")) {
		return b
	}
	return append(b[:from], unescape(string(b[from:]))...)
}
