package lang

// Word is a word of the API, or one of ours, as a table shows it: a result, a
// state, an action. One that is not known comes as it is.
func (l Language) Word(english string) string { return l.translate(inTable, english) }

// Status is the short form of the name of a status, whose meaning `ativa status`
// tells. One that is not known comes as it is.
func (l Language) Status(name string) string { return l.translate(ofStatus, name) }

// Term is a word of a table as an argument of a message.
type Term string

// Text is the word in a language.
func (t Term) Text(l Language) string { return l.Word(string(t)) }
