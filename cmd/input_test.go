package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// silentInput never delivers input, and interrupts the command when a read begins to
// wait.
type silentInput struct {
	interrupt func()
	ended     <-chan struct{}
}

func (s silentInput) Read([]byte) (int, error) {
	s.interrupt()
	<-s.ended
	return 0, io.EOF
}

// Ctrl-C once ends a command that waits for standard input.
func TestAnInputThatDoesNotComeIsLeftOnCtrlC(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	wantInterrupted(ctx, t, silentInput{func() { stop(errInterrupted) }, t.Context().Done()}, "subscribers import -")
}

// wantInterrupted runs a command that is interrupted while it waits.
func wantInterrupted(ctx context.Context, t *testing.T, in io.Reader, line string) {
	t.Helper()
	u := newUser(t, nil)
	u.must("context", "add", "work", "--server", "http://127.0.0.1:9", "--use")
	var printed bytes.Buffer
	if exit := Run(ctx, u.environment(in, io.Discard, &printed), strings.Fields(line)); exit != cli.ExitInterrupted || !strings.HasSuffix(printed.String(), "ativa: interrupted\n") {
		t.Errorf("exit %d, want %d: %s", exit, cli.ExitInterrupted, &printed)
	}
}
