package delivery_test

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/delivery"
)

// schedulingOutbox counts how often it is asked to perform what is due, by a clock that is
// ahead.
type schedulingOutbox struct {
	fakeOutbox
	asked, ahead atomic.Int64
	quiet        time.Duration
}

func (o *schedulingOutbox) Now() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }

func (o *schedulingOutbox) SinceLastEvent(context.Context) (time.Duration, error) {
	return o.quiet, nil
}

func (o *schedulingOutbox) PerformSchedules(context.Context) (bool, error) {
	o.asked.Add(1)
	return false, nil
}

// A cancellation cannot be taken back: where the clock may be ahead nothing that is scheduled
// is performed for an hour, or until the clock is set right.
func TestNothingIsPerformedWhereTheClockMayBeAhead(t *testing.T) {
	for _, c := range []struct {
		name    string
		quiet   time.Duration
		ahead   time.Duration // by which the clock is set after 10 s
		back    bool          // it is set right 10 s later
		atLeast int64         // within 30 s
		atMost  int64
	}{
		{"a clock that is right", 0, 0, false, 30, 31},
		{"a small correction", 0, 30 * time.Second, false, 30, 31},
		{"a clock that is set ahead", 0, 400 * 24 * time.Hour, false, 10, 11},
		{"and set right again", 0, 400 * 24 * time.Hour, true, 20, 22},
		{"a start long after the last event", 48 * time.Hour, 0, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				o := &schedulingOutbox{quiet: c.quiet}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					delivery.New(o, delivery.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}).Run(ctx)
				}()
				time.Sleep(10*time.Second + 500*time.Millisecond)
				o.ahead.Store(int64(c.ahead))
				time.Sleep(10 * time.Second)
				if c.back {
					o.ahead.Store(0)
				}
				time.Sleep(9*time.Second + 500*time.Millisecond)
				if n := o.asked.Load(); n < c.atLeast || n > c.atMost {
					t.Errorf("asked %d times within 30 s, want %d to %d", n, c.atLeast, c.atMost)
				}
				time.Sleep(time.Hour)
				if before := o.asked.Load(); before < 20 {
					t.Errorf("after an hour it was asked %d times", before)
				}
				cancel()
				<-ended
			})
		})
	}
}
