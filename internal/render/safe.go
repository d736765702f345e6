package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize is s with every character that a terminal would obey, or that would
// mislead its reader, written as an escape: \n, \x1b, \u202e. That is control
// and bidirectional characters, line separators, all other invisible format
// characters but the joiners that scripts and emoji need, and bytes that are
// not UTF-8. It is the one sanitiser: whatever comes from outside and is
// shown on a terminal or in an error line goes through it.
func Sanitize(s string) string { return sanitize(s, "") }

// sanitize leaves the characters of keep as they are.
func sanitize(s, keep string) string {
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

// firstUnsafe is the place of the first byte to escape, or -1.
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

// isUnsafe tells which characters are never shown as they are.
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

// appendEscape appends the escape of Go, which is also one of YAML.
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
