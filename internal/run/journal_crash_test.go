package run_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
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
		if err := f.sync(f.syncs); err != nil {
			return err
		}
	}
	return f.JournalFile.Sync()
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

// A process that dies at a step of the second batch leaves a journal with which
// the next run registers every subscriber exactly once.
func TestARunIsResumedAfterACrashAtEachStep(t *testing.T) {
	crash := errors.New("the process died")
	for _, step := range []struct {
		name string
		// write is the record during whose write the process dies: 1 and 2 belong to the first
		// batch. part is how much of it reaches the disk.
		write int
		part  float64
		drop  bool // the request does not arrive
		lose  bool // the answer does not arrive
		// requests is how often both runs together send the second batch to a server with
		// idempotency keys, 0 for any number: the transport, too, repeats a request. replayed is
		// how many rows the second run takes from the journal.
		requests, replayed int
	}{
		{name: "before the batch is noted", write: 3, requests: 1, replayed: 2},
		{name: "while the batch is noted", write: 3, part: 0.5, requests: 1, replayed: 2},
		{name: "before the request arrives", write: 4, drop: true, replayed: 2},
		{name: "before the answer arrives", write: 4, lose: true, replayed: 2},
		{name: "before the results are noted", write: 4, requests: 2, replayed: 2},
		{name: "while the results are noted", write: 4, part: 0.9, requests: 2, replayed: 2},
		{name: "after the results are noted", write: 5, requests: 1, replayed: 4},
	} {
		for name, extensions := range map[string]string{"with idempotency": allExtensions, "without idempotency": ""} {
			t.Run(step.name+" "+name, func(t *testing.T) {
				f, server := newFixture(t, extensions)
				second := func(r apitest.Request) bool { return r.Is("import") && slices.Contains(r.Documents, numbered(3)) }
				f.Drop = func(r apitest.Request) bool { return step.drop && second(r) }
				f.Lose = func(r apitest.Request) bool { return step.lose && second(r) }
				dir := t.TempDir()
				dead := false
				j := openFaulty(t, dir, &faultyFile{write: func(call, n int) (int, error) {
					if dead {
						return 0, crash
					}
					if call == step.write {
						dead = true
						return int(float64(n) * step.part), crash
					}
					return n, nil
				}})
				if _, err := importDocuments(t, server, j, extensions != ""); err == nil {
					t.Fatal("the first run ended without an error")
				}
				must(t, j.Close())
				f.Lock()
				f.Drop, f.Lose = nil, nil
				f.Unlock()
				j = open(t, dir)
				if !j.Resumes() {
					t.Error("the second run does not resume the first")
				}
				got, err := importDocuments(t, server, j, extensions != "")
				if err = errors.Join(err, j.End(), j.Close()); err != nil {
					t.Fatal(err)
				}
				done, refused, unknown := countResults(got)
				if done != 6 || refused+unknown != 0 || len(f.Documents) != 6 {
					t.Errorf("got %d done, %d refused, %d unknown, %d registered, want 6 done and registered", done, refused, unknown, len(f.Documents))
				}
				replayed := 0
				for _, r := range got {
					if r.Replayed {
						replayed++
					}
				}
				if replayed != step.replayed {
					t.Errorf("got %d rows from the journal, want %d", replayed, step.replayed)
				}
				var keys []string
				requests := slices.DeleteFunc(f.Sent("import"), func(r apitest.Request) bool { return !second(r) })
				for _, r := range requests {
					keys = append(keys, r.Key)
				}
				if extensions != "" && (step.requests != 0 && len(requests) != step.requests || len(slices.Compact(keys)) != 1) {
					t.Errorf("the second batch was sent with the keys %v, want %d requests with one key", keys, step.requests)
				}
				for _, d := range f.Documents {
					if n := len(f.Subscribers[d].Services); n != 1 {
						t.Errorf("%s has %d services, want 1", d, n)
					}
				}
				if info, err := (run.JournalDir{Path: dir}).Get(j.ID); err != nil || info.State != run.StateFinished || info.Done != 6 || info.Unanswered != 0 {
					t.Errorf("got %+v, %v, want a finished run with 6 rows", info, err)
				}
			})
		}
	}
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

// After a failed sync it is unknown what is on disk. The journal is not used any more, even if a
// second sync would succeed.
func TestAFailedSyncEndsTheUseOfAJournal(t *testing.T) {
	for _, c := range []struct {
		name           string
		call           int // the sync that fails: 1 is before the first request, 2 after it
		requests, done int
		unknown        int
	}{
		{"before a request", 1, 0, 0, 0},
		{"after a request", 2, 1, 0, 2},
		{"before the second request", 3, 1, 2, 0},
		{"after the second request", 4, 2, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f, server := newFixture(t, allExtensions)
			disk := &faultyFile{sync: func(call int) error {
				if call == c.call {
					return syscall.EIO
				}
				return nil
			}}
			j := openFaulty(t, dir, disk)
			got, err := importDocuments(t, server, j, true)
			if done, _, unknown := countResults(got); !errors.Is(err, syscall.EIO) || done != c.done || unknown != c.unknown {
				t.Errorf("got %v, %d done, %d unknown, want the error of the disk, %d, %d", err, done, unknown, c.done, c.unknown)
			}
			writes := disk.writes
			if _, err := importDocuments(t, server, j, true); !errors.Is(err, syscall.EIO) {
				t.Errorf("a second run with the journal: got %v, want the error of the disk", err)
			}
			if err := j.End(); !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "writing the journal: ") {
				t.Errorf("the end of the run: got %v, want the error of the disk", err)
			}
			if disk.writes != writes || disk.syncs != c.call || len(f.Requests) != c.requests {
				t.Errorf("after the failed sync: got %d writes, %d syncs, %d requests in all, want %d, %d, %d", disk.writes-writes, disk.syncs, len(f.Requests), 0, c.call, c.requests)
			}
			must(t, j.Close())
			j = open(t, dir)
			defer j.Close()
			if got, err = importDocuments(t, server, j, true); err != nil || len(got) != 6 || len(f.Documents) != 6 || len(f.CarriedOut) != 3 {
				t.Errorf("the next run: got %v, %d rows, %d subscribers, %d requests carried out, want 6, 6, 3", err, len(got), len(f.Documents), len(f.CarriedOut))
			}
		})
	}
}
