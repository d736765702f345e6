package lang

import (
	_ "embed"
	"errors"
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
var portuguese = sync.OnceValue(func() map[key]quoted {
	const usual = 100 // bytes of an entry; counting them takes longer
	all := make(map[key]quoted, len(portugueseCatalogue)/usual)
	for e, err := range entries(portugueseCatalogue) {
		if err != nil {
			panic(err)
		}
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
func (q quoted) text() string {
	text, _ := q.unquote()
	return text
}

func (q quoted) unquote() (text string, err error) {
	for line := range strings.Lines(string(q)) {
		part, err := strconv.Unquote(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return "", err
		}
		text += part
	}
	return text, nil
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
// one or more lines, and comments. Plural forms are not used.
func entries(catalogue string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var e entry
		for rest := catalogue; rest != ""; {
			above := len(catalogue) - len(rest)
			var q quoted
			var err error
			switch {
			case strings.IndexByte("#\r\n", rest[0]) >= 0:
				_, rest, _ = strings.Cut(rest, "\n")
			case strings.HasPrefix(rest, "msgctxt "):
				q, rest = cutQuoted(strings.TrimPrefix(rest, "msgctxt "))
				e.context, err = q.unquote()
			case strings.HasPrefix(rest, "msgid "):
				q, rest = cutQuoted(strings.TrimPrefix(rest, "msgid "))
				e.english, err = q.unquote()
			case strings.HasPrefix(rest, "msgstr "):
				e.translation, rest = cutQuoted(strings.TrimPrefix(rest, "msgstr "))
				if e.english != "" && !yield(e, nil) {
					return
				}
				e = entry{}
			default:
				err = errors.New("not a keyword of gettext that is used here")
			}
			if err != nil {
				yield(entry{}, fmt.Errorf("catalogue, line %d: %w", 1+strings.Count(catalogue[:above], "\n"), err))
				return
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
