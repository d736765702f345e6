package cli

import (
	"errors"
	"fmt"
	"io"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/system"
)

// The exit codes of the command line; `ativa help exit-codes` explains them.
const (
	ExitOK           = failure.ExitOK
	ExitError        = failure.ExitError
	ExitUsage        = failure.ExitUsage
	ExitNotFound     = failure.ExitNotFound
	ExitAuth         = failure.ExitAuth
	ExitRefused      = failure.ExitRefused
	ExitInvalidInput = failure.ExitInvalidInput
	ExitPartial      = failure.ExitPartial
	ExitPending      = failure.ExitPending
	ExitUnavailable  = failure.ExitUnavailable
	ExitInterrupted  = failure.ExitInterrupted
	ExitTerminated   = failure.ExitTerminated
)

// ConnectedExits are the exit codes of every command that contacts the server, in the form of
// [ExitCodes].
const ConnectedExits = "3 4 9 130 143"

// Failure is an error that a command raises itself.
type Failure = failure.Failure

// Usage is [failure.Usage].
func Usage(english string, args ...any) *Failure { return failure.Usage(english, args...) }

// NotFound is [failure.NotFound].
func NotFound(english string, args ...any) *Failure { return failure.NotFound(english, args...) }

// SilentExit sets the exit code of a command that has reported everything itself.
type SilentExit struct{ Code int }

func (e *SilentExit) Error() string { return fmt.Sprintf("exit %d", e.Code) }

// Response returns the word response of machine output for a command that ends with err: success
// for exit code 0, partial if something was done, else error.
func Response(err error, done bool) string {
	switch {
	case exitCode(err) == ExitOK:
		return api.ResponseSuccess
	case done:
		return api.ResponsePartial
	}
	return api.ResponseError
}

// exitCode returns the exit code of a command that ends with err.
func exitCode(err error) int {
	if silent, ok := errors.AsType[*SilentExit](err); ok {
		return silent.Code
	}
	if err = reported(err); err == nil {
		return ExitOK
	}
	return failure.OutcomeOf(err).Exit
}

// reported returns the part of an error that is printed: all but a closed pipe and a [SilentExit].
func reported(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []error
		for _, part := range several.Unwrap() {
			parts = append(parts, reported(part))
		}
		return errors.Join(parts...)
	}
	if _, silent := errors.AsType[*SilentExit](err); silent || system.IsBrokenPipe(err) {
		return nil
	}
	return err
}

// Report writes an error and returns the exit code: the one place where errors become codes.
// Machine formats are in English.
func Report(w io.Writer, l lang.Language, format string, err error) int {
	exit := exitCode(err)
	if err = reported(err); err == nil {
		return exit
	}
	if hasErrorObjects(format) {
		l = lang.English
	}
	o := failure.OutcomeOf(err)
	info := render.ErrorInfo{Code: o.Code, Message: failure.Text(l, err), Hint: api.NullableString(o.Hint.Text(l)), Retryable: exit == ExitUnavailable}
	if answer, ok := errors.AsType[*client.Error](err); ok && answer.Code == o.Code {
		info.HTTPStatus, info.RequestID = api.NullableInt(answer.Status), api.NullableString(answer.RequestID)
		info.Retryable = info.Retryable || answer.Retryable
	}
	_ = render.WriteError(w, format, info) // the exit code is all that is left to say it
	return exit
}

// HasErrorObjects reports whether errors are printed as JSON objects, for programs.
func (e *Env) HasErrorObjects() bool { return hasErrorObjects(e.Global.Output.Format) }

func hasErrorObjects(format string) bool {
	return format == render.FormatJSON || format == render.FormatJSONL
}

// AboutSubscriber sets how the hint of a refusal names the subscriber, see [Env.InHint].
func (e *Env) AboutSubscriber(err error, document string) error {
	if refusal, ok := errors.AsType[*client.Error](err); ok {
		refusal.Document = e.InHint(document)
	}
	return err
}
