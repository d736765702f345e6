package system

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// OpenHashed opens a file for reading and returns the SHA-256 of its content in hexadecimal digits.
func OpenHashed(path string) (f *os.File, hash string, err error) {
	f, err = os.Open(path)
	if err != nil {
		return nil, "", err
	}
	h := sha256.New()
	if _, err = io.Copy(h, f); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, hex.EncodeToString(h.Sum(nil)), nil
}
