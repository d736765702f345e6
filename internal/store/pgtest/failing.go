package pgtest

import (
	"context"
	"errors"
	"sync"
)

// ErrStatement is the error of a statement that FailEach makes fail.
var ErrStatement = errors.New("the statement fails")

// FailEach calls do until each of the statements that run with its context has failed
// once, each with ErrStatement in a call of its own, and once more, in which all
// succeed. It returns how many failed, and reports calls that return another error, or
// none, for those.
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
		case !ctx.told:
			return failed
		}
	}
}

// failingContext ends for one of the statements that run with it, and for that alone:
// the store asks the context before each.
type failingContext struct {
	context.Context
	mu    sync.Mutex
	left  int  // times that it is asked until it has ended
	told  bool // that it has ended
	known bool // to the store, which has asked why
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

// ends counts a question. The caller holds mu.
func (c *failingContext) ends() bool {
	c.left--
	c.told = c.told || c.left == 0
	return c.left == 0 || c.told && !c.known
}
