package cli

import (
	"context"
	"errors"
	"io"

	"golang.org/x/term"

	"ativa/internal/system"
)

// input is standard input that can be interrupted: once ctx has ended, Read returns even if
// nothing arrives, as at a question or an idle pipe. Later input is lost. It is not safe for
// concurrent use.
type input struct {
	ctx  context.Context
	from io.Reader
	buf  []byte // buffer of the read in progress
}

// CancelReads makes reads of standard input end with ctx.
func (e *Env) CancelReads(ctx context.Context) {
	if i, ok := e.In.(*input); ok {
		e.In = i.from
	}
	e.In = &input{ctx: ctx, from: e.In}
}

func (i *input) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	if len(i.buf) < len(p) {
		i.buf = make([]byte, len(p))
	}
	n, err := Await(i.ctx, func() (int, error) { return i.from.Read(i.buf[:len(p)]) })
	return copy(p, i.buf[:n]), err
}

// ReadError returns err for an interrupted read of standard input, else otherwise.
func ReadError(err, otherwise error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return otherwise
}

// Await returns the result of do, or the cause of ctx's end; do then continues in the
// background.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := do()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// ReadPassword reads a line from a terminal without echo and restores the terminal, also when ctx
// ends.
func ReadPassword(ctx context.Context, fd int) ([]byte, error) {
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	stop := system.HideAfterStop(fd)
	line, err := Await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	stop()
	_ = term.Restore(fd, before) // the read's error or the cause of ctx's end matters
	return line, err
}
