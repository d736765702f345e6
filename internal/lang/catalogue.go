package lang

import (
	_ "embed"
	"iter"
	"strconv"
	"strings"
	"sync"
)

// portugueseCatalogue is a gettext catalogue, so that translators' tools can open it. It is parsed
// on first use, and never by an English command line.
//
//go:embed pt_BR.po
var portugueseCatalogue string

// Contexts (msgctxt) of texts whose translation in a table differs from that in a sentence.
const (
	inSentence = ""
	inTable    = "word"
	ofStatus   = "status"
)

// key identifies an entry: gettext has entries with the same text in different contexts.
type key struct{ context, english string }

// portuguese returns the catalogue by its keys.
var portuguese = sync.OnceValue(func() map[key]quoted {
	const usual = 100 // bytes of an entry; counting them takes longer
	all := make(map[key]quoted, len(portugueseCatalogue)/usual)
	for e := range entries(portugueseCatalogue) {
		all[key{e.context, e.english}] = e.translation
	}
	return all
})

// entry is one text with its translation.
type entry struct {
	context, english string
	translation      quoted
}

// quoted is a text as it stands in a catalogue: strings in double quotes on one or more lines. A
// command shows few of the translations, and only these are unquoted.
type quoted string

// text returns the text, empty if it is not quoted correctly.
func (q quoted) text() (text string) {
	for line := range strings.Lines(string(q)) {
		part, err := strconv.Unquote(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return ""
		}
		text += part
	}
	return text
}

// cutQuoted returns the text at the beginning of a catalogue, and the lines below it.
func cutQuoted(catalogue string) (q quoted, below string) {
	end := 0
	for {
		line := strings.IndexByte(catalogue[end:], '\n')
		if line < 0 {
			return quoted(catalogue), ""
		}
		end += line + 1
		if !strings.HasPrefix(catalogue[end:], `"`) {
			return quoted(catalogue[:end]), catalogue[end:]
		}
	}
}

// entries parses a catalogue in gettext's .po format: msgctxt, msgid and msgstr with strings on
// one or more lines, and comments. Plural forms are not used. A test finds errors in the file.
func entries(catalogue string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		var e entry
		var q quoted
		for rest := catalogue; rest != ""; {
			switch keyword, text, _ := strings.Cut(rest, " "); keyword {
			case "msgctxt":
				q, rest = cutQuoted(text)
				e.context = q.text()
			case "msgid":
				q, rest = cutQuoted(text)
				e.english = q.text()
			case "msgstr":
				e.translation, rest = cutQuoted(text)
				if e.english != "" && !yield(e) {
					return
				}
				e = entry{}
			default: // a comment or an empty line
				_, rest, _ = strings.Cut(rest, "\n")
			}
		}
	}
}

// Translated yields the English texts that the catalogue translates, except those of tables and
// statuses.
func Translated() iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range portuguese() {
			if k.context == inSentence && !yield(k.english) {
				return
			}
		}
	}
}
