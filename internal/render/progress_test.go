package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/render"
)

// progressOf returns what a progress shows of work.
func progressOf(t *testing.T, s render.Screen, o render.ProgressOptions, work func(*render.Progress)) string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		p := render.NewProgress(&out, s, o)
		work(p)
		p.Close()
		shown := out.Len()
		if p.Close(); out.Len() != shown {
			t.Errorf("a second Close writes %q", out.String()[shown:])
		}
	})
	return out.String()
}

func line(s render.ProgressState) string {
	return fmt.Sprintf("\x1bimport: %d/%d rows, %.0f rows/s, %s left", s.Done, s.Total, s.Rate, s.Left)
}

func TestOffATerminalProgressIsALineEvery30Seconds(t *testing.T) {
	got := progressOf(t, render.Screen{}, render.ProgressOptions{Total: 1000, Line: line}, func(p *render.Progress) {
		time.Sleep(500 * time.Millisecond) // no tick falls on a count
		for range 70 {
			time.Sleep(time.Second)
			p.Add(10)
		}
	})
	if want := "\\x1bimport: 290/1000 rows, 10 rows/s, 1m13s left\n\\x1bimport: 590/1000 rows, 10 rows/s, 42s left\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOnATerminalABarShowsCountRateAndTimeLeftAndGoesAway(t *testing.T) {
	got := progressOf(t, screen(), render.ProgressOptions{Total: 100, Line: line}, func(p *render.Progress) {
		for range 50 {
			time.Sleep(200 * time.Millisecond)
			p.Add(1)
		}
		p.Note("line 3: odd\x1b")
		p.Note(strings.Repeat("nine long ", 8) + "words")
	})
	for _, want := range []string{"import", strings.Repeat("█", 5) + strings.Repeat("░", 5), "50/100", "rows/s", "line 3: odd\\x1b\n", "long\nwords\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got no %q in %q", want, got)
		}
	}
	if last := got[strings.LastIndex(strings.TrimSuffix(got, "\r"), "\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("got %q left on the line", last)
	}
}

// The next count may be minutes away, so that a bar that is not up to date would stay. A progress
// is safe for concurrent use.
func TestABarIsUpToDateSoonAfterACountAndANote(t *testing.T) {
	for want, work := range map[string]func(*render.Progress){
		"2/9": func(p *render.Progress) { p.Add(1); p.Add(1) },
		"1/9": func(p *render.Progress) { p.Add(1); p.Note("odd") },
		"0/9": func(*render.Progress) {},
		"8000/9": func(p *render.Progress) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 1000 {
						p.Add(1)
					}
					p.Note("done")
				})
			}
			all.Wait()
		},
	} {
		got := progressOf(t, screen(), render.ProgressOptions{Total: 9, Line: line}, func(p *render.Progress) {
			work(p)
			time.Sleep(time.Second)
		})
		shown := strings.Split(strings.TrimRight(got, "\r "), "\r")
		if last := shown[len(shown)-1]; !strings.Contains(last, want) {
			t.Errorf("got %q last, want %q", last, want)
		}
	}
}

func TestAQuietProgressWritesOnlyNotes(t *testing.T) {
	for _, s := range []render.Screen{{}, screen()} {
		got := progressOf(t, s, render.ProgressOptions{Total: 10, Quiet: true}, func(p *render.Progress) {
			p.Add(5)
			time.Sleep(time.Hour)
			p.Note("odd")
		})
		if got != "odd\n" {
			t.Errorf("got %q, want the note alone", got)
		}
	}
}
