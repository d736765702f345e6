package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/csvfile"
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
	message string
	hint    string
	err     error
}

func (f *failure) Error() string {
	if f.err != nil {
		return f.message + ": " + f.err.Error()
	}
	return f.message
}

func (f *failure) Unwrap() error { return f.err }

func usage(format string, args ...any) *failure {
	return &failure{exit: exitUsage, code: "usage", message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *failure {
	return &failure{exit: exitNotFound, code: "not_found", message: fmt.Sprintf(format, args...)}
}

func (f *failure) withHint(hint string) *failure {
	f.hint = hint
	return f
}

// done is the error of a command that has told everything itself and only
// sets the exit code.
type done struct{ exit int }

func (d *done) Error() string { return fmt.Sprintf("exit %d", d.exit) }

// report tells of an error and returns the exit code: the one place where
// errors become codes.
func report(w io.Writer, format string, err error) int {
	var silent *done
	switch {
	case err == nil, render.IsBrokenPipe(err):
		return exitOK
	case errors.As(err, &silent):
		return silent.exit
	}
	exit, info := explain(err)
	info.Retryable = info.Retryable || exit == exitUnavailable
	if render.Error(w, format, info) != nil {
		return exitError
	}
	return exit
}

// explain finds the exit code of an error and the words for it.
func explain(err error) (int, render.ErrorInfo) {
	info := render.ErrorInfo{Code: "error", Message: err.Error()}
	var own *failure
	var refusal *client.Error
	var lost *client.Unavailable
	var token *credentials.Error
	var file *csvfile.Problem
	var running *bulk.Running
	var noRun *bulk.NoSuchRun
	var clientOption *client.OptionError
	var outputOption *render.OptionError
	switch {
	case errors.As(err, &own):
		info.Code, info.Hint = own.code, own.hint
		return own.exit, info
	case errors.Is(err, context.Canceled):
		info.Code, info.Message = "interrupted", "interrupted"
		return exitInterrupted, info
	case errors.As(err, &refusal):
		return explainRefusal(err, refusal)
	case errors.As(err, &token):
		info.Code, info.Hint = "auth", "run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for"
		return exitAuth, info
	case errors.As(err, &lost), errors.Is(err, context.DeadlineExceeded):
		info.Code, info.Hint = "unavailable", "try again later; `ativa doctor` looks for the cause"
		return exitUnavailable, info
	case errors.As(err, &running):
		info.Code, info.Hint = "running", "wait for it, or stop it; `ativa imports show "+running.ID+"` tells how far it is"
		return exitUnavailable, info
	case errors.As(err, &noRun):
		info.Code, info.Hint = "not_found", "see `ativa imports list`"
		return exitNotFound, info
	case errors.As(err, &file):
		info.Code = file.Code
		return exitInvalidInput, info
	case errors.As(err, &clientOption), errors.As(err, &outputOption):
		info.Code = "usage"
		return exitUsage, info
	}
	return exitError, info
}

func explainRefusal(err error, e *client.Error) (int, render.ErrorInfo) {
	info := render.ErrorInfo{Code: e.Code, Message: err.Error(), HTTPStatus: e.Status, RequestID: e.RequestID, Retryable: e.Retryable}
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		info.Hint = "run `ativa login` again, or check the token; `ativa auth status` shows which is used"
		return exitAuth, info
	case e.Status == http.StatusNotFound:
		return exitNotFound, info
	case e.Status == http.StatusTooManyRequests, e.Status >= http.StatusInternalServerError, e.Status == http.StatusRequestTimeout:
		info.Hint = "try again later"
		return exitUnavailable, info
	case e.Status >= http.StatusBadRequest:
		return exitRefused, info
	}
	return exitError, info
}
