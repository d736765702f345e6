package lang

import (
	"slices"
	"strconv"
	"strings"
)

// Message is a text for a person: an English text, which is the key of its translation, and the
// arguments of its verbs. Arguments with their own translations, such as other messages, are put into
// the same language.
type Message struct {
	English string
	args    []any
}

// translatable is an argument with a text in each language.
type translatable interface{ Text(Language) string }

// Msg returns a message. The text must be a literal, so that a test can check that it is
// translated.
func Msg(english string, args ...any) Message { return Message{english, args} }

// IsEmpty reports whether there is no text.
func (m Message) IsEmpty() bool { return m.English == "" }

// MarshalText returns the English text: machine formats have no languages.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.Text(Codes)), nil }

// String returns the message in English.
func (m Message) String() string { return m.Text(English) }

// Text returns the message in a language.
func (m Message) Text(l Language) string {
	if len(m.args) == 0 {
		return l.Text(m.English)
	}
	args := make([]any, len(m.args))
	for i, arg := range m.args {
		if t, ok := arg.(translatable); ok {
			arg = t.Text(l)
		}
		args[i] = arg
	}
	return l.Textf(m.English, args...)
}

// StatusName is the name of a status as an argument of a message, which shows the word for it.
type StatusName string

// Text returns the word for the status in a language.
func (s StatusName) Text(l Language) string { return l.Status(string(s)) }

// StatusWord is the name of a status as an argument of a message whose readers never type it: it is
// a word in every language.
type StatusWord string

// Text returns the word for the status in a language.
func (s StatusWord) Text(l Language) string {
	if word := englishStatuses()[string(s)]; word != "" && l != Portuguese {
		return word
	}
	return l.Status(string(s))
}

// englishStatuses maps status names that are not English words to words.
func englishStatuses() map[string]string {
	return map[string]string{
		"canceled":                      "cancelled",
		"suspend":                       "suspended",
		"limitReached":                  "in the queue",
		"inProgress":                    "activating",
		"reactivated":                   "reactivating",
		"changed":                       "changing",
		"waitingSuspension":             "suspending",
		"waitingCancellation":           "cancelling",
		"canceledWithoutActivation":     "cancelled in the queue",
		"waitingSuspensionDueToOverdue": "suspending for non-payment",
	}
}

// WithStatusWords returns the message with words for the statuses in it, at any depth.
func (m Message) WithStatusWords() Message {
	args := slices.Clone(m.args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case StatusName:
			args[i] = StatusWord(arg)
		case Message:
			args[i] = arg.WithStatusWords()
		}
	}
	return Message{m.English, args}
}

// Count is a large number as an argument of a message, with the separators of the
// language: 20,217 or 20.217.
type Count int

// Text returns the number in a language.
func (c Count) Text(l Language) string {
	digits, separator := strconv.Itoa(int(c)), ","
	if l == Portuguese {
		separator = "."
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// Refusal is a server's reason for a refusal, as an argument of a message: in our words if its code or
// its own text is known, else in the server's.
type Refusal struct{ Code, Detail string }

// Text returns the reason in a language.
func (r Refusal) Text(l Language) string {
	if known := l.Text(r.Detail); known != r.Detail {
		return known
	}
	if known := l.Text(r.Code); known != r.Code {
		return known
	}
	if l != Codes && r.Detail == r.Code { // no words at all
		return strings.ReplaceAll(r.Code, "_", " ")
	}
	return r.Detail
}

// Word translates a word of the API, or one of ours, for a table: a result, a state, an action. An
// unknown word is unchanged.
func (l Language) Word(english string) string { return l.translate(inTable, english) }

// Status returns the short form of the name of a status, which `ativa status` explains. An unknown
// name is unchanged.
func (l Language) Status(name string) string { return l.translate(ofStatus, name) }

// Term is a word of a table as an argument of a message.
type Term string

// Text returns the word in a language.
func (t Term) Text(l Language) string { return l.Word(string(t)) }
