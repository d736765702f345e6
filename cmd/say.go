package cmd

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os/exec"
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
	several, joined := err.(interface{ Unwrap() []error })
	if joined && errors.Join(several.Unwrap()...).Error() == err.Error() { // and no sentence around them
		texts := mapped(several.Unwrap(), func(one error) string { return errorWords(l, one) })
		slices.Sort(texts)
		return strings.Join(slices.Compact(texts), "; ")
	}
	if own, ok := errors.AsType[*failure](err); ok {
		return own.in(l)
	}
	if errors.Is(err, context.Canceled) {
		return l.Text("interrupted")
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return refusalWords(l, refused)
	}
	if lost, ok := errors.AsType[*client.UnavailableError](err); ok {
		return lostWords(l, lost)
	}
	if token, ok := errors.AsType[*credentials.Error](err); ok {
		return tokenWords(l, token)
	}
	if l == lang.English {
		return err.Error()
	}
	return translatedError(l, err)
}

// translatedError says an error whose own words are English in another language.
func translatedError(l lang.Language, err error) string {
	if config, ok := errors.AsType[*fileError](err); ok {
		return l.Textf("line %d", config.line) + ": " + config.what.in(l)
	}
	if file, ok := errors.AsType[*csvfile.Problem](err); ok {
		return problemWords(l, file)
	}
	if document, ok := errors.AsType[*cpf.Error](err); ok {
		if text := l.Text(document.Code); text != document.Code {
			return text
		}
		return l.Text(document.Message)
	}
	if option, ok := errors.AsType[*render.OptionError](err); ok {
		return optionWords(l, option)
	}
	if setting, ok := errors.AsType[*client.OptionError](err); ok {
		return settingWords(l, setting)
	}
	if item, ok := errors.AsType[*refusedItem](err); ok {
		return cmp.Or(codeWords(l, item.code, item.detail), item.code)
	}
	if none, ok := errors.AsType[*bulk.NoSuchRun](err); ok {
		return l.Textf("there is no import %q", none.ID)
	}
	if running, ok := errors.AsType[*bulk.Running](err); ok {
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
	said := l.Text(text)
	alike := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(said, "…")
	if alike == said {
		return said
	}
	what, _, _ := strings.Cut(alike, ";") // the remedy stands with each place
	return strings.TrimRight(what, "… :")
}

// tokenWords says why there is no access token.
func tokenWords(l lang.Language, e *credentials.Error) string {
	if e.Source == "" {
		return l.Text("no access token: not on standard input, in ATIVA_ACCESS_TOKEN, by command or file, nor stored by a login")
	}
	text := l.Textf("access token from %s", strings.TrimSpace(string(e.Source)+" "+e.Place)) + ": " + l.Text(e.Reason.Text())
	if e.Cause() != nil {
		text += ": " + causeWords(l, e.Cause())
	}
	return text
}

// causeWords says why a source of the access token failed.
func causeWords(l lang.Language, err error) string {
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() >= 0 {
		return l.Textf("the command ended with exit code %d", ended.ExitCode())
	}
	return errorWords(l, err)
}
