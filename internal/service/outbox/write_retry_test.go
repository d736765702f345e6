package outbox

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnOutcomeIsWrittenInEightTriesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Worker{options: Options{Log: slog.New(slog.DiscardHandler)}}
		began, last, calls := time.Now(), time.Duration(0), 0
		written := w.writeWithRetry(t.Context(), func(context.Context) error {
			calls++
			last = time.Since(began)
			return errors.New("the disk is gone")
		})
		if took := time.Since(began); written || calls != 8 || took != last || took > 7*time.Second {
			t.Errorf("got %t after %d calls and %s, the last at %s; want 8 calls and no wait after the last", written, calls, took, last)
		}
	})
}
