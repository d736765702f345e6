// Package failure gives each error a message in the user's language, an exit code, a code
// for scripts and a hint. Our own errors carry these; for errors of the system and of
// libraries this package decides them. It refuses to know how errors are printed.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"

	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// The exit codes of the command line; `ativa help exit-codes` explains them.
const (
	ExitOK           = 0
	ExitError        = 1
	ExitUsage        = 2
	ExitNotFound     = 3
	ExitAuth         = 4
	ExitRefused      = 5
	ExitInvalidInput = 6
	ExitPartial      = 7
	ExitPending      = 8
	ExitUnavailable  = 9
	ExitInterrupted  = 130
	ExitTerminated   = 143
)

// Outcome is how a command ends with an error, and what a person may do about it.
type Outcome struct {
	Exit int
	Code string // stable, for scripts
	Hint lang.Message
}

// Error is an error that a person may see.
type Error interface {
	error
	// Text is the error in a language; Error is for logs.
	Text(lang.Language) string
	Outcome() Outcome
}

// Failure is an error with its own message and outcome.
type Failure struct {
	Exit    int
	Code    string
	Message lang.Message
	Hint    lang.Message
	Err     error
}

// Error returns the message in English, and the cause.
func (f *Failure) Error() string { return f.Text(lang.English) }

// Text returns the message, and the cause, in a language.
func (f *Failure) Text(l lang.Language) string {
	if f.Err != nil {
		return f.Message.Text(l) + ": " + Text(l, f.Err)
	}
	return f.Message.Text(l)
}

// Outcome returns the outcome chosen where the error was raised.
func (f *Failure) Outcome() Outcome { return Outcome{Exit: f.Exit, Code: f.Code, Hint: f.Hint} }

func (f *Failure) Unwrap() error { return f.Err }

// Usage returns an error about what was typed, exit code 2. Nothing was sent.
func Usage(english string, args ...any) *Failure {
	return &Failure{Exit: ExitUsage, Code: "usage", Message: Msg(english, args...)}
}

// NotFound returns the error for a document, product or context that does not exist, exit code 3.
func NotFound(english string, args ...any) *Failure {
	return &Failure{Exit: ExitNotFound, Code: "not_found", Message: Msg(english, args...)}
}

// WithHint sets what to do next and returns f.
func (f *Failure) WithHint(english string, args ...any) *Failure {
	f.Hint = Msg(english, args...)
	return f
}

// Interrupted returns the outcome of a command that was interrupted.
func Interrupted() Outcome { return Outcome{Exit: ExitInterrupted, Code: "interrupted"} }

// OutcomeOf returns the outcome of the outermost [Error] in the chain, else that of a system
// error.
func OutcomeOf(err error) Outcome {
	if ours, ok := errors.AsType[Error](err); ok {
		return ours.Outcome()
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		return Outcome{ExitUnavailable, "unavailable", lang.Msg("check the address of the server, which `ativa config list` shows with its origin, and the network of this machine; `ativa doctor` looks for the cause")}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Interrupted()
	case errors.Is(err, context.DeadlineExceeded):
		return Outcome{ExitUnavailable, "unavailable", lang.Msg("try again later; `ativa doctor` looks for the cause")}
	case system.IsFileInUse(err):
		return Outcome{ExitUnavailable, "file_in_use", lang.Msg("close the program that has the file open, such as Excel, and run the same command again")}
	case system.IsDiskFull(err) && isOutput(err):
		return Outcome{ExitError, "disk_full", lang.Msg("make room on the disk; what the command changed is done, only its output is not whole")}
	case system.IsDiskFull(err):
		return Outcome{ExitError, "disk_full", lang.Msg("make room on the disk and run the same command again")}
	case system.IsForbidden(err):
		return Outcome{ExitError, "not_permitted", lang.Msg("let this user read or write there, or choose another place: --report-dir is that of reports, and `ativa help environment` names the others")}
	}
	return Outcome{ExitError, "error", lang.Msg("`ativa doctor` looks for the cause; --debug shows each request")}
}

// isOutput reports whether standard output could not be written, after all that the command did.
func isOutput(err error) bool {
	file, ok := errors.AsType[*fs.PathError](err)
	return ok && file.Path == os.Stdout.Name()
}

// Text returns an error in a language, if it is one of ours or of the system.
func Text(l lang.Language, err error) string {
	several, joined := err.(interface{ Unwrap() []error })
	if joined && errors.Join(several.Unwrap()...).Error() == err.Error() { // without words around them
		var texts []string
		for _, one := range several.Unwrap() {
			texts = append(texts, Text(l, one))
		}
		slices.Sort(texts)
		return strings.Join(slices.Compact(texts), "; ")
	}
	if ours, ok := errors.AsType[Error](err); ok {
		return ours.Text(l)
	}
	if errors.Is(err, context.Canceled) {
		return l.Text("interrupted")
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
	if document, ok := errors.AsType[*cpf.Error](err); ok && l != lang.English {
		return lang.Refusal{Code: document.Code, Detail: document.Message}.Text(l)
	}
	if format, ok := errors.AsType[formatted](err); ok {
		return formattedText(l, format)
	}
	return systemText(l, err)
}

// Msg returns a message whose error arguments are translated with it.
func Msg(english string, args ...any) lang.Message {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = Argument{Err: err}
		}
	}
	return lang.Msg(english, args...)
}

// Argument is an error as an argument of a message, translated with the message.
type Argument struct{ Err error }

// Text returns the error in a language.
func (a Argument) Text(l lang.Language) string { return Text(l, a.Err) }

// formatted is an error of the service, which has no languages: it returns its text and the
// arguments of its verbs.
type formatted interface {
	error
	Template() (text string, args []any)
}

// formattedText returns the text of a formatted error, and its cause if that has a translation.
func formattedText(l lang.Language, e formatted) string {
	text, args := e.Template()
	text = l.Textf(text, args...)
	if err := errors.Unwrap(error(e)); err != nil {
		why := err.Error()
		if plain := lang.Cause(why).Text(l); plain != why || lang.Has(why) {
			text += ": " + plain
		}
	}
	return text
}

// systemText translates a system error: the program's action in its own words, and the cause in plain
// ones.
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
