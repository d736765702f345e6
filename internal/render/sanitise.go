package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitise escapes every character of s that a terminal would interpret or that
// would mislead a reader, as \n, \x1b or \u202e: control and bidirectional
// characters, line separators, all other invisible format characters but the
// joiners that scripts and emoji need, and bytes that are not UTF-8. Every text
// from outside that a terminal or an error line shows goes through it.
func Sanitise(s string) string { return sanitise(s, "") }

// sanitise is Sanitise without escaping the characters of keep.
func sanitise(s, keep string) string {
	var b []byte
	done := 0 // bytes of s that are in b
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = fmt.Appendf(append(b, s[done:i]...), `\x%02x`, s[i])
			done = i + size
		case isUnsafe(r) && !strings.ContainsRune(keep, r):
			escaped := strconv.QuoteRuneToASCII(r) // YAML knows the escapes of Go
			b = append(append(b, s[done:i]...), escaped[1:len(escaped)-1]...)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// isUnsafe reports whether a character is always escaped.
func isUnsafe(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r < 0xa0, r == nonJoiner, r == joiner:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
