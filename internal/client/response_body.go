package client

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

const (
	maxErrorBody = 1 << 20 // limits the body of an error, in bytes
	// minProgress is how many bytes must arrive within the idle time-out, so
	// that a server that sends single bytes times out too.
	minProgress = 4 << 10
)

// constError is an error with a constant text.
type constError string

func (r constError) Error() string { return string(r) }

const (
	errTimeout  constError = "no whole answer in time"
	errSilent   constError = "the server has gone silent"
	errTooLarge constError = "larger than this program reads"
	errEmpty    constError = "empty"
)

// readAll reads up to limit bytes. If there are more, it returns these with
// errTooLarge.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(body)) > limit {
		return body[:limit], errTooLarge
	}
	return body, err
}

// idleTimeoutBody cancels the request if its body makes no progress. Only the
// time within Read counts, not that of a slow caller.
type idleTimeoutBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
	timer  *time.Timer
	silent atomic.Bool
	idle   time.Duration
	left   time.Duration // of idle, for the next minProgress bytes
	got    int           // bytes of them
}

func newIdleTimeoutBody(body io.ReadCloser, idle time.Duration, cancel context.CancelCauseFunc) *idleTimeoutBody {
	b := &idleTimeoutBody{ReadCloser: body, cancel: cancel, idle: idle, left: idle}
	b.timer = time.AfterFunc(idle, func() {
		b.silent.Store(true)
		cancel(errSilent)
	})
	b.timer.Stop()
	return b
}

// Read returns errSilent after the idle time-out.
func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	start := time.Now()
	b.timer.Reset(b.left)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	b.left = max(b.left-time.Since(start), 0)
	if b.got += n; b.got >= minProgress {
		b.left, b.got = b.idle, 0
	}
	if err != nil && err != io.EOF && b.silent.Load() {
		err = errSilent
	}
	return n, err
}

// Close closes the body and cancels the request.
func (b *idleTimeoutBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
