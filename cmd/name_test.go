package cmd

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// The answers of a DNS server (RFC 1035, 4.1.1).
const (
	nameFound   = 0
	nameBroken  = 2 // the DNS server cannot say now
	nameMissing = 3 // no such name
)

// namedServer is a server without idempotency keys that is reached by a name, which is
// looked up for every request, in messages of DNS.
type namedServer struct {
	*serverWithoutIdempotency
	*user
	lookups atomic.Int64             // of its IPv4 address
	says    func(lookup int64) uint8 // of the nth lookup
	asked   func(r *http.Request)    // before each request
}

func newNamedServer(t *testing.T) *namedServer {
	t.Helper()
	s := &namedServer{serverWithoutIdempotency: &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}, asked: func(*http.Request) {}}
	target, err := url.Parse(s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	front.Config.SetKeepAlivesEnabled(false)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.user = newUser(t, map[string]string{"ATIVA_SERVER": "http://api.example.:" + port, // with its dot, so that no search list is tried
		"ATIVA_ACCESS_TOKEN": "t"})
	return s
}

// run runs a command whose waits are short.
func (s *namedServer) run(args ...string) outcome {
	s.t.Helper()
	names := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go s.answerNames(there)
		return here, nil
	}}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: func(name string) string { return s.env[name] },
		Process: cli.Process{Transport: func(t *http.Transport) http.RoundTripper {
			t.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
				return (&net.Dialer{Resolver: names}).DialContext(ctx, "tcp4", address)
			}
			return t
		}, Random: func() float64 { return 0 }}}
	exit := Run(s.t.Context(), e, append(args, "--insecure-http"))
	return outcome{exit, stdout.String(), stderr.String()}
}

// answerNames answers each question of a connection, as DNS over TCP: the length of a
// message stands before it.
func (s *namedServer) answerNames(c net.Conn) {
	defer c.Close()
	for b := make([]byte, 1500); ; {
		if n, err := c.Read(b); err != nil || n < 14 {
			return
		}
		q := b[2 : 2+binary.BigEndian.Uint16(b)]
		end := 12 + bytes.IndexByte(q[12:], 0) + 5
		a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
		if a[3] |= s.says(s.lookups.Add(1)); a[3] == 0x80 {
			a[7] = 1
			a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...)); err != nil {
			return
		}
	}
}

// A name that was never found is not asked for again; a DNS server that cannot say is.
// Either is exit 9, with the name and what to do.
func TestANameThatIsNotFoundIsNamedWithItsRemedy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		says       uint8
		language   string
		lookups    int64 // at least; without a retry there are no more
		retried    bool
		told, hint string
	}{
		{"missing", nameMissing, "en", 1, false, "no machine has the name api.example", "ativa config list"},
		{"missing", nameMissing, "pt", 1, false, "nenhum servidor tem o nome api.example", "ativa config list"},
		{"broken", nameBroken, "en", 5, true, "the name api.example. could not be looked up", "ativa doctor"},
	} {
		t.Run(c.name+" "+c.language, func(t *testing.T) {
			t.Parallel()
			s := newNamedServer(t)
			s.says = func(int64) uint8 { return c.says }
			timeout := "1s"
			if c.retried {
				timeout = "5s" // for a second attempt, however busy the machine
			}
			got := s.run("products", "--lang", c.language, "--timeout", timeout)
			if got.exit != cli.ExitUnavailable || !strings.Contains(got.stderr, c.told) || !strings.Contains(got.stderr, c.hint) {
				t.Errorf("got exit %d and %q, want %d, %q and %q", got.exit, got.stderr, cli.ExitUnavailable, c.told, c.hint)
			}
			if n := s.lookups.Load(); n < c.lookups || !c.retried && n > c.lookups {
				t.Errorf("got %d lookups, want %d, more: %t", n, c.lookups, c.retried)
			}
		})
	}
}

// A name that flaps in the middle of an import costs waits only: once the server has
// answered, "no such name" is as temporary as any other fault of the network.
func TestAnImportWhoseNameFlapsIsExact(t *testing.T) {
	t.Parallel()
	s := newNamedServer(t)
	s.says = func(lookup int64) uint8 {
		switch lookup % 5 {
		case 3:
			return nameMissing
		case 0:
			return nameBroken
		}
		return nameFound
	}
	file := homeOnly(t, s.env["HOME"]).WriteRows(100)
	if got := s.run("subscribers", "import", file, "--batch-size", "10"); got.exit != cli.ExitOK {
		t.Errorf("exit %d:\n%s", got.exit, got.stderr)
	}
	s.check(t, 100)
}

// A name that is gone for good in the middle of an import ends it with exit 9, the
// name and how to go on; going on does exactly what is left.
func TestAnImportWhoseNameIsGoneIsResumed(t *testing.T) {
	t.Parallel()
	s := newNamedServer(t)
	var gone atomic.Bool
	s.says = func(int64) uint8 {
		if gone.Load() {
			return nameMissing
		}
		return nameFound
	}
	var mu sync.Mutex
	batches := 0
	s.asked = func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/import") {
			if batches++; batches == 4 {
				gone.Store(true)
			}
		}
	}
	file := homeOnly(t, s.env["HOME"]).WriteRows(100)
	got := s.run("subscribers", "import", file, "--batch-size", "10", "--concurrency", "1", "--timeout", "2s")
	for _, want := range []string{"the import is not complete", "no machine has the name api.example", "ativa imports resume"} {
		if got.exit != cli.ExitUnavailable || !strings.Contains(got.stderr, want) {
			t.Errorf("got exit %d and %q, want %d and %q", got.exit, got.stderr, cli.ExitUnavailable, want)
		}
	}
	gone.Store(false)
	if got := s.run("subscribers", "import", file, "--batch-size", "10"); got.exit != cli.ExitOK {
		t.Errorf("exit %d:\n%s", got.exit, got.stderr)
	}
	s.check(t, 100)
}

// A single write whose name vanishes between two requests is made once.
func TestASingleWriteWhoseNameFlapsIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := newNamedServer(t)
	s.says = func(int64) uint8 { return nameFound }
	s.run("products") // the bearer is cached
	first := s.lookups.Load()
	s.says = func(lookup int64) uint8 {
		if lookup == first+2 {
			return nameMissing
		}
		return nameFound
	}
	s.add(&storedSubscriber{Name: "Ana", Document: processtest.Document(1)})
	if got := s.run("provision", "activate", "--product", "1", processtest.Document(1)); got.exit != cli.ExitOK || s.lookups.Load() < first+3 {
		t.Errorf("exit %d after %d lookups:\n%s", got.exit, s.lookups.Load()-first, got.stderr)
	}
	if n := len(s.subscribers[0].Services); n != 1 {
		t.Errorf("got %d services, want one", n)
	}
}
