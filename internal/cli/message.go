package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/credentials"
	"ativa/internal/csvfile"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// Message is a text for a person.
type Message = lang.Message

// Msg makes a message of a literal, so that a test can look whether it is
// translated. Errors among its arguments are put into the person's language, too.
func Msg(english string, args ...any) Message {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = errorArgument{err}
		}
	}
	return lang.Msg(english, args...)
}

// errorArgument is an error as an argument of a message.
type errorArgument struct{ error }

// Text is the error in a language.
func (a errorArgument) Text(l lang.Language) string { return errorText(l, a.error) }

// errorText says an error in a language, as far as it is one of ours.
func errorText(l lang.Language, err error) string {
	several, joined := err.(interface{ Unwrap() []error })
	if joined && errors.Join(several.Unwrap()...).Error() == err.Error() { // and no sentence around them
		texts := Map(several.Unwrap(), func(one error) string { return errorText(l, one) })
		slices.Sort(texts)
		return strings.Join(slices.Compact(texts), "; ")
	}
	if own, ok := errors.AsType[*Failure](err); ok {
		return own.in(l)
	}
	if errors.Is(err, context.Canceled) {
		return l.Text("interrupted")
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return refusalText(l, refused)
	}
	if lost, ok := errors.AsType[*client.UnavailableError](err); ok {
		return unavailableText(l, lost)
	}
	if answer, ok := errors.AsType[*client.UnexpectedResponseError](err); ok {
		return unexpectedText(l, answer)
	}
	if token, ok := errors.AsType[*credentials.Error](err); ok {
		return tokenText(l, token)
	}
	if setting, ok := errors.AsType[*settings.Error](err); ok {
		return setting.Text(l, func(cause error) string { return errorText(l, cause) })
	}
	if option, ok := errors.AsType[*render.OptionError](err); ok {
		return optionText(l, option)
	}
	if query, ok := errors.AsType[*render.QueryError](err); ok { // whose "unexpected EOF" is none of a connection
		return query.Error()
	}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return file.Path + ": " + lang.Cause(file.Err.Error()).Text(l)
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() < 0 {
		return l.Text("another program or the system ended it")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return l.Text("a program that it started goes on")
	}
	if l == lang.English {
		return systemText(l, err)
	}
	return translatedError(l, err)
}

// translatedError says an error whose own words are English in another language.
func translatedError(l lang.Language, err error) string {
	if file, ok := errors.AsType[*csvfile.Problem](err); ok {
		return problemWithPlace(l, file)
	}
	if document, ok := errors.AsType[*cpf.Error](err); ok {
		if text := l.Text(document.Code); text != document.Code {
			return text
		}
		return l.Text(document.Message)
	}
	if setting, ok := errors.AsType[*client.OptionError](err); ok {
		return settingText(l, setting)
	}
	if item, ok := errors.AsType[*RefusedItem](err); ok {
		return cmp.Or(CodeText(l, item.Code, item.Detail), item.Code)
	}
	if told, ok := errors.AsType[templateError](err); ok {
		return templateText(l, told)
	}
	if none, ok := errors.AsType[*bulk.NoSuchRunError](err); ok {
		return l.Textf("there is no import %q", none.ID)
	}
	if other, ok := errors.AsType[*bulk.OtherRunError](err); ok {
		return l.Textf("%s is not as the run %s began with it; nothing was sent", partText(l, other.Part), other.ID)
	}
	if left, ok := errors.AsType[*bulk.LeftOutError](err); ok {
		return l.Textf("the server's answer leaves out line %d", left.Line)
	}
	if running, ok := errors.AsType[*bulk.AlreadyRunningError](err); ok {
		return l.Textf("import %s is running already, in process %d since %s", running.ID, running.PID, running.Since.Local().Format(time.DateTime))
	}
	return systemText(l, err)
}

// partText names what a run is recognised by.
func partText(l lang.Language, part string) string {
	switch part {
	case bulk.PartFile:
		return l.Text("the file")
	case bulk.PartServer:
		return l.Text("the server")
	case bulk.PartContext:
		return l.Text("the context")
	case bulk.PartOptions:
		return l.Text("the options")
	}
	return l.Text("what it keeps beside its journal")
}

// templateError is an error that tells its text and what fills its verbs, so that it can
// be told in another language.
type templateError interface {
	error
	Template() (text string, args []any)
}

// templateText says such an error, and its cause where that has plain words.
func templateText(l lang.Language, e templateError) string {
	text, args := e.Template()
	said := l.Textf(text, args...)
	if err := errors.Unwrap(error(e)); err != nil {
		if why := err.Error(); lang.Cause(why).Text(l) != why {
			said += ": " + lang.Cause(why).Text(l)
		}
	}
	return said
}

// systemText says an error of the system: what the program was about in its own words,
// and why that failed in plain ones.
func systemText(l lang.Language, err error) string {
	text := err.Error()
	at := strings.LastIndex(text, ": ")
	if at < 0 {
		return lang.Cause(text).Text(l)
	}
	why := lang.Cause(text[at+2:])
	if plain := why.Text(l); plain != string(why) {
		return l.Text(text[:at]) + ": " + plain
	}
	return l.Text(text)
}

// problemWithPlace says what is wrong in a file, and where.
func problemWithPlace(l lang.Language, p *csvfile.Problem) string {
	if p.Line == 0 {
		return ProblemText(l, p)
	}
	return PlaceText(l, p) + ": " + ProblemText(l, p)
}

// PlaceText says where in a file something is wrong.
func PlaceText(l lang.Language, p *csvfile.Problem) string {
	switch {
	case p.Column == 0:
		return l.Textf("line %d", p.Line)
	case p.Name == "":
		return l.Textf("line %d, column %d", p.Line, p.Column)
	}
	return l.Textf("line %d, column %d (%s)", p.Line, p.Column, p.Name)
}

// ProblemText says what is wrong, without the place.
func ProblemText(l lang.Language, p *csvfile.Problem) string {
	if p.Refusal != "" {
		return p.Refusal
	}
	said := *p
	said.Args = maps.Clone(p.Args)
	for name, value := range said.Args {
		switch {
		case name == "kind" || name == "delimiter" || name == "found": // also words of ours
			said.Args[name] = l.Text(value)
		case name == "detail" && lang.Has(value):
			said.Args[name] = l.Text(value)
		case name == "detail" && l != lang.English: // a decoder's words
			said.Args[name] = l.Text("a part of it is damaged")
		}
		if meant, is := strings.CutPrefix(value, " (did you mean "); is && name == "suggestion" {
			said.Args[name] = " (" + l.Textf("did you mean %s?", strings.TrimSuffix(meant, "?)")) + ")"
		}
	}
	if text := said.Fill(l.Text(csvfile.Messages()[p.Code])); text != "" {
		return text
	}
	return said.Message()
}

// ProblemKind names problems that are alike: by the words of their code, or
// by their text without what differs.
func ProblemKind(l lang.Language, code string) string {
	text := csvfile.Messages()[code]
	if l == lang.English || !lang.Has(text) {
		return strings.ReplaceAll(code, "_", " ")
	}
	said := l.Text(text)
	alike := regexp.MustCompile(` \(\{[a-z]+\}\)|\{suggestion\}`).ReplaceAllString(said, "")
	alike = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(alike, "…")
	if alike == said {
		return said
	}
	what, _, _ := strings.Cut(alike, ";") // the remedy stands with each place
	return what
}

// tokenText says why there is no access token.
func tokenText(l lang.Language, e *credentials.Error) string {
	if e.Source == "" {
		return l.Text("no access token: not on standard input, in ATIVA_ACCESS_TOKEN, by command or file, nor stored by a login")
	}
	text := l.Textf("access token from %s", strings.TrimSpace(l.Word(string(e.Source))+" "+e.Place)) + ": " + l.Text(e.Reason.Text())
	if e.Cause() != nil {
		text += ": " + causeText(l, e.Cause())
	}
	return text
}

// causeText says why a source of the access token failed.
func causeText(l lang.Language, err error) string {
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() >= 0 {
		return l.Textf("the command ended with exit code %d", ended.ExitCode())
	}
	return errorText(l, err)
}

// ActionWords are the actions that a product allows, in a few words: what can be
// suspended can be reactivated unless the word says so, and change is both ways.
func ActionWords(l lang.Language, can []string) string {
	has := func(action string) bool { return slices.Contains(can, action) }
	to, from := has(api.CanChangeTo), has(api.CanChangeFrom)
	var words []string
	for _, w := range []struct {
		text  string
		shown bool
	}{
		{"activate", has(api.CanActivate)}, {"suspend", has(api.CanSuspend) && has(api.CanReactivate)},
		{"suspend-for-good", has(api.CanSuspend) && !has(api.CanReactivate)}, {"reactivate", !has(api.CanSuspend) && has(api.CanReactivate)},
		{api.CanDeactivate, has(api.CanDeactivate)}, {"change", to && from}, {"change-to", to && !from}, {"change-from", from && !to},
	} {
		if w.shown {
			words = append(words, l.Word(w.text))
		}
	}
	return strings.Join(words, " ")
}

// YesNo is a truth value as a table shows it.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// ProblemText is what is wrong with a row, in the user's language.
func (e *Env) ProblemText(p *csvfile.Problem) string { return ProblemText(e.Lang, p) }
