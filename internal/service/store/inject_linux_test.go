package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/processtest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system"
)

// A backup without room on the disk returns an error and leaves no file.
func TestABackupWithoutRoomLeavesNoFile(t *testing.T) {
	asChild(func(path string) {
		err := store.Backup(t.Context(), dsnOf(path), filepath.Join(filepath.Dir(path), "backup.db"))
		fmt.Println("full:", system.IsDiskFull(err), "sqlite:", err != nil && strings.Contains(err.Error(), "sqlite"))
	})
	pgtest.Only(t, "sqlite", "the files are PostgreSQL's own")
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	newFixture(t, db).insert(1, 20000) // more than 20 writes
	must(t, db.Close())
	got := traced(t, path, "-o", os.DevNull, "-e", "inject=pwrite64:error=ENOSPC:when=20+")
	if got != "full: true sqlite: false\n" {
		t.Errorf("got %q, want that the disk is full, in plain words", got)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || !slices.Equal(left, []string{path, path + ".lock"}) {
		t.Errorf("got the files %v, %v, want no other", left, err)
	}
}

// writeInGroups writes subscribers in groups, whose writes share a transaction, and then one by one until
// a write succeeds. It prints the result of each, and compares those that can be read.
func writeInGroups(t *testing.T, path string) {
	db, err := store.Open(t.Context(), dsnOf(path), store.Options{Exclusive: true})
	if err != nil {
		fmt.Println("refused to open:", err)
		return
	}
	f := &fixture{t, db, 1}
	var acknowledged atomic.Int64
	write := func(n int) (ok bool) {
		err := f.insertOne(n)
		switch {
		case err == nil:
			acknowledged.Add(1)
			fmt.Println("ack", n)
		case store.Fault(err) != nil:
			fmt.Println("fault", n, store.Fault(err).Message)
		default:
			fmt.Println("unnamed", n, err)
		}
		return err == nil
	}
	for n := 1; n <= 30; n += 3 {
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() { write(n + i) })
		}
		group.Wait()
	}
	for n := 31; n < 100 && !write(n); n++ {
	}
	if got := f.count(); got != int(acknowledged.Load()) {
		fmt.Println("found", got)
	}
}

// The nth write and the nth sync of the database's files fail in turn, in a process of
// its own: with EIO, with ENOSPC, once and from then on, and with EROFS for a while, as
// when the file system is remounted read-only under a running server, and back. Each
// failure is a named fault, reads continue, and nothing that was acknowledged is lost. When
// the faults end the service goes on by itself (docs/reliability.md). ATIVA_FAULT_CALLS
// is how many n are tried.
func TestEachWriteAndEachSyncMayFail(t *testing.T) {
	asChild(func(path string) { writeInGroups(t, path) })
	t.Parallel()
	pgtest.Only(t, "sqlite", "the files are PostgreSQL's own")
	refused := 0
	for n := range processtest.FromEnv(t, "ATIVA_FAULT_CALLS", 2) {
		for _, call := range []string{"pwrite64", "fsync,fdatasync"} {
			for _, fault := range []string{"EIO", "ENOSPC", "EROFS"} {
				when := strconv.Itoa(2*n + 3) // of each thread
				switch {
				case fault == "EROFS":
					when += ".." + strconv.Itoa(2*n+10)
				case n%2 == 1 && fault == "EIO":
					when += "+"
				}
				refused += failDisk(t, fmt.Sprintf("inject=%s:error=%s:when=%s", call, fault, when))
			}
		}
	}
	if t.Logf("%d writes refused", refused); refused == 0 {
		t.Error("no fault was injected")
	}
}

// failDisk runs the child under strace and compares what it acknowledged with what
// the next process finds. It returns how many writes were refused.
func failDisk(t *testing.T, inject string) (refused int) {
	t.Helper()
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	f := newFixture(t, db)
	must(t, db.Close())
	out := traced(t, path, "-o", os.DevNull, "-P", path, "-P", path+"-wal", "-e", inject)
	full := strings.HasPrefix(inject, "inject=pwrite64:error=ENOSPC")
	lost, last := map[cpf.Document]bool{}, ""
	for line := range strings.Lines(out) {
		var n int
		last, _, _ = strings.Cut(line, " ")
		switch _, err := fmt.Sscanf(line, "ack %d", &n); {
		case err == nil:
			lost[f.subscriber(n).Document] = true
		case last == "fault" && strings.Contains(line, "full") == full, last == "refused":
			refused++
		default:
			t.Errorf("%s: the fault has another name, or more was stored: %s", inject, line)
		}
	}
	if !strings.HasSuffix(inject, "+") && last != "ack" {
		t.Errorf("%s: no write succeeded after the faults: %s", inject, out)
	}
	f.db = open(t, path, store.Options{Exclusive: true})
	for _, document := range f.listDocuments() {
		delete(lost, document)
	}
	must(t, f.db.Close())
	if len(lost) > 0 {
		t.Errorf("%s: %d acknowledged writes are lost", inject, len(lost))
	}
	wantNoFindings(t, dsnOf(path))
	return refused
}
