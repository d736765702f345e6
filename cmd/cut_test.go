package cmd

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"

	"ativa/internal/processtest"
)

// TestAnImportIsExactWhereverTheConnectionIsCut cuts connections between the
// command line and the server after a random number of bytes of the request or
// of the answer. ATIVA_KILLS is how many (10).
func TestAnImportIsExactWhereverTheConnectionIsCut(t *testing.T) {
	t.Parallel()
	cuts, rows := processtest.FromEnv(t, "ATIVA_KILLS", 10), processtest.FromEnv(t, "ATIVA_KILL_ROWS", 1000)
	w := newProcessFixtureOnEach(t)
	w.Start()
	var left atomic.Int64
	left.Store(int64(cuts))
	w.Env = append(w.Env, "ATIVA_SERVER=http://"+cuttingProxy(t, "127.0.0.1:"+w.Port, &left))
	file := w.WriteRows(rows)
	args := []string{"subscribers", "import", file, "--batch-size", "50", "--concurrency", "8", "--quiet", "-o", "json"}
	var out []byte
	var err error
	for run := 0; ; run++ {
		if out, err = w.Command(args...).Output(); err == nil {
			break
		}
		if run > cuts {
			t.Fatalf("%d runs did not bring it to an end: %v\n%s", run, err, out)
		}
	}
	var summary struct {
		Import importSummary `json:"import"`
	}
	if err := json.Unmarshal(out, &summary); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := left.Load(); n > 0 {
		t.Logf("%d cuts were left over", n)
	}
	if s := summary.Import; s.Created != rows {
		t.Errorf("got %+v, want %d created", s, rows)
	}
	w.Env = append(w.Env, "ATIVA_SERVER=http://127.0.0.1:"+w.Port)
	if mails, services := w.Mails(w.CheckSubscribers(rows)), rows+(rows+2)/3; mails != services {
		t.Errorf("got %d e-mails for %d services", mails, services)
	}
}

// cuttingProxy passes connections on to the target. As long as left lasts, it
// cuts each after a random number of bytes, in either direction.
func cuttingProxy(t *testing.T, target string, left *atomic.Int64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				client.Close()
				continue
			}
			const most = 30_000 // bytes; a batch and its answer have some 7,500 each
			request, answer := int64(1<<40), int64(1<<40)
			if left.Add(-1) >= 0 {
				cut := &request
				if rand.IntN(2) == 0 {
					cut = &answer
				}
				*cut = rand.Int64N(most)
			}
			go pass(server, client, request)
			go pass(client, server, answer)
		}
	}()
	return l.Addr().String()
}

// pass copies at most n bytes, and then ends both directions.
func pass(to, from net.Conn, n int64) {
	_, _ = io.CopyN(to, from, n)
	to.Close()
	from.Close()
}
