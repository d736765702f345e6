package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"testing"
	"time"
)

// user is somebody at a terminal-less shell, with a home and an environment of
// their own, whose commands run in this process.
type user struct {
	t   *testing.T
	env map[string]string
}

func newUser(t *testing.T, env map[string]string) *user {
	t.Helper()
	home := t.TempDir()
	all := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_STATE_HOME": filepath.Join(home, "state")}
	for name, value := range env {
		all[name] = value
	}
	return &user{t, all}
}

// outcome is what a command did.
type outcome struct {
	exit           int
	stdout, stderr string
}

func (u *user) enter(in io.Reader, args ...string) outcome {
	u.t.Helper()
	if in == nil {
		in = bytes.NewReader(nil)
	}
	var stdout, stderr bytes.Buffer
	e := &env{in: in, out: &stdout, err: &stderr, getenv: func(name string) string { return u.env[name] }}
	exit := run(u.t.Context(), e, args)
	return outcome{exit, stdout.String(), stderr.String()}
}

// within runs do up to three times and wants one of them to end within the
// limit: a busy machine may be slow once.
func within(t *testing.T, limit time.Duration, what string, do func()) {
	t.Helper()
	best := time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		do()
		if best = min(best, time.Since(start)); best <= limit {
			return
		}
	}
	t.Errorf("%s took %v at best, want at most %v", what, best, limit)
}

// decode reads the JSON that a command wrote.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}
