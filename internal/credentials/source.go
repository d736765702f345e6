// Package credentials finds the access token and keeps the bearer token.
//
// It decides the order of the sources of an access token, which of them are trusted, how
// long to wait for a keyring, and when a bearer token is usable. It refuses to know the
// exchange for a bearer token: the caller passes a function. No error and no attempt
// contains a token.
package credentials

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Source is a possible source of an access token.
type Source string

// The sources, in the order of use.
const (
	FromStdin       Source = "stdin"
	FromEnvironment Source = "environment"
	FromCommand     Source = "token_command"
	FromFile        Source = "token_file"
	FromKeyring     Source = "keyring"
	FromFileStorage Source = "stored_file"
)

// Reason is why a source was used or not.
type Reason string

// The reasons.
const (
	Used             Reason = "used"               // it has the token
	NotReached       Reason = "not_reached"        // an earlier source has the token, or failed
	NotSet           Reason = "not_set"            // it is not configured
	NotFound         Reason = "not_found"          // it has no token
	OtherStorage     Reason = "other_storage"      // login has chosen the other storage
	NoSessionBus     Reason = "no_session_bus"     // there is no session bus, so the keyring was not called
	TimedOut         Reason = "timed_out"          // it did not respond in time
	Unavailable      Reason = "unavailable"        // it could not be read, for example a locked keyring
	ReadableByOthers Reason = "readable_by_others" // other users can read the file, so it is not a secret
	Malformed        Reason = "malformed"          // its content cannot be a token
)

// Attempt is the result of one source.
type Attempt struct {
	Source Source
	Reason Reason
	// Place is the variable, the path or the account. It is empty for a
	// command, which may contain a secret.
	Place string
	// Err is the cause of a failure, or nil.
	Err error
}

// Error is the reason why there is no access token. Source is empty if none of
// the sources has one.
type Error Attempt

// Error returns the source, its place, the reason and the cause.
func (e *Error) Error() string { return e.Text(lang.English) }

// Text explains the missing access token.
func (e *Error) Text(l lang.Language) string {
	if errors.Is(e.Err, context.Canceled) {
		return l.Text("interrupted")
	}
	if e.Source == "" {
		return l.Text("no access token: none on standard input, in ATIVA_ACCESS_TOKEN, from a command or file, or stored by a login")
	}
	text := l.Textf("access token from %s", strings.TrimSpace(l.Word(string(e.Source))+" "+e.Place)) + ": " + l.Text(e.Reason.Text())
	cause := e.Cause()
	if ended, ok := errors.AsType[*exec.ExitError](cause); ok && ended.Exited() {
		return text + ": " + l.Textf("the command ended with exit code %d", ended.ExitCode())
	}
	if cause != nil {
		text += ": " + failure.Text(l, cause)
	}
	return text
}

// Outcome is the outcome of a command without a token.
func (e *Error) Outcome() failure.Outcome {
	o := failure.Outcome{Exit: failure.ExitAuth, Code: "auth", Hint: lang.Msg("run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for")}
	switch {
	case errors.Is(e.Err, context.Canceled):
		return failure.Interrupted()
	case e.Source == FromKeyring && e.Reason != NotFound:
		o.Hint = lang.Msg("unlock or start it, or keep the token in a file: ativa login --storage file")
	}
	return o
}

// Cause returns the cause, or nil if it only repeats the reason.
func (e *Error) Cause() error {
	inner, same := errors.AsType[*Error](e.Err)
	if e.Err == nil || same && inner.Reason == e.Reason || e.Reason == NotFound && errors.Is(e.Err, fs.ErrNotExist) {
		return nil
	}
	return e.Err
}

func (e *Error) Unwrap() error { return e.Err }

// Text returns the reason as a phrase.
func (r Reason) Text() string {
	return cmp.Or(map[Reason]string{
		NotFound:         "there is none",
		NoSessionBus:     "no session bus, so no keyring",
		TimedOut:         "no answer in time",
		ReadableByOthers: "other users can read it",
		Malformed:        "its content is not an access token",
		Unavailable:      "it could not be read",
	}[r], string(r))
}

// Token is an access token with its source and the place there, as in an [Attempt].
type Token struct {
	Value  string
	Source Source
	Place  string
}

// refusedError is the server's refusal of an access token. Its text is the server's; its hint names the
// token's source.
type refusedError struct {
	from Token
	err  error
}

func (e *refusedError) Error() string { return e.err.Error() }

// Text returns the refusal.
func (e *refusedError) Text(l lang.Language) string { return failure.Text(l, e.err) }

func (e *refusedError) Unwrap() error { return e.err }

// Outcome returns the server's outcome with a remedy for the token's source.
func (e *refusedError) Outcome() failure.Outcome {
	o := failure.OutcomeOf(e.err)
	switch e.from.Source {
	case FromStdin:
		o.Hint = lang.Msg("the token came from standard input: give a valid one there")
	case FromEnvironment:
		o.Hint = lang.Msg("the token came from %s: set a valid one there, or unset it to use the token of `ativa login`", e.from.Place)
	case FromCommand:
		o.Hint = lang.Msg("the token came from token_command: make it print a valid one")
	case FromFile:
		o.Hint = lang.Msg("the token came from the file %s: put a valid one there", e.from.Place)
	}
	return o
}

// Names in the environment.
const (
	TokenVariable     = "ATIVA_ACCESS_TOKEN"    // holds the access token itself
	DirectoryVariable = "CREDENTIALS_DIRECTORY" // is the directory of a service's systemd credentials
	DirectoryFile     = "ativa_access_token"    // is the name of the credential in that directory
)

// Account identifies a stored token. A token is only sent to the server that it was
// stored for.
type Account struct {
	Server  string
	Context string
}

// The storages in which login keeps a token. An empty one means a context without a login, for which
// only the keyring is used.
const (
	StorageKeyring = "keyring"
	StorageFile    = "file"
)

// Sources configures the sources. A zero field is an unset source.
type Sources struct {
	Account        Account
	Stdin          io.Reader           // read if the user chose --token-stdin
	Getenv         func(string) string // looks up the environment
	Command        string              // a shell command that prints the token
	CommandTimeout time.Duration       // limits the command; 30 s if zero
	CommandErr     io.Writer           // receives the command's standard error
	File           string              // the path of a file that contains only the token
	FileFirst      bool                // from a flag: comes before all but Stdin
	Storage        string              // the storage that login has chosen
	Keyring        *Keyring
	FileStorage    *FileStorage
}

// Resolve tries the sources in order until one has a token. It returns an attempt for
// every source. If a configured source fails, Resolve returns its *Error, because a later
// source may have another account's token.
func Resolve(ctx context.Context, s Sources) (Token, []Attempt, error) {
	var attempts []Attempt
	var found Token
	var failed *Error
	for _, source := range s.order() {
		if found.Value != "" || failed != nil {
			attempts = append(attempts, Attempt{Source: source, Reason: NotReached})
			continue
		}
		value, place, reason, err := s.lookUp(ctx, source)
		if value != "" && !isToken(value) {
			value, reason, err = "", Malformed, errNoToken
		}
		at := Attempt{Source: source, Reason: reason, Place: place, Err: err}
		switch {
		case err != nil:
			failed = (*Error)(&at)
		case value != "":
			at.Reason = Used
			found = Token{Value: value, Source: source, Place: place}
		}
		attempts = append(attempts, at)
	}
	if failed != nil {
		return Token{}, attempts, failed
	}
	if found.Value == "" {
		return Token{}, attempts, &Error{Reason: NotFound}
	}
	return found, attempts, nil
}

// BeforeStored returns the place of the token that takes precedence over a stored one: a variable, a
// path or "token_command"; empty if there is none. It ignores --token-stdin and --token-file, which
// apply to one command only, and does not run the token command.
func (s Sources) BeforeStored() string {
	if s.getenv(TokenVariable) != "" {
		return TokenVariable
	}
	if s.Command != "" {
		return string(FromCommand)
	}
	if s.FileFirst {
		s.File = ""
	}
	token, place, _, err := s.fromFile()
	if token == "" && err == nil {
		return ""
	}
	return place
}

func (s Sources) order() []Source {
	if s.FileFirst {
		return []Source{FromStdin, FromFile, FromEnvironment, FromCommand, FromKeyring, FromFileStorage}
	}
	return []Source{FromStdin, FromEnvironment, FromCommand, FromFile, FromKeyring, FromFileStorage}
}
