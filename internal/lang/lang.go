// Package lang decides in which language a person reads messages, and holds the Portuguese of
// every English text. The English text is the key, so that the code is readable. It refuses to
// know what the texts are about, and does not translate machine formats.
package lang

import (
	"fmt"
	"strings"
)

// Language is a language that texts are written in.
type Language string

// The languages. Codes is for machine formats: English texts, and the API's own words.
const (
	Codes      Language = ""
	English    Language = "en"
	Portuguese Language = "pt"
)

// Parse parses the name of a language or of a locale, such as pt_BR.UTF-8. C and POSIX are
// English. An unknown name is English and false.
func Parse(s string) (Language, bool) {
	name, _, _ := strings.Cut(strings.ToLower(s), ".")
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	switch name {
	case "pt", "português", "portuguese":
		return Portuguese, true
	case "en", "english", "c", "posix":
		return English, true
	}
	return English, false
}

// Tag returns the language tag (RFC 5646) of texts in the language.
func (l Language) Tag() string {
	if l == Portuguese {
		return "pt-BR"
	}
	return "en"
}

// OfUser returns the language of LC_ALL, else LC_MESSAGES, else LANG, else the one chosen for the
// system. An unknown one is English.
func OfUser(getenv func(string) string, ofSystem func() string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			l, _ := Parse(value)
			return l
		}
	}
	l, _ := Parse(ofSystem())
	return l
}

// Text returns the text in the language. A text without a translation stays English.
func (l Language) Text(english string) string {
	return l.translate(inSentence, english)
}

func (l Language) translate(context, english string) string {
	if l == Portuguese {
		if text := portuguese()[key{context, english}].text(); text != "" {
			return text
		}
	}
	return english
}

// Textf returns the text in the language with its verbs filled in. "[row|rows]" becomes the first
// form if the number before it is 1, else the second; after "%d de %d" the first of the two
// numbers counts.
func (l Language) Textf(english string, args ...any) string {
	return fmt.Sprintf(number(l.Text(english), args), args...)
}

// number chooses the forms of a text by the argument of the preceding verb.
func number(text string, args []any) string {
	if !strings.Contains(text, "|") {
		return text
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '[')
		end := strings.IndexByte(text, ']')
		if open < 0 || end < open {
			break
		}
		b.WriteString(text[:open])
		one, many, forms := strings.Cut(text[open+1:end], "|")
		at := strings.Count(strings.ReplaceAll(b.String(), "%%", ""), "%") - 1
		if strings.HasSuffix(b.String(), "%d de %d ") { // "1 de 2 falhou": the share decides
			at--
		}
		switch {
		case !forms:
			b.WriteString(text[open : end+1])
		case at >= 0 && at < len(args) && args[at] == any(1):
			b.WriteString(one)
		default:
			b.WriteString(many)
		}
		text = text[end+1:]
	}
	return b.String() + text
}

// Has reports whether the English text has a translation.
func Has(english string) bool { return portuguese()[key{inSentence, english}].text() != "" }
