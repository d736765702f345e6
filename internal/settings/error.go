package settings

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Code identifies a kind of error.
type Code string

// The codes of errors.
const (
	CodeFile           Code = "config"          // a file cannot be read, or a line of it is wrong
	CodeWrite          Code = "write"           // a file cannot be written
	CodeValue          Code = "wrong_value"     // a flag or variable has a value that the key does not accept
	CodeUnknownKey     Code = "unknown_key"     // the key does not exist
	CodeUnknownContext Code = "unknown_context" // the context does not exist
	CodeLocked         Code = "locked"          // another command is changing the file
)

// Error says why something cannot be read or set.
type Error struct {
	Code    Code
	Path    string // of the file; empty if there is none
	Line    int    // in the file, from 1; 0 if no line is at fault
	Message lang.Message
	Typed   string   // a word that does not exist
	Known   []string // the words that do
	Err     error
}

// Error returns [Error.Text] in English.
func (e *Error) Error() string { return e.Text(lang.English) }

// Text returns the message, with the place before it and the cause after it.
func (e *Error) Text(l lang.Language) string {
	var parts []string
	if e.Path != "" {
		parts = append(parts, l.Textf("configuration file %s", e.Path))
	}
	if e.Line > 0 {
		parts = append(parts, l.Textf("line %d", e.Line))
	}
	if !e.Message.IsEmpty() {
		parts = append(parts, e.Message.Text(l))
	}
	if e.Err != nil {
		parts = append(parts, failure.Text(l, e.Err))
	}
	return strings.Join(parts, ": ")
}

// Outcome is that of a wrong setting; if a file cannot be written, that of the cause.
func (e *Error) Outcome() failure.Outcome {
	if e.Code == CodeWrite {
		return failure.OutcomeOf(e.Err)
	}
	o := failure.Outcome{Exit: failure.ExitUsage, Code: "usage", Hint: lang.Msg("fix that line with an editor")}
	switch e.Code {
	case CodeFile:
		o.Code = "config"
	case CodeUnknownContext:
		o.Exit, o.Code = failure.ExitNotFound, "not_found"
	case CodeLocked:
		return failure.Outcome{Exit: failure.ExitUnavailable, Code: "locked", Hint: lang.Msg("try again later")}
	}
	_, unreadable := errors.AsType[syscall.Errno](e.Err)
	switch {
	case e.Code == CodeUnknownContext && len(e.Known) == 0:
		o.Hint = lang.Msg("add it: ativa context add %s --server URL", e.Typed)
	case e.Typed != "":
		o.Hint = failure.DidYouMean(e.Typed, e.Known)
	case e.Code == CodeValue:
		o.Hint = lang.Msg("see `ativa help environment`")
	case unreadable:
		o.Hint = lang.Msg("name a file that exists and may be read")
	}
	return o
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrongLine returns the error for a line of a file. The caller adds the path.
func wrongLine(line int, m lang.Message) *Error {
	return &Error{Code: CodeFile, Line: line, Message: m}
}

// inFile adds the path of the file to an error.
func inFile(path string, err error) error {
	wrong, ok := errors.AsType[*Error](err)
	if !ok {
		wrong = &Error{Code: CodeFile, Err: err}
	}
	wrong.Path = path
	return wrong
}

func notWritten(path string, err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == path {
		err = wrong.Err // the error names the path already
	}
	return &Error{Code: CodeWrite, Path: path, Err: err}
}
