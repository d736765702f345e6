//go:build unix

package operator

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/store/pgtest"
)

// A client that sends its body a byte a minute is disconnected, and the service stops
// cleanly.
func TestASlowClientDoesNotBlockShutdown(t *testing.T) {
	r, log := io.Pipe()
	lines := make(chan string, 10)
	go func() {
		for scan := bufio.NewScanner(r); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	s, err := StartService(t.Context(), ServeOptions{Listen: "127.0.0.1:0", DB: pgtest.DSN(t)}, slog.New(slog.NewTextHandler(log, nil)))
	must(t, err)
	s.shutdownTimeout = 200 * time.Millisecond
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	must(t, err)
	defer c.Close()
	fmt.Fprintf(c, "POST /authenticate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("got %q, %v, want that the body is read", line, err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("got %v, want a service that stopped", err)
	}
	for line := ""; !strings.Contains(line, "broken off"); {
		select {
		case line = <-lines:
		case <-time.After(time.Minute):
			t.Fatalf("the log ends with %q, want that a request was broken off", line)
		}
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c); err != nil && os.IsTimeout(err) {
		t.Errorf("got %v, want a closed connection", err)
	}
}
