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

// maxTokenText is the maximum length including surrounding white space. Longer text is refused,
// and the rest of it is not read.
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

func (s Sources) fromStdin(context.Context) (token, place string, why Reason, err error) {
	if s.Stdin == nil {
		return "", "", NotSet, nil
	}
	token, err = readToken(s.Stdin)
	return token, "", Malformed, err
}

func (s Sources) fromEnvironment(context.Context) (token, place string, why Reason, err error) {
	return strings.TrimSpace(s.getenv(TokenVariable)), TokenVariable, NotSet, nil
}

func (s Sources) getenv(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

func (s Sources) fromCommand(ctx context.Context) (token, place string, why Reason, err error) {
	if s.Command == "" {
		return "", "", NotSet, nil
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(s.CommandTimeout, 30*time.Second))
	defer cancel()
	out := limitedBuffer{room: maxTokenText + 1}
	command := system.Shell(limited, s.Command)
	command.Stdout, command.Stderr = &out, s.CommandErr
	// A child that keeps the pipe open must not keep us.
	command.WaitDelay = time.Second
	err = command.Run()
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", "", TimedOut, limited.Err()
	case ctx.Err() != nil:
		return "", "", Unavailable, context.Cause(ctx)
	case err != nil:
		return "", "", Unavailable, err
	}
	token, err = readToken(&out.text)
	return token, "", Malformed, err
}

// limitedBuffer keeps the first bytes written to it and drops the rest, so that
// the command is not stopped by an error of its output.
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

func (s Sources) fromFile(context.Context) (token, place string, why Reason, err error) {
	if s.File != "" {
		token, why, err = ReadSecret(s.File, 0o077)
		return token, s.File, why, err
	}
	directory := s.getenv(DirectoryVariable)
	if directory == "" {
		return "", "", NotSet, nil
	}
	place = filepath.Join(directory, DirectoryFile)
	// systemd grants the service's user access by an ACL, and the mask of an
	// ACL shows as the permissions of the group.
	token, why, err = ReadSecret(place, 0o007)
	if errors.Is(err, fs.ErrNotExist) {
		return "", place, NotFound, nil
	}
	return token, place, why, err
}

func (s Sources) fromKeyring(ctx context.Context) (token, place string, why Reason, err error) {
	if s.Keyring == nil {
		return "", "", NotSet, nil
	}
	if s.Storage == StorageFile {
		return "", "", OtherStorage, nil
	}
	token, err = s.Keyring.Load(ctx, s.Account)
	return s.storageResult(token, s.Account.key(), err, StorageKeyring)
}

func (s Sources) fromFileStorage(ctx context.Context) (token, place string, why Reason, err error) {
	if s.FileStorage == nil {
		return "", "", NotSet, nil
	}
	if s.Storage != StorageFile {
		return "", "", OtherStorage, nil
	}
	token, err = s.FileStorage.Load(ctx, s.Account)
	return s.storageResult(token, s.FileStorage.path(s.Account), err, StorageFile)
}

// storageResult returns the result of a storage. A missing token is an error only if s.Storage
// says that a login has stored one.
func (s Sources) storageResult(token, place string, err error, pinned Storage) (string, string, Reason, error) {
	failure, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return token, place, Used, nil
	case !ok:
		return "", place, Unavailable, err
	case s.Storage != pinned && (failure.Reason == NotFound || failure.Reason == NoSessionBus):
		return "", place, failure.Reason, nil
	case failure.Err == nil:
		return "", place, failure.Reason, failure
	}
	return "", place, failure.Reason, failure.Err
}

// readToken reads a token with optional white space around it, in the encodings that PowerShell
// and Windows editors write, too.
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
