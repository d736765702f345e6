package csvfile

import (
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// mendEmail reads an e-mail cell.
func mendEmail(s string) (email, repair string, f fault) {
	if len(s) > len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:") {
		s, repair = trim(s[len("mailto:"):]), RepairMailto
	}
	switch {
	case s == "":
		return "", "", fault{code: api.CodeRequired}
	case len(s) > cpf.MaxEmail:
		return "", "", fault{CodeTooLong, map[string]string{"max": number(cpf.MaxEmail)}}
	case !cpf.IsPlainEmail(s):
		return "", "", fault{code: CodeInvalidEmail}
	}
	return s, repair, fault{}
}
