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
)

// A client that sends its body a byte a minute is disconnected, and the service stops
// cleanly.
func TestASlowClientDoesNotBlockShutdown(t *testing.T) {
	s := running(t, ServeOptions{})
	var log strings.Builder
	s.log = slog.New(slog.NewTextHandler(&log, nil))
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
	if !strings.Contains(log.String(), "broken off") {
		t.Errorf("the log has %q, want that a request was broken off", &log)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c); err != nil && os.IsTimeout(err) {
		t.Errorf("got %v, want a closed connection", err)
	}
}
