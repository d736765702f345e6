package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system"
)

const injectedWrites = 30 // of the child

// TestDiskFaultChild is the child of the test below: it writes one subscriber after the other, and
// prints which were acknowledged and the errors of the others.
func TestDiskFaultChild(t *testing.T) {
	path := childPath(t)
	db, err := store.Open(t.Context(), dsnOf(path), store.Options{Exclusive: true})
	if err != nil {
		fmt.Println("refused to open:", err)
		os.Exit(0)
	}
	f := &fixture{t, db, 1}
	for n := 1; n <= injectedWrites; n++ {
		switch err := f.insertOne(n); {
		case err == nil:
			fmt.Println("ack", n)
		case store.Fault(err) != nil:
			fmt.Println("fault", n, store.Fault(err).Message)
		default:
			fmt.Println("unnamed", n, err)
		}
	}
	os.Exit(0) // without closing: the next process finds what the disk holds
}

// TestBackupFaultChild is the child of the test below.
func TestBackupFaultChild(t *testing.T) {
	path := childPath(t)
	err := store.Backup(t.Context(), dsnOf(path), filepath.Join(filepath.Dir(path), "backup.db"))
	fmt.Println("full:", system.IsDiskFull(err), "sqlite:", err != nil && strings.Contains(err.Error(), "sqlite"))
	os.Exit(0)
}

// A backup without room on the disk returns an error and leaves no file.
func TestABackupWithoutRoomLeavesNoFile(t *testing.T) {
	pgtest.Only(t, "sqlite", "the files are PostgreSQL's own")
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	newFixture(t, db).insert(1, 20000) // more than 20 writes
	must(t, db.Close())
	got := traced(t, "TestBackupFaultChild", path, "-o", os.DevNull, "-e", "inject=pwrite64:error=ENOSPC:when=20+")
	if got != "full: true sqlite: false\n" {
		t.Errorf("got %q, want that the disk is full, in plain words", got)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	for _, file := range left {
		if !strings.HasPrefix(file.Name(), "ativa.db") {
			t.Errorf("left behind: %s", file.Name())
		}
	}
}

// The nth write and the nth sync of the database's files fail in turn, in a process of
// its own: with EIO, with ENOSPC, once and from then on, and with EROFS for a while, as
// when the file system is remounted read-only under a running server, and back. Each
// failure is a named fault, nothing that was acknowledged is lost, and when they end the
// service goes on by itself (reliability.md, promise 12). ATIVA_FAULT_CALLS is how many n are
// tried.
func TestEachWriteAndEachSyncMayFail(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "the files are PostgreSQL's own")
	calls, err := strconv.Atoi(os.Getenv("ATIVA_FAULT_CALLS"))
	if err != nil {
		calls = 2
	}
	faults, injected := 0, 0
	for n := 1; n <= calls; n++ {
		for _, call := range []string{"pwrite64", "fsync,fdatasync"} {
			for _, fault := range []string{"EIO", "ENOSPC", "EROFS"} {
				when := strconv.Itoa(2*n + 1) // of each thread
				switch {
				case fault == "EROFS":
					when += ".." + strconv.Itoa(2*n+8)
				case n%2 == 0 && fault == "EIO":
					when += "+"
				}
				a, b := failDisk(t, fmt.Sprintf("inject=%s:error=%s:when=%s", call, fault, when))
				faults, injected = faults+a, injected+b
			}
		}
	}
	t.Logf("%d faults injected, %d writes refused", injected, faults)
	if injected == 0 || faults == 0 {
		t.Errorf("%d faults were injected and %d writes refused: nothing was tried", injected, faults)
	}
}

// failDisk runs the child under strace and compares what it acknowledged with what
// the next process finds. It returns how many writes were refused and how many calls
// failed.
func failDisk(t *testing.T, inject string) (refused, injected int) {
	t.Helper()
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	f := newFixture(t, db)
	must(t, db.Close())
	trace := filepath.Join(t.TempDir(), "trace")
	calls, _, _ := strings.Cut(strings.TrimPrefix(inject, "inject="), ":")
	out := traced(t, "TestDiskFaultChild", path, "-o", trace, "-P", path, "-P", path+"-wal", "-e", "trace="+calls, "-e", inject)
	text, err := os.ReadFile(trace)
	must(t, err)
	acknowledged := map[cpf.Document]bool{}
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ack":
			n, err := strconv.Atoi(rest)
			must(t, err)
			acknowledged[f.subscriber(n).Document] = true
		case "fault", "refused":
			refused++
		default:
			t.Errorf("%s: the fault has no name: %s", inject, line)
		}
	}
	if !strings.HasSuffix(inject, "+") && len(acknowledged) == 0 {
		t.Errorf("%s: nothing was written after single faults: %s", inject, out)
	}
	checkAcknowledged(t, inject, path, f.p, acknowledged)
	return refused, strings.Count(string(text), "(INJECTED)")
}

func checkAcknowledged(t *testing.T, inject, path string, p domain.ProviderID, acknowledged map[cpf.Document]bool) {
	t.Helper()
	db := open(t, path, store.Options{Exclusive: true})
	err := db.EachSubscriber(t.Context(), p, func(s *domain.SubscriberServices) error {
		delete(acknowledged, s.Document)
		return nil
	})
	must(t, errors.Join(err, db.Close()))
	if len(acknowledged) > 0 {
		t.Errorf("%s: %d acknowledged writes are lost", inject, len(acknowledged))
	}
	wantNoFindings(t, dsnOf(path))
}
