package cpf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxEmail is the maximum length of an e-mail address in bytes (decisions.md 7).
const MaxEmail = 254

// IsPlainEmail reports whether s is one e-mail address without a display name,
// comments or quoting, whose domain is the name of a host (decisions.md 7). It
// does not check the length, see [MaxEmail].
func IsPlainEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && isHostName(s[at+1:]) && isLocalPart(s[:at])
}

// isLocalPart reports whether s is a local part without quoting: atoms with one dot between them
// (RFC 5321), which may have non-ASCII characters (RFC 6531).
func isLocalPart(s string) bool {
	return !strings.ContainsFunc(s, notAtext) && !strings.Contains("."+s+".", "..")
}

func notAtext(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	case r >= utf8.RuneSelf:
		return r == utf8.RuneError || unicode.IsControl(r)
	}
	return !strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", r)
}

// isHostName reports whether s is two or more labels of letters, digits and inner hyphens, of
// which the last is not all digits. Letters may be non-ASCII (IDNA), but only of one script per
// label.
func isHostName(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !isLabel(label) {
			return false
		}
	}
	return len(labels) > 1 && !isDigits(labels[len(labels)-1])
}

func isLabel(s string) bool {
	var script *unicode.RangeTable
	for i, r := range s {
		switch {
		case r == '-' || '0' <= r && r <= '9':
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || unicode.IsLetter(r):
			of := scriptOf(r)
			if of == nil || script != nil && script != of {
				return false
			}
			script = of
		case i > 0 && unicode.Is(unicode.Mn, r): // a separate combining accent
		default:
			return false
		}
	}
	return true
}

// scriptOf returns the script of a letter, or nil if it has none of its own.
func scriptOf(r rune) *unicode.RangeTable {
	if r < utf8.RuneSelf || unicode.Is(unicode.Latin, r) {
		return unicode.Latin
	}
	for name, script := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(script, r) {
			return script
		}
	}
	return nil
}
