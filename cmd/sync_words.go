package cmd

import (
	"strings"

	"ativa/internal/lang"
)

// reasonWords says the reason of a step of a plan. The plan keeps it in English,
// made of sentences, or of the code of a refusal and the words of the server.
func reasonWords(l lang.Language, reason string) string {
	if l == lang.English || reason == "" {
		return reason
	}
	if code, detail, ok := strings.Cut(reason, ": "); ok {
		if known := l.Text(code); known != code {
			return known
		}
		return code + ": " + l.Text(detail)
	}
	parts := strings.Split(reason, "; ")
	for i, part := range parts {
		is, can, _ := strings.Cut(strings.TrimPrefix(part, "it is "), ", which cannot become ")
		if wished, ok := strings.CutSuffix(can, " now"); ok {
			parts[i] = l.Textf("it is %s, which cannot become %s now", l.Status(is), l.Status(wished))
		} else {
			parts[i] = l.Text(part)
		}
	}
	return strings.Join(parts, "; ")
}
