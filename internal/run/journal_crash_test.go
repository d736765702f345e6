package run_test

import (
	"errors"
	"syscall"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
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

// importDocuments imports six subscribers in three batches, one after the other.
func importDocuments(t *testing.T, c *client.Client, j *run.Journal, idempotency bool) (map[string]run.RowResult, error) {
	t.Helper()
	rows := file(documents(6)...)
	for _, r := range rows {
		r.ProductsIDs = []api.Int{7}
	}
	return send(t.Context(), &run.Import{Client: c}, rows, j, run.Options{Rows: 2, InFlight: 1, Idempotency: idempotency})
}

// A full disk leaves part of a record. The next record replaces it.
func TestAJournalIsUsableAfterAShortWrite(t *testing.T) {
	dir := t.TempDir()
	full := true
	j := openFaulty(t, dir, &faultyFile{write: func(_, n int) (int, error) {
		if full {
			return n / 2, syscall.ENOSPC
		}
		return n, nil
	}})
	f, server := newFixture(t, allExtensions)
	if got, err := importDocuments(t, server, j, true); !errors.Is(err, syscall.ENOSPC) || len(f.Requests) != 0 {
		t.Fatalf("got %v, %v and %d requests, want a full disk before anything is sent", got, err, len(f.Requests))
	}
	full = false
	if _, err := importDocuments(t, server, j, true); err != nil || len(f.Documents) != 6 {
		t.Fatalf("got %v and %d subscribers, want 6 when the disk has room", err, len(f.Documents))
	}
	must(t, j.Close())
	j = open(t, dir)
	defer j.Close()
	got, err := importDocuments(t, server, j, true)
	if err != nil || len(f.Documents) != 6 || len(f.Requests) != 3 {
		t.Errorf("got %v, %d subscribers, %d requests, want all from the journal", err, len(f.Documents), len(f.Requests))
	}
	for d, r := range got {
		if !r.Replayed {
			t.Errorf("%s is not from the journal", d)
		}
	}
}
