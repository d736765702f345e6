package cmd

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/cli"
	"ativa/internal/run"
)

// slowWriter takes a second for each write.
type slowWriter struct{ strings.Builder }

func (w *slowWriter) Write(b []byte) (int, error) {
	time.Sleep(time.Second)
	return w.Builder.Write(b)
}

// An interruption at the end of a run is noted before the command prints anything else.
func TestARunEndsAfterItsNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stderr := new(slowWriter)
		ctx, interrupt := context.WithCancel(t.Context())
		r := &rowRun{Env: &cli.Env{Err: stderr, Getenv: func(string) string { return "" }}, unit: cli.Msg("rows"), total: 1}
		err := r.execute(ctx, cli.Msg("sent"), "", sendOptions{}, func(run.Options) error {
			interrupt()
			return nil
		})
		if got := stderr.String(); err != nil || !strings.Contains(got, "finishing what is under way") {
			t.Errorf("got %q, %v, want the notice", got, err)
		}
	})
}
