package render

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"ativa/internal/system"
)

// pager buffers output that fits on the screen. It starts the command for output
// that is longer, and writes directly if the command cannot be started.
type pager struct {
	out     io.Writer
	command string
	height  int

	held    bytes.Buffer
	lines   int
	direct  bool
	running *exec.Cmd
	in      io.WriteCloser
	ignored chan os.Signal // while it runs
}

// Write writes whole lines. It returns errPagerQuit if the user has left the
// pager.
func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.running != nil:
		return p.send(b)
	case p.direct:
		return p.out.Write(b)
	}
	p.held.Write(b)
	p.lines += bytes.Count(b, []byte{'\n'})
	if p.lines < p.height {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		p.direct = true
		_, err := p.held.WriteTo(p.out)
		return len(b), err
	}
	_, err := p.send(p.held.Bytes())
	return len(b), err
}

func (p *pager) send(b []byte) (int, error) {
	n, err := p.in.Write(b)
	if system.IsBrokenPipe(err) {
		err = errPagerQuit
	}
	return n, err
}

func (p *pager) start() error {
	words := strings.Fields(p.command)
	c := exec.Command(words[0], words[1:]...) //nolint:noctx // the reader ends it, not a context
	c.Stdout, c.Stderr = p.out, os.Stderr
	c.Env = os.Environ()
	// less exits if the text fits on one screen, shows colours, and leaves the text there. Where the
	// locale is not installed, it would show the bytes of UTF-8.
	for name, value := range map[string]string{"LESS": "FRX", "LESSCHARSET": "utf-8"} {
		if _, set := os.LookupEnv(name); !set {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	// Ctrl-C belongs to the pager, which may continue: if this process ended, a shell would take
	// the terminal from it.
	p.ignored = make(chan os.Signal, 1)
	signal.Notify(p.ignored, os.Interrupt)
	if err := c.Start(); err != nil {
		signal.Stop(p.ignored)
		return err
	}
	p.running, p.in = c, in
	return nil
}

// close waits until the user leaves the pager. It ignores the exit status of the
// command.
func (p *pager) close() error {
	if p.running == nil {
		_, err := p.held.WriteTo(p.out)
		return err
	}
	_ = p.in.Close()
	_ = p.running.Wait()
	signal.Stop(p.ignored)
	return nil
}

// bufferedOutput buffers output, which goes through the pager if there is one.
type bufferedOutput struct {
	*bufio.Writer
	pager   *pager
	onWhole func() // may be nil
}

func (p *printer) newOutput() *bufferedOutput {
	const size = 16 << 10
	if p.options.Pager == "" || !p.options.Screen.Terminal || p.options.Live {
		return &bufferedOutput{bufio.NewWriterSize(p.out, size), nil, p.options.OnWhole}
	}
	through := &pager{out: p.out, command: p.options.Pager, height: p.options.Screen.Height}
	return &bufferedOutput{bufio.NewWriterSize(through, size), through, nil}
}

// finish flushes the buffer and closes the pager. It returns err and its own
// errors, but none if the user has left the pager.
func (o *bufferedOutput) finish(err error) error {
	if flushed := o.Flush(); err == nil {
		err = flushed
	}
	if o.pager == nil {
		if err == nil && o.onWhole != nil {
			o.onWhole()
		}
		return err
	}
	closed := o.pager.close()
	if errors.Is(err, errPagerQuit) {
		err = nil
	}
	return errors.Join(err, closed)
}

// errPagerQuit is the error of a write after the user has left the pager.
var errPagerQuit = errors.New("the pager was left")
