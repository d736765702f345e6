package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// ProgressOptions configure a [Progress].
type ProgressOptions struct {
	// Total is the final count.
	Total int64
	// Quiet writes only what Note writes.
	Quiet bool
	// Line returns the words for a state, in the user's language.
	Line func(ProgressState) string
}

// ProgressState is the state of the work.
type ProgressState struct {
	Done, Total int64
	// Rate is the average per second since the start.
	Rate float64
	// Left is the time left at that rate, 0 if unknown.
	Left time.Duration
}

// The time between two plain lines (cli.md, Output), and between two bars.
const plainLineInterval, barInterval = 30 * time.Second, 100 * time.Millisecond

// Progress shows the progress of long work: on a terminal a line with a bar that is
// written over, a plain line every 30 seconds elsewhere. It is safe for concurrent use.
type Progress struct {
	w      io.Writer
	screen Screen
	o      ProgressOptions
	start  time.Time

	mu   sync.Mutex
	done int64
	next *time.Timer // of [Progress.show]; nil if quiet or closed
}

// NewProgress starts showing progress on w, which is standard error. The caller
// closes it.
func NewProgress(w io.Writer, s Screen, o ProgressOptions) *Progress {
	p := &Progress{w: w, screen: s, o: o, start: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	interval := plainLineInterval
	if s.Terminal {
		interval = barInterval
	}
	if !o.Quiet {
		p.next = time.AfterFunc(interval, func() { p.show(interval) })
	}
	return p
}

// Add counts n more.
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
}

// Note writes a line of text, above the bar if there is one. It writes even if
// Quiet is set, because it is a warning and not progress.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawBar(false)
	fmt.Fprintln(p.w, p.screen.fit(text))
	p.drawBar(true)
}

// drawBar replaces the line with the bar and its words, without the bar on a narrow screen. If show is
// false, it only clears the line. The last cell stays free, because some terminals wrap there.
func (p *Progress) drawBar(show bool) {
	const marks = 10
	if p.next == nil || !p.screen.Terminal {
		return
	}
	w, room, line := terminalWidths(), p.screen.Width-1, ""
	if s := p.state(); show {
		done := int(marks * min(s.Done, s.Total) / max(s.Total, 1))
		bar := strings.Repeat("█", done) + strings.Repeat("░", marks-done) + " "
		if line = Sanitise(p.o.Line(s)); w.StringWidth(bar+line) <= room {
			line = bar + line
		}
	}
	_, _ = io.WriteString(p.w, "\r"+w.FillRight(w.Truncate(line, room, "…"), room)+"\r") // an error does not stop the work
}

// Close stops showing progress and removes the bar. It may be called repeatedly.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawBar(false)
	if p.next != nil {
		p.next.Stop()
	}
	p.next = nil
}

// show draws the bar or writes a plain line, again after each interval until Close.
func (p *Progress) show(interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		return
	}
	if p.drawBar(true); !p.screen.Terminal {
		_, _ = io.WriteString(p.w, Sanitise(p.o.Line(p.state()))+"\n")
	}
	p.next.Reset(interval)
}

func (p *Progress) state() ProgressState {
	s := ProgressState{Done: p.done, Total: p.o.Total}
	if passed := time.Since(p.start).Seconds(); passed > 0 {
		s.Rate = float64(s.Done) / passed
	}
	if s.Rate > 0 && s.Total > s.Done {
		s.Left = time.Duration(float64(s.Total-s.Done) / s.Rate * float64(time.Second)).Round(time.Second)
	}
	return s
}
