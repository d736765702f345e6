package server_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/api"
)

// limitFileSize limits the size of files that this process writes. lift ends the
// limit.
func limitFileSize(t *testing.T, bytes uint64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	set := func(l syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
	}
	set(syscall.Rlimit{Cur: bytes, Max: before.Max})
	return func() { set(before) }
}

// A disk that takes nothing more: writes are refused with 503 and when to come
// again, reads go on, nothing that was acknowledged is lost, and writes go on
// by themselves once there is room (reliability.md, promise 12).
func TestAServiceWhoseDiskTakesNothing(t *testing.T) {
	f := newFixture(t)
	path, sqlite := strings.CutPrefix(f.dsn, "sqlite:")
	if !sqlite {
		t.Skip("the files are PostgreSQL's own")
	}
	f.activate(1, basic)
	info, err := os.Stat(path + "-wal")
	f.must(err)
	lift := limitFileSize(t, uint64(info.Size())+64<<10)
	defer lift()
	acknowledged := 1
	for n := 2; ; n++ {
		r := f.do("POST", "/subscribers", subscriber(n))
		if r.status != http.StatusCreated {
			if r.want(503, api.CodeUnavailable); r.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			break
		}
		if acknowledged++; n > 1000 {
			t.Fatal("the disk was never full")
		}
	}
	for method, c := range map[string][2]string{
		"PUT": {"/subscribers/" + doc(1), `{"name":"Nova"}`}, "POST": {"/provision/suspend", batch(basic, 1)},
	} {
		f.do(method, c[0], c[1]).want(503, api.CodeUnavailable)
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "active"})
	f.do("GET", "/readyz", "").want(200)
	if got := len(f.do("GET", "/subscribers", "").want(200).get("subscribers").([]any)); got != acknowledged {
		t.Errorf("got %d subscribers, want the %d that were acknowledged", got, acknowledged)
	}
	lift()
	f.do("POST", "/subscribers", subscriber(2000)).want(201)
	f.do("POST", "/provision/suspend", batch(basic, 1)).want(200)
	if got := len(f.do("GET", "/subscribers", "").want(200).get("subscribers").([]any)); got != acknowledged+1 {
		t.Errorf("got %d subscribers, want %d", got, acknowledged+1)
	}
}

// The database's file is deleted while the service runs: no write is
// acknowledged, /readyz says which file it is, and what is open is read on
// (reliability.md, promise 19).
func TestAServiceWhoseDatabaseIsDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, sqlite := strings.CutPrefix(f.dsn, "sqlite:")
	if !sqlite {
		t.Skip("the files are PostgreSQL's own")
	}
	f.activate(1, basic)
	f.do("GET", "/readyz", "").want(200)
	f.must(os.Rename(path, path+".away"))
	f.do("POST", "/subscribers", subscriber(2)).want(503, api.CodeUnavailable)
	ready := f.do("GET", "/readyz", "").want(503, api.CodeUnavailable)
	if detail, _ := ready.get("detail").(string); !strings.Contains(detail, filepath.Base(path)) {
		t.Errorf("/readyz: got %q, want the file", detail)
	}
	f.do("GET", "/events", "").want(200)
	f.must(os.Rename(path+".away", path))
	f.do("GET", "/readyz", "").want(200)
	f.do("POST", "/subscribers", subscriber(2)).want(201)
}

// An error of a file inside a request, such as that of a full or unwritable directory for
// temporary files, is an error of this server: 500 with its cause in the log, and no
// outage of the database, which /readyz goes on to find healthy.
func TestAnErrorOfAFileIsNoOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, noSpace := full.WriteString("spill")
	_, unwritable := os.Create("/proc/version/spill")
	_, end := strings.NewReader("").Read(make([]byte, 1))
	f := newFixture(t)
	f.register(1, 1)
	for _, fault := range []error{noSpace, unwritable, fmt.Errorf("spill: %w", end)} {
		before := len(f.log.String())
		f.store.update = func(context.Context) error { return fault }
		f.do("POST", "/subscribers", subscriber(3)).want(500, api.CodeInternal)
		f.store.each = func(context.Context, int) error { return fault }
		f.do("GET", "/subscribers", "").want(500, api.CodeInternal)
		f.store.update, f.store.each = nil, nil
		if log := f.log.String()[before:]; strings.Count(log, `"cause":"`) != 2 || !strings.Contains(log, fault.Error()) {
			t.Errorf("%v: the log says %s", fault, log)
		}
		f.do("GET", "/readyz", "", "Authorization").want(200)
	}
	f.do("POST", "/subscribers", subscriber(3)).want(201)
}
