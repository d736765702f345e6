package operator

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// newLog returns a logger that writes lines of text or JSON.
func newLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	return slog.New(newLogHandler(w, format, level))
}

func newLogHandler(w io.Writer, format string, level slog.Leveler) slog.Handler {
	o := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

const (
	// maxBuffered is how many bytes wait for the reader of the log: some 20,000 lines.
	maxBuffered = 4 << 20
	// finishTimeout is how long the service waits for that reader when it ends.
	finishTimeout = 5 * time.Second
)

// lineBuffer writes lines asynchronously, so that nobody waits for a reader that reads nothing.
// Lines that do not fit or cannot be written are counted, and the number is reported once
// something can be written again. It is safe for concurrent use.
type lineBuffer struct {
	out     io.Writer
	missing slog.Handler // reports the number of missing lines; it writes to out

	mu       sync.Mutex
	buffered []byte
	dropped  int           // lines dropped since buffered was full
	flushed  chan struct{} // closed when everything is written; nil if it is
	finished bool

	unreported int // missing lines; used only by the goroutine that writes
}

func newLineBuffer(out io.Writer, missing slog.Handler) *lineBuffer {
	return &lineBuffer{out: out, missing: missing}
}

// Write takes one line and never returns an error.
func (l *lineBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	if l.dropped > 0 || len(l.buffered)+len(line) > maxBuffered {
		l.dropped++
	} else {
		l.buffered = append(l.buffered, line...)
	}
	if l.flushed == nil {
		l.flushed = make(chan struct{})
		go l.flush(l.flushed)
	}
	finished := l.finished
	l.mu.Unlock()
	if finished {
		l.finish()
	}
	return len(line), nil
}

// flush writes until nothing is left.
func (l *lineBuffer) flush(flushed chan struct{}) {
	defer close(flushed)
	for lines, dropped := l.take(); len(lines)+dropped > 0; lines, dropped = l.take() {
		n, _ := l.out.Write(lines) // lines that were not written are counted
		l.unreported += dropped + bytes.Count(lines[n:], []byte("\n"))
		if l.unreported == 0 {
			continue
		}
		r := slog.NewRecord(time.Now(), slog.LevelError, "lines of the log are missing: nobody read them, or they could not be written", 0)
		r.AddAttrs(slog.Int("lines", l.unreported))
		if l.missing.Handle(context.Background(), r) == nil {
			l.unreported = 0
		}
	}
}

// take returns the buffered lines and the number of lines dropped after them; nothing at the end.
func (l *lineBuffer) take() (lines []byte, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, dropped = l.buffered, l.dropped
	l.buffered, l.dropped = nil, 0
	if len(lines)+dropped == 0 {
		l.flushed = nil
	}
	return lines, dropped
}

// finish waits until everything is written, at most finishTimeout. Each later Write waits too.
func (l *lineBuffer) finish() {
	l.mu.Lock()
	l.finished = true
	flushed := l.flushed
	l.mu.Unlock()
	if flushed == nil {
		return
	}
	select {
	case <-flushed:
	case <-time.After(finishTimeout):
	}
}
