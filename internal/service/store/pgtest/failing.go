package pgtest

import (
	"context"
	"errors"
	"sync"
)

// ErrStatement is the error of a statement that FailEach makes fail.
var ErrStatement = errors.New("the statement fails")

// FailEach calls do repeatedly, each time making another of the statements that run with its
// context fail with ErrStatement, and once more without a failure. It returns how many statements
// failed, and reports calls that did not return ErrStatement for one that failed.
func FailEach(t TB, what string, do func(context.Context) error) (failed int) {
	t.Helper()
	for n := 1; ; n++ {
		ctx := &failingContext{Context: t.Context(), left: n}
		err := do(ctx)
		switch {
		case ctx.known:
			if failed++; !errors.Is(err, ErrStatement) {
				t.Errorf("%s: got %v when statement %d failed", what, err, n)
			}
		case err != nil:
			t.Fatalf("%s: %v, and nothing failed", what, err)
		case !ctx.begun:
			return failed
		}
	}
}

// failingContext makes exactly one of the statements that run with it fail: the store checks the
// context before each.
type failingContext struct {
	context.Context
	mu    sync.Mutex
	left  int  // checks until it fails
	begun bool // the failure has begun
	known bool // Err has returned the failure
}

func (c *failingContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends() {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return nil
}

func (c *failingContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends() {
		c.known = true
		return ErrStatement
	}
	return nil
}

// ends counts a check and reports whether the context has failed. The caller holds mu.
func (c *failingContext) ends() bool {
	c.left--
	c.begun = c.begun || c.left == 0
	return c.left == 0 || c.begun && !c.known
}
