package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
)

// A refusal reaches a client whose body takes longer than a response may take, also if the body is
// refused early: net/http continues to read before it writes the response.
func TestASlowBodyThatIsTooLargeIsStillToldSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const seconds = 100 // within the limit of a body, beyond that of a response
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d", n) }
	const chunked = "Transfer-Encoding: chunked"
	part := strings.Repeat("x", api.MaxBodyBytes/seconds)
	for _, c := range []struct {
		name, path, header, each, last string // each is sent every second, last at the end
		status                         int
		code                           string
	}{
		{"too large", api.PathAuthenticate, chunked, chunk(part), chunk(part), 413, api.CodePayloadTooLarge},
		{"too large by its header", api.PathAuthenticate, length(api.MaxBodyBytes + 1), part, "", 413, api.CodePayloadTooLarge},
		{"compressed", api.PathAuthenticate, length(1000) + "\r\nContent-Encoding: gzip", "x", "", 400, api.CodeUnsupportedEncoding},
		{"spoilt chunks", api.PathAuthenticate, chunked, chunk("x"), "no chunk\r\n", 400, api.CodeMalformedJSON},
		{"cut off", api.PathAuthenticate, length(1000), "x", "", 400, api.CodeMalformedJSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, stop := servePipe(f.server)
				var writing sync.WaitGroup
				writing.Go(func() {
					_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", c.path, c.header)
					for range seconds {
						if err != nil {
							return // refused
						}
						time.Sleep(time.Second)
						_, err = conn.Write([]byte(c.each))
					}
					_, _ = conn.Write([]byte(c.last))
				})
				var got api.Problem
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err == nil {
					err = json.NewDecoder(res.Body).Decode(&got)
				}
				if err != nil || res.StatusCode != c.status || got.Code != c.code || (c.status == 413) != (got.Limit == api.MaxBodyBytes) {
					t.Errorf("got %+v, %v, want %d %s", got, err, c.status, c.code)
				}
				stop()
				writing.Wait()
			})
		})
	}
}
