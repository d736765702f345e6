package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ativa/internal/service/domain"
)

// A full directory of temporary files is not an outage of the database, and a read-only database is
// not an unreachable one.
func TestPostgresErrorsAreNamed(t *testing.T) {
	const unreachable = "the database cannot be reached now"
	full := &fs.PathError{Op: "write", Path: "spill", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string // empty: not a fault of the database
	}{
		{full, ""},
		{fmt.Errorf("spill: %w", full), ""},
		{&fs.PathError{Op: "open", Path: "spill", Err: syscall.EACCES}, ""},
		{os.NewSyscallError("mmap", syscall.ENOMEM), ""},
		{fmt.Errorf("spill: %w", io.EOF), ""},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, unreachable},
		{fmt.Errorf("write failed: %w", &net.OpError{Op: "write", Err: os.ErrDeadlineExceeded}), unreachable},
		{&pgconn.PgError{Code: "57P01"}, unreachable},
		{&pgconn.PgError{Code: readOnlyTransaction}, "the database is read-only now"},
	} {
		got := ""
		if refused, ok := errors.AsType[*domain.Error](postgresError(c.err)); ok {
			got = refused.Message
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}

func TestTheWaitBeforeARetryDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for try := range maxTries {
			began, mean := time.Now(), 5*time.Millisecond<<try
			if !backOff(t.Context(), try) {
				t.Errorf("attempt %d: got an ended context", try)
			}
			if d := time.Since(began); d < mean/2 || d > mean*3/2 {
				t.Errorf("attempt %d: got a wait of %s, want %s, half as much or half as much more", try, d, mean)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if backOff(ended, 0) {
			t.Error("got another attempt after the context ended")
		}
	})
}
