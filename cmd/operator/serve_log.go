package operator

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// newLog is a log of lines of text or of json.
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
	// finishTimeout is how long the end of the service waits for that reader.
	finishTimeout = 5 * time.Second
)

// lineBuffer writes lines behind those who give them, so that nobody waits for a reader
// that reads nothing. Lines that find no room, and those that cannot be written, are
// counted, and the number is reported once something is written again. It is safe for
// concurrent use.
type lineBuffer struct {
	out     io.Writer
	missing slog.Handler // reports how many lines are missing; it writes to out

	mu       sync.Mutex
	buffered []byte
	dropped  int           // since buffered was full
	flushed  chan struct{} // closed when everything is written; nil where it is
	finished bool

	unreported int // of the goroutine that writes
}

func newLineBuffer(out io.Writer, missing slog.Handler) *lineBuffer {
	return &lineBuffer{out: out, missing: missing}
}

// Write takes one line and never fails.
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
		n, _ := l.out.Write(lines) // a fault leaves lines, which are counted
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

// take returns what is buffered, and how many lines were dropped behind it; nothing at
// the end.
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

// finish waits until everything is written, finishTimeout at most. So does each Write from
// then on.
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
