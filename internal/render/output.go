package render

import (
	"bufio"
	"errors"
)

// output is a buffer before where things go, with the pager in between when
// there is one.
type output struct {
	*bufio.Writer
	pager *pager
}

func (f *frame) output() *output {
	const size = 64 << 10
	if f.o.Pager == "" || !f.o.Screen.Terminal || f.o.Live {
		return &output{bufio.NewWriterSize(f.out, size), nil}
	}
	p := &pager{out: f.out, command: f.o.Pager, height: f.o.Screen.Height}
	return &output{bufio.NewWriterSize(p, size), p}
}

// finish lets the rest through after the work ended with err.
func (o *output) finish(err error) error {
	if flushed := o.Flush(); err == nil {
		err = flushed
	}
	if o.pager == nil {
		return err
	}
	closed := o.pager.close()
	if errors.Is(err, leftError{}) {
		err = nil
	}
	return errors.Join(err, closed)
}

// leftError tells that the reader left the pager before the end.
type leftError struct{}

func (leftError) Error() string { return "the pager was left" }
