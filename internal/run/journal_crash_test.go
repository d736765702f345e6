package run_test

import (
	"errors"
	"testing"

	"ativa/internal/run"
)

// faultyFile is a journal's file on a disk that fails as the test sets it.
type faultyFile struct {
	run.JournalFile
	writes, syncs int // calls so far
	// write returns how many of n bytes reach the disk, and the error of the
	// call. call counts from 1.
	write func(call, n int) (int, error)
	sync  func(call int) error
}

func (f *faultyFile) WriteAt(b []byte, offset int64) (int, error) {
	f.writes++
	if f.write == nil {
		return f.JournalFile.WriteAt(b, offset)
	}
	n, fault := f.write(f.writes, len(b))
	written, err := f.JournalFile.WriteAt(b[:n], offset)
	return written, errors.Join(fault, err)
}

func (f *faultyFile) Sync() error {
	f.syncs++
	if f.sync != nil {
		return f.sync(f.syncs)
	}
	return nil
}

// openFaulty opens a journal on the faulty file.
func openFaulty(t *testing.T, dir string, f *faultyFile) *run.Journal {
	t.Helper()
	j := open(t, dir)
	j.WrapFile(func(file run.JournalFile) run.JournalFile { f.JournalFile = file; return f })
	return j
}
