package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
)

func TestAnInputThatDoesNotComeIsLeftOnCtrlC(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { stop(errInterrupted) })
	silent, _ := io.Pipe()
	wantInterrupted(ctx, t, silent, "subscribers import -")
}

// wantInterrupted runs a command that is interrupted while it waits.
func wantInterrupted(ctx context.Context, t *testing.T, in io.Reader, line string) {
	t.Helper()
	u := newUser(t, nil)
	u.must("context", "add", "work", "--server", "http://127.0.0.1:9", "--use")
	var printed bytes.Buffer
	if exit := Run(ctx, u.environment(in, io.Discard, &printed), strings.Fields(line)); exit != cli.ExitInterrupted || !strings.HasSuffix("\n"+printed.String(), "\nativa: interrupted\n") {
		t.Errorf("exit %d, want %d: %s", exit, cli.ExitInterrupted, &printed)
	}
}
