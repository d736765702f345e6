package cpf

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxEmail is the maximum length of an e-mail address in bytes (decisions.md 7).
const MaxEmail = 254

// IsPlainEmail reports whether s is one e-mail address without a display name,
// comments or quoting, whose domain is a name with a dot (decisions.md 7). It
// does not check the length, see [MaxEmail].
func IsPlainEmail(s string) bool { return isCommonEmail(s) || parsesAsPlainEmail(s) }

// isCommonEmail accepts most addresses at a fraction of the cost of
// parsesAsPlainEmail, and none that parsesAsPlainEmail refuses.
func isCommonEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && isDotted(local, "_-+") && isDotted(domain, "-") && strings.Contains(domain, ".")
}

// isDotted reports whether s consists of letters, digits and the extra
// characters, with single dots between them.
func isDotted(s, extra string) bool {
	last := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.' && last == '.':
			return false
		case c != '.' && strings.IndexByte(extra, c) < 0:
			return false
		}
		last = c
	}
	return last != '.'
}

// parsesAsPlainEmail is the rule of IsPlainEmail.
func parsesAsPlainEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Name != "" || a.Address != s || strings.ContainsAny(s, " \"<>()[]\\,;:") ||
		strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, utf8.RuneError) {
		return false
	}
	_, domain, _ := strings.Cut(s, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".") && !strings.Contains(domain, "..")
}
