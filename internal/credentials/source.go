package credentials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Source is a place where an access token can come from.
type Source string

// The sources, in the order in which they are asked.
const (
	FromStdin       Source = "stdin"
	FromEnvironment Source = "environment"
	FromCommand     Source = "token_command"
	FromFile        Source = "token_file"
	FromKeyring     Source = "keyring"
	FromFileStorage Source = "stored_file"
)

// Reason says what became of a source.
type Reason string

// The reasons.
const (
	// Used: the token comes from here.
	Used Reason = "used"
	// NotReached: a source before it gave the token.
	NotReached Reason = "not_reached"
	// NotSet: nothing names this source.
	NotSet Reason = "not_set"
	// NotFound: it was asked and has no token.
	NotFound Reason = "not_found"
	// OtherStorage: login has pinned the other storage.
	OtherStorage Reason = "other_storage"
	// NoSessionBus: there is no session bus, so the keyring was not called.
	NoSessionBus Reason = "no_session_bus"
	// TimedOut: it gave no answer in time.
	TimedOut Reason = "timed_out"
	// Unavailable: it could not be asked, as when a keyring is locked.
	Unavailable Reason = "unavailable"
	// ReadableByOthers: other users can read the file, so it is not a secret.
	ReadableByOthers Reason = "readable_by_others"
	// OtherServer: the token belongs to another server.
	OtherServer Reason = "other_server"
	// Malformed: what was found cannot be a token.
	Malformed Reason = "malformed"
)

// Attempt is what became of one source.
type Attempt struct {
	Source Source
	Reason Reason
	// Place is the variable, the path or the account that was looked at. A
	// command is not repeated: it may hold a secret.
	Place string
	// Err is the cause of a failure, and nil otherwise.
	Err error
}

// Error tells why there is no access token. Source is empty when none of the
// sources has one.
type Error Attempt

// Error names the source, its place, the reason and the cause.
func (e *Error) Error() string {
	if e.Source == "" {
		return "no access token: not on standard input, in " + TokenVariable + ", by command or file, nor stored by a login"
	}
	text := fmt.Sprintf("access token from %s", e.Source)
	if e.Place != "" {
		text += " " + e.Place
	}
	text += ": " + e.Reason.Text()
	if cause := e.Cause(); cause != nil {
		text += ": " + cause.Error()
	}
	return text
}

// Cause is the cause as far as it says more than the reason; else nil.
func (e *Error) Cause() error {
	inner, same := errors.AsType[*Error](e.Err)
	if e.Err == nil || same && inner.Reason == e.Reason || e.Reason == NotFound && errors.Is(e.Err, fs.ErrNotExist) {
		return nil
	}
	return e.Err
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Text is the reason in words.
func (r Reason) Text() string {
	switch r {
	case NotFound:
		return "there is none"
	case NoSessionBus:
		return "no session bus, so no keyring"
	case TimedOut:
		return "no answer in time"
	case ReadableByOthers:
		return "other users can read it; chmod 600 mends that"
	case OtherServer:
		return "it belongs to another server"
	case Malformed:
		return "what is there is not an access token"
	case Unavailable:
		return "it could not be read"
	}
	return string(r)
}

// Token is an access token and where it came from.
type Token struct {
	Value  string
	Source Source
}

// Names in the environment.
const (
	// TokenVariable holds the access token itself.
	TokenVariable = "ATIVA_ACCESS_TOKEN"
	// DirectoryVariable is where systemd puts the credentials of a service.
	DirectoryVariable = "CREDENTIALS_DIRECTORY"
	// DirectoryFile is the name of the credential in that directory.
	DirectoryFile = "ativa_access_token"
)

// Account is what a stored token belongs to. A token is never sent to another
// server than the one it was stored for.
type Account struct {
	Server  string
	Context string
}

// Storage is where login keeps a token.
type Storage string

// The storages. The empty one stands for a context without a login; then only
// the keyring is asked.
const (
	StorageKeyring Storage = "keyring"
	StorageFile    Storage = "file"
)

// Sources are the places to ask. What is not set is not asked.
type Sources struct {
	Account Account
	// Stdin is read when the user chose --token-stdin; else nil.
	Stdin io.Reader
	// Getenv looks up the environment.
	Getenv func(string) string
	// Command is a shell command that prints the token.
	Command string
	// CommandTimeout limits it; 30 s if zero.
	CommandTimeout time.Duration
	// CommandErr gets what the command writes to standard error.
	CommandErr io.Writer
	// File is the path of a file with nothing but the token.
	File string
	// Storage is what login has pinned.
	Storage Storage
	// Keyring and Stored are the two storages.
	Keyring     *Keyring
	FileStorage *FileStorage
}

// sourceLookup is a source and how it is asked. A source that is not set or has no
// token returns an empty one with the reason and no error.
type sourceLookup struct {
	source Source
	lookUp func(context.Context) (token, place string, reason Reason, err error)
}

// Resolve asks the sources in their order until one has a token. The attempts
// tell of every source, asked or not. A source that is set and fails ends the
// search with an *Error: to go on would mean to act as somebody else.
func Resolve(ctx context.Context, s Sources) (Token, []Attempt, error) {
	var attempts []Attempt
	var found Token
	var failed *Error
	for _, a := range s.order() {
		if found.Value != "" || failed != nil {
			attempts = append(attempts, Attempt{Source: a.source, Reason: NotReached})
			continue
		}
		value, place, reason, err := a.lookUp(ctx)
		if value != "" && !isToken(value) {
			value, reason, err = "", Malformed, errNoToken
		}
		at := Attempt{Source: a.source, Reason: reason, Place: place, Err: err}
		switch {
		case err != nil:
			failed = (*Error)(&at)
		case value != "":
			at.Reason = Used
			found = Token{Value: value, Source: a.source}
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

func (s Sources) order() []sourceLookup {
	return []sourceLookup{
		{FromStdin, s.fromStdin},
		{FromEnvironment, s.fromEnvironment},
		{FromCommand, s.fromCommand},
		{FromFile, s.fromFile},
		{FromKeyring, s.fromKeyring},
		{FromFileStorage, s.fromFileStorage},
	}
}
