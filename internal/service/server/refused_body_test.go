package server_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
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
	method, path, header string
	status               int
	code                 string
}

func (f *fixture) refusals() []refusal {
	authorization := "Authorization: Bearer " + f.bearer + "\r\n"
	return []refusal{
		{"POST", api.PathImport, "", 401, api.CodeTokenMissing},
		{"POST", api.PathImport, "Authorization: Bearer wrong\r\n", 401, api.CodeTokenInvalid},
		{"POST", api.PathImport, f.token("painel", domain.ScopeRead) + "\r\n", 403, api.CodeInsufficientScope},
		{"POST", "/nowhere", authorization, 404, api.CodeNotFound},
		{"PUT", api.PathImport, authorization, 405, api.CodeMethodNotAllowed},
		{"POST", api.PathImport, authorization + "Content-Type: text/csv\r\n", 415, api.CodeUnsupportedMediaType},
		{"POST", api.PathAuthenticate, "", 413, api.CodePayloadTooLarge},
	}
}

// head returns the request up to its body of n bytes.
func (r refusal) head(n int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n", r.method, r.path, r.header, n)
}

// A client that sends its whole body before it reads still reads the refusal, with and without TLS,
// and can reuse the connection.
func TestAClientThatSendsItsWholeBodyReadsTheRefusal(t *testing.T) {
	t.Parallel()
	const size = 1 << 20 // more than the library discards; much more takes long on a busy machine
	f := newFixture(t)
	config := newCertificate(t, time.Now().Add(time.Hour)).loaded.Config()
	plain, encrypted := f.listen(), f.listen(func(srv *http.Server) { srv.TLSConfig = config })
	for _, r := range f.refusals() {
		overTLS, err := tls.Dial("tcp", encrypted, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		f.must(err)
		defer overTLS.Close()
		overTCP, _ := f.dial(plain)
		for _, conn := range []net.Conn{overTCP, overTLS} {
			f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
			in := bufio.NewReader(conn)
			for range 2 {
				_, err := io.Copy(conn, io.MultiReader(strings.NewReader(r.head(size)), bytes.NewReader(make([]byte, size))))
				f.must(err)
				got, err := readReply(t, in)
				f.must(err)
				got.want(r.status, r.code)
			}
		}
	}
}

// slowRequest is a request whose body comes in parts with a pause after each.
type slowRequest struct {
	head, part string
	parts      int
	pause      time.Duration
	last       string
}

// send sends the request in virtual time and returns the response, the time it took to send, and the
// error of sending.
func (q slowRequest) send(t *testing.T, f *fixture) (got reply, took time.Duration, sending error) {
	t.Helper()
	conn, stop := servePipe(f.server)
	var reading sync.WaitGroup
	var all []byte
	reading.Go(func() { all, _ = io.ReadAll(conn) }) // what the operating system keeps until the client reads
	start := time.Now()
	_, sending = io.WriteString(conn, q.head)
	for n := 0; n < q.parts && sending == nil; n++ {
		_, sending = io.WriteString(conn, q.part)
		time.Sleep(q.pause)
	}
	if sending == nil {
		_, sending = io.WriteString(conn, q.last)
	}
	took = time.Since(start)
	time.Sleep(time.Minute) // the server waits for the rest
	stop()
	reading.Wait()
	got, err := readReply(t, bufio.NewReader(bytes.NewReader(all)))
	must(t, err)
	return got, took, sending
}

// tenMbit returns a request that announces a body of size bytes and sends the first sent bytes at
// 10 Mbit/s.
func (r refusal) tenMbit(size, sent int) slowRequest {
	const part = 12_500
	return slowRequest{head: r.head(size), part: strings.Repeat("x", part), parts: sent / part, pause: 10 * time.Millisecond}
}

// At 10 Mbit/s six megabytes take almost the five seconds of the discard limit.
func TestASlowClientReadsTheRefusal(t *testing.T) {
	f := newParallelFixture(t)
	for _, r := range f.refusals() {
		synctest.Test(t, func(t *testing.T) {
			got, took, err := r.tenMbit(6_000_000, 6_000_000).send(t, f)
			if got.want(r.status, r.code); err != nil || took > 5*time.Second {
				t.Errorf("%+v: sending broke off after %v: %v", r, took, err)
			}
		})
	}
}

// The response is sent at once, and an endless body is read for five seconds.
func TestABodyThatNeverEndsIsNotReadForLong(t *testing.T) {
	f := newParallelFixture(t)
	r := f.refusals()[0]
	synctest.Test(t, func(t *testing.T) {
		got, took, err := r.tenMbit(1<<40, 1<<40).send(t, f)
		if got.want(r.status, r.code); err == nil || took < 4*time.Second || took > 6*time.Second {
			t.Errorf("sending ended after %v with %v, want the end of the connection after 5 s", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a client waits for the response in the middle of its body
		got, _, err := r.tenMbit(1<<20, 12_500).send(t, f)
		must(t, err)
		got.want(r.status, r.code)
	})
	conn, _ := f.dial(f.listen())
	_, err := io.WriteString(conn, r.head(1<<40))
	f.must(err)
	n, err := io.Copy(conn, bytes.NewReader(make([]byte, 1<<26))) // at full speed
	if err == nil {
		t.Errorf("%d bytes of a refused body were read", n)
	}
}

// A refusal reaches a client whose body takes longer than a response may take, also if the body is
// refused early: net/http continues to read before it writes the response.
func TestASlowInvalidBodyIsRefusedWithItsError(t *testing.T) {
	f := newParallelFixture(t)
	const seconds = 100 // within the limit of a body, beyond that of a response
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d", n) }
	const chunked = "Transfer-Encoding: chunked"
	part := strings.Repeat("x", api.MaxBodyBytes/seconds)
	for _, c := range []struct {
		name, header, part, last string // a part is sent every second
		status                   int
		code                     string
	}{
		{"too large", chunked, chunk(part), chunk(part), 413, api.CodePayloadTooLarge},
		{"too large by its header", length(api.MaxBodyBytes + 1), part, "", 413, api.CodePayloadTooLarge},
		{"compressed", length(1000) + "\r\nContent-Encoding: gzip", "x", "", 400, api.CodeUnsupportedEncoding},
		{"invalid chunks", chunked, chunk("x"), "no chunk\r\n", 400, api.CodeMalformedJSON},
		{"cut off", length(1000), "x", "", 400, api.CodeMalformedJSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				head := "POST " + api.PathAuthenticate + " HTTP/1.1\r\nHost: x\r\n" + c.header + "\r\n\r\n"
				got, _, _ := slowRequest{head, c.part, seconds, time.Second, c.last}.send(t, f)
				got.want(c.status, c.code)
				if limit := got.text("limit"); (c.status == 413) != (limit == fmt.Sprint(api.MaxBodyBytes)) {
					t.Errorf("got the limit %s", limit)
				}
			})
		})
	}
}
