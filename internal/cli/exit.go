package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/csvfile"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
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

// Failure is an error that a command raises itself, with its exit code, what
// to do next, and whether the same command may succeed later.
type Failure struct {
	Exit    int
	Code    string
	Message Message
	Hint    Message
	Err     error
}

// Error is the message in English, and the cause.
func (f *Failure) Error() string { return f.in(lang.English) }

func (f *Failure) in(l lang.Language) string {
	if f.Err != nil {
		return f.Message.Text(l) + ": " + errorText(l, f.Err)
	}
	return f.Message.Text(l)
}

func (f *Failure) Unwrap() error { return f.Err }

// Usage is an error in what was typed, exit code 2. Nothing was sent.
func Usage(english string, args ...any) *Failure {
	return &Failure{Exit: ExitUsage, Code: "usage", Message: Msg(english, args...)}
}

// NotFound is the error of a document, product or context that does not exist,
// exit code 3.
func NotFound(english string, args ...any) *Failure {
	return &Failure{Exit: ExitNotFound, Code: "not_found", Message: Msg(english, args...)}
}

// WithHint says what to do next.
func (f *Failure) WithHint(english string, args ...any) *Failure {
	f.Hint = Msg(english, args...)
	return f
}

// SilentExit is the error of a command that has told everything itself and only
// sets the exit code.
type SilentExit struct{ Code int }

func (e *SilentExit) Error() string { return fmt.Sprintf("exit %d", e.Code) }

// diagnosis is what a person or a script is told about an error.
type diagnosis struct {
	Exit    int
	info    render.ErrorInfo // without its message and hint
	message Message          // empty: the error's own words
	Hint    Message
}

// Response is the word response of machine output for a command that ends with err:
// success with exit code 0 alone, partial when something was done, else error.
func Response(err error, done bool) string {
	switch exit := exitCode(err); {
	case exit == ExitOK:
		return api.ResponseSuccess
	case done || exit == ExitPartial:
		return api.ResponsePartial
	}
	return api.ResponseError
}

// exitCode is the exit code of a command that ends with err.
func exitCode(err error) int {
	if err == nil || system.IsBrokenPipe(err) {
		return ExitOK
	}
	if silent, ok := errors.AsType[*SilentExit](err); ok {
		return silent.Code
	}
	return Diagnose(err).Exit
}

// Report tells of an error and returns the exit code: the one place where
// errors become codes. What machines read is English.
func Report(w io.Writer, l lang.Language, format string, err error) int {
	_, silent := errors.AsType[*SilentExit](err)
	if exit := exitCode(err); silent || exit == ExitOK {
		return exit
	}
	if format == render.FormatJSON || format == render.FormatJSONL {
		l = lang.English
	}
	x := Diagnose(err)
	x.info.Message, x.info.Hint = x.message.Text(l), api.NullableString(x.Hint.Text(l))
	if x.message.IsEmpty() {
		x.info.Message = errorText(l, err)
	}
	x.info.Retryable = x.info.Retryable || x.Exit == ExitUnavailable
	if render.WriteError(w, format, x.info) != nil {
		return ExitError
	}
	return x.Exit
}

// Diagnose finds the exit code of an error and the words for it.
func Diagnose(err error) diagnosis {
	told := func(exit int, code string, hint Message) diagnosis {
		return diagnosis{Exit: exit, info: render.ErrorInfo{Code: code}, Hint: hint}
	}
	if own, ok := errors.AsType[*Failure](err); ok {
		return told(own.Exit, own.Code, own.Hint)
	}
	if errors.Is(err, context.Canceled) {
		return diagnosis{Exit: ExitInterrupted, info: render.ErrorInfo{Code: "interrupted"}, message: Msg("interrupted")}
	}
	if refusal, ok := errors.AsType[*client.Error](err); ok {
		document := ""
		if about, ok := errors.AsType[*aboutSubscriber](err); ok {
			document = about.document
		}
		return explainRefusal(refusal, document)
	}
	if token, ok := errors.AsType[*credentials.Error](err); ok {
		if token.Source == credentials.FromKeyring && token.Reason != credentials.NotFound {
			return told(ExitAuth, "auth", Msg("unlock or start it, or keep the token in a file: ativa login --storage file"))
		}
		return told(ExitAuth, "auth", Msg("run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for"))
	}
	if setting, ok := errors.AsType[*settings.Error](err); ok && setting.Code != settings.CodeWrite {
		return diagnoseSetting(setting)
	}
	if client.IsUntrusted(err) {
		return told(ExitAuth, "untrusted_certificate", Msg("if the authority is your own, trust it: --ca-cert FILE, or the key ca_cert; otherwise send nothing there, and run `ativa doctor`"))
	}
	if errors.Is(err, client.ErrWebPage) {
		return told(ExitUnavailable, client.CodeWebPage, foreignHint(client.CodeWebPage))
	}
	if _, ok := errors.AsType[*client.ProxyError](err); ok {
		return told(ExitUnavailable, "proxy", foreignHint(client.CodeProxyAuth))
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		return told(ExitUnavailable, "unavailable", Msg("check the address of the server, which `ativa config list` shows with its origin, and the network of this machine; `ativa doctor` looks for the cause"))
	}
	if _, lost := errors.AsType[*client.UnavailableError](err); lost || errors.Is(err, context.DeadlineExceeded) {
		return told(ExitUnavailable, "unavailable", Msg("try again later; `ativa doctor` looks for the cause"))
	}
	if running, ok := errors.AsType[*bulk.AlreadyRunningError](err); ok {
		return told(ExitUnavailable, "running", Msg("wait for it, or stop it; `ativa imports show %s` tells how far it is", running.ID))
	}
	if other, ok := errors.AsType[*bulk.OtherRunError](err); ok {
		return told(ExitInvalidInput, "other_run", Msg("give it back what it began with, or give it up: ativa imports purge %s", other.ID))
	}
	if _, ok := errors.AsType[*bulk.NoSuchRunError](err); ok {
		return told(ExitNotFound, "not_found", Msg("see `ativa imports list`"))
	}
	if file, ok := errors.AsType[*csvfile.Problem](err); ok {
		return told(ExitInvalidInput, file.Code, Msg("see `ativa help csv`"))
	}
	if _, ok := errors.AsType[*client.OptionError](err); ok {
		return told(ExitUsage, "usage", Msg("`ativa config list` shows what is set, and where that comes from"))
	}
	if _, ok := errors.AsType[*render.OptionError](err); ok {
		return told(ExitUsage, "usage", Msg("see `ativa help formatting`"))
	}
	if _, ok := errors.AsType[*render.QueryError](err); ok {
		return told(ExitError, "query_failed", Msg("what the command prints with -o json is what a filter or template gets; see `ativa help formatting`"))
	}
	if system.IsFileInUse(err) {
		return told(ExitUnavailable, "file_in_use", Msg("close the program that has the file open, such as Excel, and run the same command again"))
	}
	if system.IsDiskFull(err) {
		return told(ExitError, "disk_full", Msg("make room on the disk and run the same command again"))
	}
	if system.IsForbidden(err) {
		return told(ExitError, "not_permitted", Msg("let this user read or write there, or choose another place: --report-dir is that of reports, and `ativa help environment` names the others"))
	}
	return told(ExitError, "error", Msg("`ativa doctor` looks for the cause; --debug shows what is sent"))
}

// HintOfStop is what to do about the error that stopped a run of many requests: again,
// after what the error itself asks for if that is another token.
func HintOfStop(err error, again Message) Message {
	if e, ok := errors.AsType[*client.Error](err); ok && e.MissingScope() != "" {
		return Msg("%s; then %s", scopeHint(e), again)
	}
	return again
}

func diagnoseSetting(e *settings.Error) diagnosis {
	x := diagnosis{Exit: ExitUsage, info: render.ErrorInfo{Code: "usage"}, Hint: settingsHint(e)}
	switch e.Code {
	case settings.CodeFile:
		x.info.Code = "config"
	case settings.CodeUnknownContext:
		x.Exit, x.info.Code = ExitNotFound, "not_found"
	case settings.CodeLocked:
		x.Exit, x.info.Code = ExitUnavailable, "locked"
	}
	return x
}

// aboutSubscriber is an error of a command about one subscriber, with the document as
// a hint names it.
type aboutSubscriber struct {
	error
	document string
}

func (a *aboutSubscriber) Unwrap() error { return a.error }

// AboutSubscriber lets the hint of an error name the subscriber, see [Env.InHint].
func (e *Env) AboutSubscriber(err error, document string) error {
	if err == nil {
		return nil
	}
	return &aboutSubscriber{err, e.InHint(document)}
}

// foreignHint is what to do about an answer that does not come from the server.
func foreignHint(code string) Message {
	switch code {
	case client.CodeRedirect:
		return Msg("where the server itself has moved there: `ativa config set server URL`, or --server; otherwise sign in to the network, or ask whoever runs it")
	case client.CodeWebPage:
		return Msg("open the address of the server in a browser; `ativa config list` shows where the address and a proxy are set")
	case client.CodeProxyAuth:
		return Msg("the proxy is set by --proxy, the key proxy or HTTPS_PROXY, as in http://USER:PASSWORD@HOST:PORT; `ativa config list` shows where")
	}
	return Message{}
}

func explainRefusal(e *client.Error, document string) diagnosis {
	x := diagnosis{Exit: ExitError, info: render.ErrorInfo{Code: e.Code, HTTPStatus: api.NullableInt(e.Status), RequestID: api.NullableString(e.RequestID), Retryable: e.Retryable}, Hint: RefusalHint(e.Code, document)}
	switch e.Kind() {
	case client.KindAuth:
		x.Exit, x.Hint = ExitAuth, Msg("run `ativa login` again, or check the token; `ativa auth status` shows which is used")
		if e.MissingScope() != "" {
			x.Hint = scopeHint(e)
		}
	case client.KindNotFound:
		x.Exit = ExitNotFound
	case client.KindUnavailable:
		x.Exit = ExitUnavailable
		if x.Hint = foreignHint(e.Code); x.Hint.IsEmpty() {
			x.Hint = Msg("try again later")
		}
	case client.KindRefused:
		x.Exit = ExitRefused
	}
	return x
}
