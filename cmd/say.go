package cmd

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/credentials"
	"ativa/internal/csvfile"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// phrase is something that is said to a person: an English text, by which
// package lang knows its translation, and what fills its verbs. Arguments that
// are phrases or errors are said in the same language.
type phrase struct {
	english string
	args    []any
}

// say makes a phrase. The text is a literal, so that a test can look whether it
// is translated.
func say(english string, args ...any) phrase { return phrase{english, args} }

// statusName is the name of a status as an argument of a phrase, which says it
// by its word.
type statusName string

// or is the phrase, or another one where it is empty.
func (p phrase) or(other phrase) phrase {
	if p.isEmpty() {
		return other
	}
	return p
}

func (p phrase) isEmpty() bool { return p.english == "" }

// MarshalText writes the English: machines do not read languages.
func (p phrase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads it back.
func (p *phrase) UnmarshalText(text []byte) error {
	*p = phrase{english: string(text)}
	return nil
}

// String is the phrase in English.
func (p phrase) String() string { return p.in(lang.English) }

func (p phrase) in(l lang.Language) string {
	if len(p.args) == 0 {
		return l.Text(p.english)
	}
	args := make([]any, len(p.args))
	for i, arg := range p.args {
		switch arg := arg.(type) {
		case phrase:
			args[i] = arg.in(l)
		case statusName:
			args[i] = l.Status(string(arg))
		case error:
			args[i] = errorWords(l, arg)
		default:
			args[i] = arg
		}
	}
	return l.Textf(p.english, args...)
}

// errorWords says an error in a language, as far as it is one of ours.
func errorWords(l lang.Language, err error) string {
	var own *failure
	var lost *client.Unavailable
	var refused *client.Error
	several, joined := err.(interface{ Unwrap() []error })
	switch {
	case joined && errors.Join(several.Unwrap()...).Error() == err.Error(): // and no sentence around them
		texts := mapped(several.Unwrap(), func(one error) string { return errorWords(l, one) })
		slices.Sort(texts)
		return strings.Join(slices.Compact(texts), "; ")
	case errors.As(err, &own):
		return own.in(l)
	case errors.Is(err, context.Canceled):
		return l.Text("interrupted")
	case errors.As(err, &refused):
		return refusalWords(l, refused)
	case errors.As(err, &lost):
		return lostWords(l, lost)
	case l == lang.English:
		return err.Error()
	}
	var file *csvfile.Problem
	var document *cpf.Error
	var option *render.OptionError
	var setting *client.OptionError
	var noRun *bulk.NoSuchRun
	var item *refusedItem
	var token *credentials.Error
	var running *bulk.Running
	var config *fileError
	switch {
	case errors.As(err, &config):
		return l.Textf("line %d", config.line) + ": " + config.what.in(l)
	case errors.As(err, &file):
		return problemWords(l, file)
	case errors.As(err, &document):
		if text := l.Text(document.Code); text != document.Code {
			return text
		}
		return l.Text(document.Message)
	case errors.As(err, &token):
		return tokenWords(l, token)
	case errors.As(err, &option):
		return optionWords(l, option)
	case errors.As(err, &setting):
		return settingWords(l, setting)
	case errors.As(err, &item):
		return firstOf(codeWords(l, item.code, item.detail), item.code)
	case errors.As(err, &noRun):
		return l.Textf("there is no import %q", noRun.ID)
	case errors.As(err, &running):
		return l.Textf("import %s is running already, in process %d since %s", running.ID, running.PID, running.Since.Local().Format(time.DateTime))
	}
	return l.Text(err.Error())
}

// problemWords says what is wrong in a file, and where.
func problemWords(l lang.Language, p *csvfile.Problem) string {
	if p.Line == 0 {
		return problemText(l, p)
	}
	return placeWords(l, p) + ": " + problemText(l, p)
}

// placeWords says where in a file something is wrong.
func placeWords(l lang.Language, p *csvfile.Problem) string {
	switch {
	case p.Column == 0:
		return l.Textf("line %d", p.Line)
	case p.Name == "":
		return l.Textf("line %d, column %d", p.Line, p.Column)
	}
	return l.Textf("line %d, column %d (%s)", p.Line, p.Column, p.Name)
}

// problemText says what is wrong, without the place.
func problemText(l lang.Language, p *csvfile.Problem) string {
	said := *p
	said.Args = maps.Clone(p.Args)
	for name, value := range said.Args {
		if name == "kind" || name == "delimiter" || name == "found" { // also words of ours
			said.Args[name] = l.Text(value)
		}
	}
	if text := said.Fill(l.Text(csvfile.Messages()[p.Code])); text != "" {
		return text
	}
	return said.Message()
}

// kindOfProblem names problems that are alike: by the words of their code, or
// by their text without what differs.
func kindOfProblem(l lang.Language, code string) string {
	text := csvfile.Messages()[code]
	if l == lang.English || !lang.Has(text) {
		return strings.ReplaceAll(code, "_", " ")
	}
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(l.Text(text), "…")
}

// tokenWords says why there is no access token.
func tokenWords(l lang.Language, e *credentials.Error) string {
	if e.Source == "" {
		return l.Text("no access token: not on standard input, in ATIVA_ACCESS_TOKEN, by command or file, nor stored by a login")
	}
	text := l.Textf("access token from %s", strings.TrimSpace(string(e.Source)+" "+e.Place)) + ": " + l.Text(e.Reason.Text())
	if e.Err != nil {
		text += ": " + errorWords(l, e.Err)
	}
	return text
}
