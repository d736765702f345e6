package server_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// refusal is a request that is refused before its body is read.
type refusal struct {
	name, method, path, header string
	status                     int
	code                       string
}

func (f *fixture) refusals() []refusal {
	f.t.Helper()
	_, reader, err := f.m.CreateToken(f.t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "painel", Scopes: domain.ScopeRead})
	f.must(err)
	authorization := func(token string) string { return "Authorization: Bearer " + token + "\r\n" }
	return []refusal{
		{"no token", "POST", api.PathImport, "", 401, api.CodeTokenMissing},
		{"a wrong token", "POST", api.PathImport, authorization("wrong"), 401, api.CodeTokenInvalid},
		{"no scope", "POST", api.PathImport, authorization(f.login(reader)), 403, api.CodeInsufficientScope},
		{"no route", "POST", "/nowhere", authorization(f.bearer), 404, api.CodeNotFound},
		{"no method", "PUT", api.PathImport, authorization(f.bearer), 405, api.CodeMethodNotAllowed},
		{"no JSON", "POST", api.PathImport, authorization(f.bearer) + "Content-Type: text/csv\r\n", 415, api.CodeUnsupportedMediaType},
		{"too large", "POST", api.PathAuthenticate, "", 413, api.CodePayloadTooLarge},
	}
}

// head returns the request up to its body of n bytes.
func (r refusal) head(n int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n", r.method, r.path, r.header, n)
}

// read reads the response from in and compares it.
func (r refusal) read(t *testing.T, in *bufio.Reader) {
	t.Helper()
	var got api.Problem
	res, err := http.ReadResponse(in, nil)
	if err == nil {
		err = json.NewDecoder(res.Body).Decode(&got)
	}
	if err != nil || res.StatusCode != r.status || got.Code != r.code {
		t.Errorf("%s: got %+v, %v, want %d %s", r.name, got, err, r.status, r.code)
	}
}

// A client that sends its whole body before it reads still reads the refusal, with and without TLS,
// and can reuse the connection.
func TestAClientThatSendsItsWholeBodyReadsTheRefusal(t *testing.T) {
	t.Parallel()
	const size = 1 << 20 // more than the library discards; much more takes long on a busy machine
	f := newFixture(t)
	c := newCertificate(t, time.Now().Add(time.Hour)).loaded.Config()
	overTLS := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
	plain, encrypted := f.listen(), f.listenOn(func(l net.Listener) net.Listener { return tls.NewListener(l, c) })
	for _, r := range f.refusals() {
		for name, dial := range map[string]func() (net.Conn, error){
			"TCP": func() (net.Conn, error) { return net.Dial("tcp", plain) },
			"TLS": func() (net.Conn, error) { return tls.Dial("tcp", encrypted, overTLS) },
		} {
			conn, err := dial()
			f.must(err)
			f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
			in := bufio.NewReader(conn)
			for range 2 {
				if _, err := io.Copy(conn, io.MultiReader(strings.NewReader(r.head(size)), bytes.NewReader(make([]byte, size)))); err != nil {
					t.Fatalf("%s over %s: %v", r.name, name, err)
				}
				r.read(t, in)
			}
			_ = conn.Close()
		}
	}
}

// pacedRefusal sends the request with a body of size bytes at 10 Mbit/s and returns the response, the
// time it took to send, and the error.
func pacedRefusal(f *fixture, r refusal, size, sent int) (got []byte, took time.Duration, err error) {
	conn, stop := servePipe(f.server)
	var reading sync.WaitGroup
	reading.Go(func() { got, _ = io.ReadAll(conn) }) // what the operating system keeps until the client reads
	start := time.Now()
	_, err = io.WriteString(conn, r.head(size))
	const chunk = 12_500 // bytes in 10 ms
	for n := 0; n < sent && err == nil; n += chunk {
		_, err = conn.Write(make([]byte, min(chunk, sent-n)))
		time.Sleep(10 * time.Millisecond)
	}
	took = time.Since(start)
	synctest.Wait()
	stop()
	reading.Wait()
	return got, took, err
}

// At 10 Mbit/s six megabytes take almost the five seconds of the discard limit.
func TestASlowClientReadsTheRefusal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, r := range f.refusals() {
		synctest.Test(t, func(t *testing.T) {
			const size = 6_000_000
			got, took, err := pacedRefusal(f, r, size, size)
			if err != nil || took > 5*time.Second {
				t.Errorf("%s: sending broke off after %v: %v", r.name, took, err)
			}
			r.read(t, bufio.NewReader(bytes.NewReader(got)))
		})
	}
}

// The response is sent at once, and an endless body is read for five seconds.
func TestABodyThatNeverEndsIsNotReadForLong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.refusals()[0]
	synctest.Test(t, func(t *testing.T) {
		got, took, err := pacedRefusal(f, r, 1<<40, 1<<40)
		if err == nil || took < 4*time.Second || took > 6*time.Second {
			t.Errorf("sending ended after %v with %v, want the end of the connection after 5 s", took, err)
		}
		r.read(t, bufio.NewReader(bytes.NewReader(got)))
	})
	synctest.Test(t, func(t *testing.T) { // a client waits for the response in the middle of its body
		got, _, err := pacedRefusal(f, r, 1<<20, 1000)
		if err != nil {
			t.Error(err)
		}
		r.read(t, bufio.NewReader(bytes.NewReader(got)))
	})
	conn, err := net.Dial("tcp", f.listen())
	f.must(err)
	defer conn.Close()
	f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, r.head(1<<40))
	f.must(err)
	n, err := io.Copy(conn, io.LimitReader(zeros{}, 1<<30)) // at full speed
	if err == nil {
		t.Errorf("%d bytes of a refused body were read", n)
	}
}

// zeros is a reader without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
