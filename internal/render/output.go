package render

import (
	"bufio"
	"errors"
)

// bufferedOutput is a buffer before where things go, with the pager in between when
// there is one.
type bufferedOutput struct {
	*bufio.Writer
	pager *pager
}

func (f *printerBase) newOutput() *bufferedOutput {
	const size = 64 << 10
	if f.options.Pager == "" || !f.options.Screen.Terminal || f.options.Live {
		return &bufferedOutput{bufio.NewWriterSize(f.out, size), nil}
	}
	p := &pager{out: f.out, command: f.options.Pager, height: f.options.Screen.Height}
	return &bufferedOutput{bufio.NewWriterSize(p, size), p}
}

// finish lets the rest through after the work ended with err.
func (o *bufferedOutput) finish(err error) error {
	if flushed := o.Flush(); err == nil {
		err = flushed
	}
	if o.pager == nil {
		return err
	}
	closed := o.pager.close()
	if errors.Is(err, pagerQuitError{}) {
		err = nil
	}
	return errors.Join(err, closed)
}

// pagerQuitError tells that the reader left the pager before the end.
type pagerQuitError struct{}

func (pagerQuitError) Error() string { return "the pager was left" }
