package server_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/server"
)

// Frames of HTTP/2 (RFC 9113, section 6) and the error code of a flood.
const (
	frameHeaders, frameReset, frameSettings, frameGoAway = 0x1, 0x3, 0x4, 0x7
	enhanceYourCalm                                      = 0xb
)

func http2Frame(kind, flags byte, stream uint32, payload ...byte) []byte {
	b := []byte{0, 0, byte(len(payload)), kind, flags}
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

// resetStreams opens n streams and resets each at once, and returns the error
// code with which the server ends the connection.
func resetStreams(t *testing.T, conn net.Conn, n int) (code uint32) {
	t.Helper()
	request := []byte{0x82, 0x84, 0x87, 0x41, 1, 'x'} // GET https://x/ in HPACK
	go func() {
		w := bufio.NewWriter(conn)
		_, _ = w.WriteString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		_, _ = w.Write(http2Frame(frameSettings, 0, 0))
		for id := uint32(1); id < uint32(2*n); id += 2 {
			_, _ = w.Write(http2Frame(frameHeaders, 0x5, id, request...))
			if _, err := w.Write(http2Frame(frameReset, 0, id, 0, 0, 0, 8)); err != nil {
				return // the server has closed the connection
			}
		}
		_ = w.Flush()
	}()
	r := bufio.NewReader(conn)
	for {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			t.Fatalf("the connection ended without a reason: %v", err)
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(r, payload); err != nil {
			t.Fatal(err)
		}
		if head[3] == frameGoAway {
			return binary.BigEndian.Uint32(payload[4:])
		}
	}
}

// A client of HTTP/2 that opens streams and resets them at once, by the ten
// thousand, is cut off. What it started stays bounded, also where requests do
// not notice that they were reset, and other clients go on.
func TestAClientThatResetsStreamsByTheThousandIsCutOff(t *testing.T) {
	t.Parallel()
	const streams, atOnce = 10_000, 250 // those of one connection
	cert, key := writeCertificate(t, t.TempDir(), "x.example")
	c, err := server.LoadCertificate(cert, key, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	var started, ended atomic.Int32
	release := make(chan struct{})
	srv := server.NewHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "x" {
			started.Add(1)
			defer ended.Add(1)
			<-release
		}
	}), "", nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.Serve(tls.NewListener(l, c.Config())) }()
	t.Cleanup(func() { _ = srv.Close() })
	conn, _, err := dialTLS(t, l.Addr().String(), &tls.Config{NextProtos: []string{"h2"}})
	if err != nil || conn.ConnectionState().NegotiatedProtocol != "h2" {
		t.Fatalf("got %v, want HTTP/2", err)
	}
	if got := resetStreams(t, conn, streams); got != enhanceYourCalm {
		t.Errorf("the connection ended with error %d, want %d", got, enhanceYourCalm)
	}
	if got := started.Load(); got > atOnce {
		t.Errorf("%d requests ran at once, want %d at most", got, atOnce)
	}
	other := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	defer other.CloseIdleConnections()
	for range 3 {
		res, err := other.Get("https://" + l.Addr().String())
		if err != nil || res.StatusCode != http.StatusOK || res.ProtoMajor != 2 {
			t.Fatalf("another client: got %v, %v", res, err)
		}
		_ = res.Body.Close()
	}
	close(release)
	for deadline := time.Now().Add(time.Minute); ended.Load() < started.Load(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d requests never ended", started.Load()-ended.Load(), started.Load())
		}
	}
	if got := started.Load(); got > atOnce {
		t.Errorf("%d requests were started in all, want those that ran at once", got)
	}
}
