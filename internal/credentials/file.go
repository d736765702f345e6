package credentials

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ativa/internal/system"
)

// ReadSecret reads a token or another secret from a file. It refuses a file with any forbidden
// permission, and on Windows one that is not private. On an error, why is the reason.
func ReadSecret(path string, forbidden fs.FileMode) (token string, why Reason, err error) {
	f, why, err := openSecret(path, forbidden)
	if err != nil {
		return "", why, err
	}
	defer f.Close()
	token, err = readToken(f)
	return token, Malformed, err
}

func openSecret(path string, forbidden fs.FileMode) (f *os.File, why Reason, err error) {
	// A pipe would block the open.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, Unavailable, errNotRegular
	}
	if f, err = os.Open(path); err != nil {
		why = Unavailable
		if errors.Is(err, fs.ErrNotExist) {
			why = NotFound
		}
		return nil, why, system.WithoutPath(err)
	}
	private, err := system.IsOpenPrivate(f, forbidden)
	if err == nil && private {
		return f, Used, nil
	}
	f.Close()
	if err != nil {
		return nil, Unavailable, system.WithoutPath(err)
	}
	return nil, ReadableByOthers, errors.New(system.Privatise(path))
}

// FileStorage keeps tokens for --storage file: a file per account with mode 0600, in a directory
// with mode 0700. They are not encrypted.
type FileStorage struct {
	// Dir is created when a token is saved.
	Dir string
}

func (s *FileStorage) path(a Account) string {
	return filepath.Join(s.Dir, "token-"+shortHash(a.key()))
}

// Save stores the token of the account and replaces any other. It returns errors of the
// system, not *Error.
func (s *FileStorage) Save(_ context.Context, a Account, token string) error {
	return system.WritePrivate(s.path(a), []byte(token+"\n"))
}

// Delete removes the token of the account, if there is one.
func (s *FileStorage) Delete(_ context.Context, a Account) error {
	if err := os.RemoveAll(s.path(a)); err != nil {
		return &Error{Source: FromFileStorage, Place: s.path(a), Reason: Unavailable, Err: system.WithoutPath(err)}
	}
	return nil
}
