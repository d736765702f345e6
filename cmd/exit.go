package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/csvfile"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// The exit codes of the command line; `ativa help exit-codes` explains them.
const (
	exitOK           = 0
	exitError        = 1
	exitUsage        = 2
	exitNotFound     = 3
	exitAuth         = 4
	exitRefused      = 5
	exitInvalidInput = 6
	exitPartial      = 7
	exitPending      = 8
	exitUnavailable  = 9
	exitInterrupted  = 130
	exitTerminated   = 143
)

// failure is an error that a command raises itself, with its exit code, what
// to do next, and whether the same command may succeed later.
type failure struct {
	exit    int
	code    string
	message phrase
	hint    phrase
	err     error
}

// Error is the message in English, and the cause.
func (f *failure) Error() string { return f.in(lang.English) }

func (f *failure) in(l lang.Language) string {
	if f.err != nil {
		return f.message.in(l) + ": " + errorWords(l, f.err)
	}
	return f.message.in(l)
}

func (f *failure) Unwrap() error { return f.err }

func usage(english string, args ...any) *failure {
	return &failure{exit: exitUsage, code: "usage", message: say(english, args...)}
}

func notFound(english string, args ...any) *failure {
	return &failure{exit: exitNotFound, code: "not_found", message: say(english, args...)}
}

// withHint says what to do next.
func (f *failure) withHint(english string, args ...any) *failure {
	f.hint = say(english, args...)
	return f
}

// hinting is withHint for a phrase that another function made.
func (f *failure) hinting(hint phrase) *failure {
	f.hint = hint
	return f
}

// done is the error of a command that has told everything itself and only
// sets the exit code.
type done struct{ exit int }

func (d *done) Error() string { return fmt.Sprintf("exit %d", d.exit) }

// explained is what a person or a script is told about an error.
type explained struct {
	exit    int
	info    render.ErrorInfo // without its message and hint
	message phrase           // empty: the error's own words
	hint    phrase
}

// report tells of an error and returns the exit code: the one place where
// errors become codes. What machines read is English.
func report(w io.Writer, l lang.Language, format string, err error) int {
	if err == nil || render.IsBrokenPipe(err) {
		return exitOK
	}
	if silent, ok := errors.AsType[*done](err); ok {
		return silent.exit
	}
	if format == render.FormatJSON || format == render.FormatJSONL {
		l = lang.English
	}
	x := explain(err)
	x.info.Message, x.info.Hint = x.message.in(l), x.hint.in(l)
	if x.message.isEmpty() {
		x.info.Message = errorWords(l, err)
	}
	x.info.Retryable = x.info.Retryable || x.exit == exitUnavailable
	if render.WriteError(w, format, x.info) != nil {
		return exitError
	}
	return x.exit
}

// explain finds the exit code of an error and the words for it.
func explain(err error) explained {
	told := func(exit int, code string, hint phrase) explained {
		return explained{exit: exit, info: render.ErrorInfo{Code: code}, hint: hint}
	}
	if own, ok := errors.AsType[*failure](err); ok {
		return told(own.exit, own.code, own.hint)
	}
	if errors.Is(err, context.Canceled) {
		return explained{exit: exitInterrupted, info: render.ErrorInfo{Code: "interrupted"}, message: say("interrupted")}
	}
	if refusal, ok := errors.AsType[*client.Error](err); ok {
		return explainRefusal(refusal)
	}
	if _, ok := errors.AsType[*credentials.Error](err); ok {
		return told(exitAuth, "auth", say("run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for"))
	}
	if _, lost := errors.AsType[*client.UnavailableError](err); lost || errors.Is(err, context.DeadlineExceeded) {
		return told(exitUnavailable, "unavailable", say("try again later; `ativa doctor` looks for the cause"))
	}
	if running, ok := errors.AsType[*bulk.Running](err); ok {
		return told(exitUnavailable, "running", say("wait for it, or stop it; `ativa imports show %s` tells how far it is", running.ID))
	}
	if _, ok := errors.AsType[*bulk.NoSuchRun](err); ok {
		return told(exitNotFound, "not_found", say("see `ativa imports list`"))
	}
	if file, ok := errors.AsType[*csvfile.Problem](err); ok {
		return told(exitInvalidInput, file.Code, say("see `ativa help csv`"))
	}
	if _, ok := errors.AsType[*client.OptionError](err); ok {
		return told(exitUsage, "usage", say("`ativa config list` shows what is set, and where that comes from"))
	}
	if _, ok := errors.AsType[*render.OptionError](err); ok {
		return told(exitUsage, "usage", say("see `ativa help formatting`"))
	}
	if _, ok := errors.AsType[*render.QueryError](err); ok {
		return told(exitError, "query_failed", say("what the command prints with -o json is what a filter or template gets; see `ativa help formatting`"))
	}
	if errors.Is(err, syscall.ENOSPC) {
		return told(exitError, "disk_full", say("make room on the disk and run the same command again"))
	}
	return told(exitError, "error", say("`ativa doctor` looks for the cause; --debug shows what is sent"))
}

func explainRefusal(e *client.Error) explained {
	x := explained{exit: exitError, info: render.ErrorInfo{Code: e.Code, HTTPStatus: e.Status, RequestID: e.RequestID, Retryable: e.Retryable}, hint: refusalHint(e.Code)}
	switch e.Kind() {
	case client.KindAuth:
		x.exit, x.hint = exitAuth, say("run `ativa login` again, or check the token; `ativa auth status` shows which is used")
	case client.KindNotFound:
		x.exit = exitNotFound
	case client.KindUnavailable:
		x.exit, x.hint = exitUnavailable, say("try again later")
	case client.KindRefused:
		x.exit = exitRefused
	}
	return x
}
