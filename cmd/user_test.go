package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

// user is a user without a terminal, with their own home and environment, whose commands
// run in this process.
type user struct {
	t   *testing.T
	env map[string]string
}

func newUser(t *testing.T, env map[string]string) *user {
	t.Helper()
	home := t.TempDir()
	all := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_STATE_HOME": filepath.Join(home, "state")}
	maps.Copy(all, env)
	return &user{t, all}
}

type outcome struct {
	exit           int
	stdout, stderr string
}

func (u *user) run(in io.Reader, args ...string) outcome {
	u.t.Helper()
	if in == nil {
		in = bytes.NewReader(nil)
	}
	var stdout, stderr bytes.Buffer
	exit := Run(u.t.Context(), u.environment(in, &stdout, &stderr), append([]string{}, args...)) // for nil cobra uses os.Args
	return outcome{exit, stdout.String(), stderr.String()}
}

func (u *user) must(args ...string) outcome {
	u.t.Helper()
	got := u.run(nil, args...)
	if got.exit != cli.ExitOK {
		u.t.Fatalf("%v: exit %d, %s", args, got.exit, got.stderr)
	}
	return got
}

func (u *user) lastRun() string {
	u.t.Helper()
	return strings.TrimSpace(u.must("imports", "list", "--jq", ".imports[0].id").stdout)
}

// silentServer listens and never accepts or responds.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func eventually(t pgtest.TB, what string, do func() bool) {
	t.Helper()
	for start := time.Now(); !do(); <-time.After(20 * time.Millisecond) {
		if time.Since(start) > testTimeout {
			t.Fatal("it never came: " + what)
		}
	}
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// writeFile writes a private file into a new directory, and returns its path.
func writeFile(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (u *user) environment(in io.Reader, out, err io.Writer) *cli.Env {
	return &cli.Env{In: in, Out: out, Err: err, Getenv: func(name string) string { return u.env[name] }}
}

// failingProxy is a proxy of a server, some of whose writes fail.
type failingProxy struct {
	url   string
	posts atomic.Int32 // received writes
	// decides whether the n-th write takes effect, and whether its response is lost. It may be
	// called concurrently after a kill.
	decides atomic.Pointer[func(n int32) (done, answered bool)]
	// cut, if set, is called before a response is lost, and the connection is cut. Otherwise the
	// response is one after which nothing is retried.
	cut func()
}

// fail sets which writes fail; nil means none.
func (p *failingProxy) fail(decides func(n int32) (done, answered bool)) {
	if decides == nil {
		decides = func(int32) (bool, bool) { return true, true }
	}
	p.decides.Store(&decides)
}

func newFailingProxy(t *testing.T, address string) *failingProxy {
	t.Helper()
	target, err := url.Parse(address)
	must(t, err)
	pass := httputil.NewSingleHostReverseProxy(target)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	p := new(failingProxy)
	p.fail(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done, answered := true, true
		if r.Method != http.MethodGet && r.URL.Path != api.PathAuthenticate {
			done, answered = (*p.decides.Load())(p.posts.Add(1))
		}
		switch {
		case answered:
			pass.ServeHTTP(w, r)
			return
		case done:
			pass.ServeHTTP(httptest.NewRecorder(), r)
		}
		if p.cut != nil {
			p.cut()
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "gone", http.StatusNotImplemented)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

var must = systemtest.Must
