// Package lang decides in which language a person is spoken to, and holds the
// Portuguese of every English text. The English text is the key, so the code
// reads as it speaks. It refuses to know what the texts are about, and is never
// asked for what machines read.
package lang

import (
	"fmt"
	"strings"
)

// Language is a language that texts are written in.
type Language string

// The languages. Codes is what machines read: English texts, and the API's own words.
const (
	Codes      Language = ""
	English    Language = "en"
	Portuguese Language = "pt"
)

// Parse reads the name of a language or of a locale, such as pt_BR.UTF-8. C and
// POSIX are English.
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

// OfUser is the language of LC_ALL, else LC_MESSAGES, else LANG, else that which the
// user has chosen for the system. One that is not known is English.
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

// Text is the text in the language. One without a translation stays English.
func (l Language) Text(english string) string {
	return l.translate(inSentence, english)
}

func (l Language) translate(context, english string) string {
	if l == Portuguese {
		if text := portuguese()[key{context, english}]; text != "" {
			return text
		}
	}
	return english
}

// Textf is the text in the language with its verbs filled in. Of "[row|rows]"
// it takes the first form after the number 1 and the other one else; after "%d de %d"
// the first of the two numbers counts.
func (l Language) Textf(english string, args ...any) string {
	return fmt.Sprintf(number(l.Text(english), args), args...)
}

// number chooses the forms of a text by the argument of the verb before each.
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

// Has tells that there is a translation of the English text.
func Has(english string) bool { return portuguese()[key{inSentence, english}] != "" }
