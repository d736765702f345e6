package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/store/pgtest"
)

// cutEvery is the distance in bytes between cuts of the connection.
const cutEvery = 16

// sendCut sends a request over a connection that is closed after out bytes of the
// request or in bytes of the response, 0 for neither. It returns how many bytes were
// written and read.
func (f *fixture) sendCut(out, in int, path, body string, headers []string) (got reply, wrote, read int) {
	f.t.Helper()
	conn, _ := f.dial(strings.TrimPrefix(f.http.URL, "http://"))
	defer conn.Close()
	headers = append([]string{"Host: x", "Connection: close", "Authorization: Bearer " + f.bearer, fmt.Sprintf("Content-Length: %d", len(body))}, headers...)
	request := "POST " + path + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n" + body
	if out > 0 {
		request = request[:out]
	}
	_, err := io.WriteString(conn, request)
	f.must(err)
	switch {
	case out > 0:
	case in > 0:
		_, _ = io.ReadFull(conn, make([]byte, in))
	default:
		all, err := io.ReadAll(conn)
		f.must(err)
		got, err = readReply(f.t, bufio.NewReader(bytes.NewReader(all)))
		f.must(err)
		read = len(all)
	}
	return got, len(request), read
}

// effect is the number of events and deliveries of a provider, or how many something adds.
type effect struct{ events, deliveries int64 }

func (f *fixture) effectOf(do func()) effect {
	f.t.Helper()
	count := func() effect {
		p, err := f.m.Providers(f.t.Context())
		f.must(err)
		return effect{p[0].Events, p[0].Deliveries}
	}
	before := count()
	do()
	after := count()
	return effect{after.events - before.events, after.deliveries - before.deliveries}
}

// retried returns a request about subscriber n whose repetition must have no further effect.
func (f *fixture) retried(call docCall, n int) (path, body string, headers []string) {
	f.t.Helper()
	if call.Path == api.PathPartnerEvents {
		body = suspensionConfirmed(f.suspend(n))
		return call.Path, body, f.sign(fmt.Sprint("m", n), body, 0)
	}
	f.ana = doc(n)
	path, body = f.example(call, f.prepare(call))
	return path, body, []string{fmt.Sprintf("Idempotency-Key: key-%d", n), "Content-Type: application/json"}
}

// Every POST route, cut at every 16th byte of request and response and then sent twice more, has its
// effect once (docs/reliability.md).
func TestARetryNeverDoublesWhereverTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	for _, call := range examples(t) {
		if call.Method != http.MethodPost || strings.HasPrefix(call.Path, api.PathTokens) { // no secret is stored, and no client repeats them
			continue
		}
		t.Run(call.Path, func(t *testing.T) {
			f := newParallelFixture(t)
			f.cut(call)
		})
	}
}

func (f *fixture) cut(call docCall) {
	f.t.Helper()
	n := 1
	path, body, headers := f.retried(call, n)
	var wrote, read int
	want := f.effectOf(func() {
		var got reply
		if got, wrote, read = f.sendCut(0, 0, path, body, headers); got.status >= 300 {
			f.t.Fatalf("uncut: got %d %s", got.status, got.body)
		}
	})
	// A waiting schedule has no event and no delivery.
	harmless := strings.HasSuffix(path, "/validate") || call.Path == api.PathSchedule || call.Path == api.PathAuthenticate
	if happened := want != (effect{}); happened == harmless {
		f.t.Fatalf("uncut: got %+v", want)
	}
	try := func(out, in int) {
		n++
		f.advance(3 * time.Second) // three attempts to authenticate are regained
		path, body, headers := f.retried(call, n)
		got := f.effectOf(func() {
			f.sendCut(out, in, path, body, headers) // the connection is cut
			f.sendUntilDone(path, body, headers)
			f.sendUntilDone(path, body, headers)
		})
		if got != want {
			f.t.Errorf("cut after %d out and %d in: got %+v, want %+v", out, in, got, want)
		}
	}
	every := cutEvery
	if os.Getenv(pgtest.Engine) == "postgres" {
		every *= 4 // the connection is the same on both databases
	}
	for at := 1; at < wrote; at += every {
		try(at, 0)
	}
	for at := 1; at < read; at += every {
		try(0, at)
	}
}

// sendUntilDone repeats the request while the first one still runs.
func (f *fixture) sendUntilDone(path, body string, headers []string) {
	f.t.Helper()
	for range 20_000 {
		if got, _, _ := f.sendCut(0, 0, path, body, headers); got.status != http.StatusConflict || got.text("code") != api.CodeRequestInProgress {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.t.Fatal("the first request still runs")
}
