package csvfile

import (
	"net/mail"
	"strings"
	"unicode"

	"ativa/internal/api"
)

// mendEmail reads an e-mail cell.
func mendEmail(s string) (email, repair string, f fault) {
	if len(s) > len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:") {
		s, repair = trim(s[len("mailto:"):]), RepairMailto
	}
	switch {
	case s == "":
		return "", "", fault{code: api.CodeRequired}
	case len(s) > maxEmail:
		return "", "", fault{CodeTooLong, map[string]string{"max": number(maxEmail)}}
	case !usualAddress(s) && !plainAddress(s):
		return "", "", fault{code: CodeInvalidEmail}
	}
	return s, repair, fault{}
}

// usualAddress accepts nearly every address there is at a fraction of the cost
// of plainAddress.
func usualAddress(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && dotted(local, "_-+") && dotted(domain, "-") && strings.Contains(domain, ".")
}

// dotted reports whether s is letters, digits and the extra characters, with
// single dots between them.
func dotted(s, extra string) bool {
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

// plainAddress is the server's own rule: one address without a display name,
// comments or quoting, whose domain has a dot (decisions.md 7).
func plainAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Name != "" || a.Address != s || strings.ContainsAny(s, " \"<>()\\,;:") ||
		strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	_, domain, _ := strings.Cut(s, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".") && !strings.Contains(domain, "..")
}
