package lang

import (
	_ "embed"
	"fmt"
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

// portuguese returns the catalogue by its keys. A test finds errors in the
// file.
var portuguese = sync.OnceValue(func() map[key]string {
	all := make(map[key]string, strings.Count(portugueseCatalogue, "\nmsgid "))
	for e, err := range entries(portugueseCatalogue) {
		if err != nil {
			panic(err)
		}
		all[key{e.context, e.english}] = e.translation
	}
	return all
})

// entry is one text with its translation.
type entry struct{ context, english, translation string }

// entries parses a catalogue in gettext's .po format: msgctxt, msgid and msgstr with strings on
// one or more lines, and comments. Plural forms are not used.
func entries(catalogue string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var e entry
		var into *string // the string that a continuation line belongs to
		number := 0
		for line := range strings.Lines(catalogue) {
			number++
			line = strings.TrimRight(line, "\r\n")
			if line == "" || line[0] == '#' {
				continue
			}
			keyword, quoted, _ := strings.Cut(line, " ")
			switch {
			case line[0] == '"':
				quoted = line
			case keyword == "msgstr":
				into = &e.translation
			case keyword == "msgctxt" || keyword == "msgid" && into != &e.context:
				if e.english != "" && !yield(e, nil) {
					return
				}
				e = entry{}
				into = &e.english
				if keyword == "msgctxt" {
					into = &e.context
				}
			case keyword == "msgid":
				into = &e.english
			default:
				yield(entry{}, fmt.Errorf("catalogue, line %d: %q is no keyword of gettext that is used here", number, keyword))
				return
			}
			text, err := strconv.Unquote(quoted)
			if err != nil || into == nil {
				yield(entry{}, fmt.Errorf("catalogue, line %d: not a string in double quotes", number))
				return
			}
			*into += text
		}
		if e.english != "" {
			yield(e, nil)
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
