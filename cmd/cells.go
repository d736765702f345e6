package cmd

import (
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
)

func number(n api.Int) string { return strconv.FormatInt(int64(n), 10) }

// numberOrEmpty formats a number; 0 is empty.
func numberOrEmpty(n api.Int) string {
	if n == 0 {
		return ""
	}
	return number(n)
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// codeCell returns a code in words, or the code itself in machine formats.
func codeCell(l lang.Language, code string, words func(string) cli.Message) string {
	if l == lang.Codes {
		return code
	}
	return words(code).Text(l)
}

// reasonCell returns the server's reason in words, or its code in machine formats.
func reasonCell(l lang.Language, code string) string {
	return lang.Refusal{Code: code, Detail: code}.Text(l)
}

// joinMessages joins messages for one cell.
func joinMessages(l lang.Language, all []cli.Message) string {
	return strings.Join(cli.Map(all, func(m cli.Message) string { return m.Text(l) }), "; ")
}

// fieldName returns the API's name of a field, or its translation.
func fieldName(l lang.Language, field string) string {
	if l != lang.Portuguese {
		return field
	}
	return l.Text(strings.ReplaceAll(field, "_", " "))
}
