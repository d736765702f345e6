package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// interruptedInput never delivers input: interrupt is called when a read begins to wait.
type interruptedInput struct {
	interrupt func()
	ended     <-chan struct{}
}

func (s interruptedInput) Read([]byte) (int, error) {
	s.interrupt()
	<-s.ended
	return 0, io.EOF
}

// Ctrl-C at a question is not a no.
func TestAQuestionIsLeftOnCtrlC(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var shown strings.Builder
	e := &Env{In: interruptedInput{interrupt, t.Context().Done()}, Err: &shown}
	e.CancelReads(ctx)
	err := e.ask(Msg("Go on?"), func(answer string) bool { return answer == "" })
	if !errors.Is(err, context.Canceled) || shown.String() != "Go on? \n" {
		t.Errorf("got %v, want the interruption, and what follows on a line of its own: %q", err, shown.String())
	}
}
