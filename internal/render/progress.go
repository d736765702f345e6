package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// ProgressOptions configure a [Progress].
type ProgressOptions struct {
	// Label names the work and Unit what is counted, in the user's language.
	Label, Unit string
	// Total is the final count.
	Total int64
	// Quiet writes only what Note writes.
	Quiet bool
	// Line returns the plain line for a state, in the user's language.
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

// Progress shows the progress of long work: a bar with rate and time left on a
// terminal, a plain line every 30 seconds elsewhere. It is safe for concurrent
// use.
type Progress struct {
	w      io.Writer
	screen Screen
	o      ProgressOptions
	start  time.Time
	bar    *progressbar.ProgressBar // nil off a terminal

	mu    sync.Mutex
	done  int64
	ended bool
	next  *time.Timer // of [Progress.show]; nil if quiet
}

// NewProgress starts showing progress on w, which is standard error. The caller
// closes it.
func NewProgress(w io.Writer, s Screen, o ProgressOptions) *Progress {
	p := &Progress{w: w, screen: s, o: o, start: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case o.Quiet:
	case s.Terminal:
		p.bar = newBar(w, o)
		p.next = time.AfterFunc(barInterval, func() { p.show(barInterval) })
	default:
		p.next = time.AfterFunc(plainLineInterval, func() { p.show(plainLineInterval) })
	}
	return p
}

func newBar(w io.Writer, o ProgressOptions) *progressbar.ProgressBar {
	bar := progressbar.NewOptions64(max(1, o.Total), // the library refuses 0
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(Sanitise(o.Label)),
		progressbar.OptionSetItsString(Sanitise(o.Unit)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine that outlives the work
		progressbar.OptionClearOnFinish(),
	)
	bar.StartWithoutRender()
	return bar
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
	if p.bar != nil && !p.ended {
		p.clear()
	}
	fmt.Fprintln(p.w, p.screen.fit(text))
	p.drawBar()
}

// drawBar draws the bar, if there is one.
func (p *Progress) drawBar() {
	if p.bar != nil && !p.ended {
		_ = p.bar.Set64(p.done) // an error of the bar does not stop the work
	}
}

// clear removes the bar. The library's own method does not remove it on Windows.
func (p *Progress) clear() {
	_, _ = io.WriteString(p.w, "\r"+strings.Repeat(" ", max(p.screen.Width-1, 0))+"\r")
}

// Close stops showing progress and removes the bar. It may be called repeatedly.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		p.next.Stop()
	}
	if p.bar != nil && !p.ended {
		_ = p.bar.Exit()
		p.clear()
	}
	p.ended = true
}

// show draws the bar or writes a plain line, again after each interval until Close.
func (p *Progress) show(interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return
	case p.bar != nil:
		p.drawBar()
	default:
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
