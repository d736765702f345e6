package cli_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// silentInput never delivers input; it calls interrupt when a read begins to wait.
type silentInput struct {
	interrupt func()
	ended     <-chan struct{}
}

func (s silentInput) Read([]byte) (int, error) {
	s.interrupt()
	<-s.ended
	return 0, io.EOF
}

// Ctrl-C at a question is not a no.
func TestAQuestionIsLeftOnCtrlC(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in := silentInput{interrupt, t.Context().Done()}
	var shown strings.Builder
	e := &cli.Env{In: in, Err: &shown}
	e.CancelReads(ctx)
	if answer, err := e.ReadLine(); answer != "" || !errors.Is(err, context.Canceled) || shown.String() != "\n" {
		t.Errorf("got %q, %v, want the interruption, and what follows on a line of its own: %q", answer, err, shown.String())
	}
	e = &cli.Env{In: strings.NewReader("yes\n")}
	e.CancelReads(t.Context())
	if answer, err := e.ReadLine(); answer != "yes" || err != nil {
		t.Errorf("got %q, %v, want the answer", answer, err)
	}
}
