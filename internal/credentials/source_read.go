package credentials

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"ativa/internal/system"
)

// maxToken is the maximum length of a token in bytes.
const maxToken = 4096

// maxTokenText is the maximum length including surrounding white space. Longer text is refused
// and not read to the end.
const maxTokenText = 2 * maxToken

// constError is an error with a constant text.
type constError string

func (e constError) Error() string { return string(e) }

const (
	errNoToken    constError = "empty, too long, or with blanks in it"
	errSilent     constError = "the keyring is silent; is it waiting to be unlocked?"
	errNotRegular constError = "not a regular file"
)

// isToken reports whether a text can be a token: at most maxToken bytes of visible ASCII.
func isToken(s string) bool { return s != "" && len(s) <= maxToken && isVisible(s) }

// isVisible reports whether a text has only visible ASCII characters, as a header needs: no blanks
// and no control characters.
func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// lookUp reads one of the sources. An unset source or one without a token returns "", the reason
// and no error.
func (s Sources) lookUp(ctx context.Context, source Source) (token, place string, why Reason, err error) {
	switch source {
	case FromStdin:
		if s.Stdin == nil {
			return "", "", NotSet, nil
		}
		token, err = readToken(s.Stdin)
		return token, "", Malformed, err
	case FromEnvironment:
		return strings.TrimSpace(s.getenv(TokenVariable)), TokenVariable, NotSet, nil
	case FromCommand:
		token, why, err = s.fromCommand(ctx)
		return token, "", why, err
	case FromFile:
		return s.fromFile()
	case FromKeyring:
		return s.fromKeyring(ctx)
	}
	switch {
	case s.FileStorage == nil:
		return "", "", NotSet, nil
	case s.Storage != StorageFile:
		return "", "", OtherStorage, nil
	}
	place = s.FileStorage.path(s.Account)
	token, why, err = ReadSecret(place, 0o077)
	return token, place, why, err
}

func (s Sources) getenv(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

func (s Sources) fromCommand(ctx context.Context) (token string, why Reason, err error) {
	if s.Command == "" {
		return "", NotSet, nil
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(s.CommandTimeout, 30*time.Second))
	defer cancel()
	out := limitedBuffer{room: maxTokenText + 1}
	command := system.Shell(limited, s.Command)
	command.Stdout, command.Stderr = &out, s.CommandErr
	// A child may keep the pipe open.
	command.WaitDelay = time.Second
	err = command.Run()
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", TimedOut, limited.Err()
	case ctx.Err() != nil:
		return "", Unavailable, context.Cause(ctx)
	case err != nil:
		return "", Unavailable, err
	}
	token, err = readToken(&out.text)
	return token, Malformed, err
}

// limitedBuffer keeps the first bytes written to it and drops the rest, so that output
// errors do not stop the command.
type limitedBuffer struct {
	text bytes.Buffer
	room int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	keep := p[:min(len(p), b.room)]
	b.room -= len(keep)
	b.text.Write(keep)
	return len(p), nil
}

func (s Sources) fromFile() (token, place string, why Reason, err error) {
	if s.File != "" {
		token, why, err = ReadSecret(s.File, 0o077)
		return token, s.File, why, err
	}
	directory := s.getenv(DirectoryVariable)
	if directory == "" {
		return "", "", NotSet, nil
	}
	place = filepath.Join(directory, DirectoryFile)
	// systemd grants access by an ACL, whose mask shows as the group's permissions.
	token, why, err = ReadSecret(place, 0o007)
	if errors.Is(err, fs.ErrNotExist) {
		return "", place, NotFound, nil
	}
	return token, place, why, err
}

// fromKeyring reads the keyring. A missing token is an error only if, by s.Storage, a login
// stored one.
func (s Sources) fromKeyring(ctx context.Context) (token, place string, why Reason, err error) {
	switch {
	case s.Keyring == nil:
		return "", "", NotSet, nil
	case s.Storage == StorageFile:
		return "", "", OtherStorage, nil
	}
	place = s.Account.key()
	token, err = s.Keyring.Load(ctx, s.Account)
	failure, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return token, place, Unavailable, err
	case s.Storage != StorageKeyring && (failure.Reason == NotFound || failure.Reason == NoSessionBus):
		return "", place, failure.Reason, nil
	case failure.Err == nil:
		return "", place, failure.Reason, failure
	}
	return "", place, failure.Reason, failure.Err
}

// readToken reads a token with optional white space around it, also in the encodings of
// PowerShell and Windows editors.
func readToken(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxTokenText+1))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(system.InUTF8(b)))
	if len(b) > maxTokenText || !isToken(token) {
		return "", errNoToken
	}
	return token, nil
}
