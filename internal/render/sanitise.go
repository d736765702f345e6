package render

import (
	"fmt"
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
	first := firstUnsafe(s, keep)
	if first < 0 {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	b = append(b, s[:first]...)
	for i := first; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = fmt.Appendf(b, `\x%02x`, s[i])
		case isUnsafe(r) && !strings.ContainsRune(keep, r):
			b = appendEscape(b, r)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return string(b)
}

// firstUnsafe returns the index of the first byte to escape, or -1.
func firstUnsafe(s, keep string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || isUnsafe(r) && !strings.ContainsRune(keep, r) {
			return i
		}
		i += size
	}
	return -1
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

// appendEscape appends an escape that is valid in Go and in YAML.
func appendEscape(b []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(b, `\n`...)
	case r == '\r':
		return append(b, `\r`...)
	case r == '\t':
		return append(b, `\t`...)
	case r < 0x100:
		return fmt.Appendf(b, `\x%02x`, r)
	case r < 0x10000:
		return fmt.Appendf(b, `\u%04x`, r)
	default:
		return fmt.Appendf(b, `\U%08x`, r)
	}
}
