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

func TestOffATerminalProgressIsALineEvery30Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := render.NewProgress(&out, render.Screen{}, render.ProgressOptions{Total: 1000, Line: func(s render.ProgressState) string {
			return fmt.Sprintf("\x1b%d of %d, %.0f a second, %s left", s.Done, s.Total, s.Rate, s.Left)
		}})
		time.Sleep(500 * time.Millisecond) // no tick falls on a count
		for range 70 {
			time.Sleep(time.Second)
			p.Add(10)
		}
		p.Close()
		p.Close()
		want := "\\x1b290 of 1000, 10 a second, 1m13s left\n\\x1b590 of 1000, 10 a second, 42s left\n"
		if got := out.String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestOnATerminalABarShowsCountRateAndTimeLeftAndGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := render.NewProgress(&out, screen(), render.ProgressOptions{Label: "import", Unit: "rows", Total: 100})
		for range 50 {
			time.Sleep(200 * time.Millisecond)
			p.Add(1)
		}
		p.Note("line 3: odd\x1b")
		p.Close()
		got := out.String()
		for _, want := range []string{"import", "50%", "50/100", "rows/s", "line 3: odd\\x1b\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("got no %q in %q", want, got)
			}
		}
		if last := got[strings.LastIndex(strings.TrimSuffix(got, "\r"), "\r")+1:]; strings.TrimSpace(last) != "" {
			t.Errorf("got %q left on the line", last)
		}
	})
}

func TestAnUnknownTotalIsCountedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := render.NewProgress(&out, screen(), render.ProgressOptions{Label: "export", Unit: "rows"})
		for range 10 {
			time.Sleep(time.Second)
			p.Add(7)
		}
		if got := p.State(); got.Done != 70 || got.Total != 0 || got.Left != 0 || got.Rate < 6.9 {
			t.Errorf("got %+v", got)
		}
		p.Close()
		if !strings.Contains(out.String(), "70") {
			t.Errorf("got %q", out.String())
		}
	})
}

func TestAQuietProgressWritesOnlyNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range []render.Screen{{}, screen()} {
			var out bytes.Buffer
			p := render.NewProgress(&out, s, render.ProgressOptions{Total: 10, Quiet: true})
			p.Add(5)
			time.Sleep(time.Hour)
			p.Close()
			if out.Len() > 0 {
				t.Errorf("got %q", out.String())
			}
		}
	})
}

func TestProgressMayBeCountedFromAnywhere(t *testing.T) {
	var out bytes.Buffer
	p := render.NewProgress(&out, screen(), render.ProgressOptions{Label: "x", Unit: "rows", Total: 8000})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				p.Add(1)
			}
			p.Note("done")
			_ = p.State()
		})
	}
	all.Wait()
	p.Close()
	if got := p.State().Done; got != 8000 {
		t.Errorf("got %d, want 8000", got)
	}
}
