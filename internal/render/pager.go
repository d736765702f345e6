package render

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"strings"
)

// PagerCommand is the command that the environment names for long output:
// ATIVA_PAGER, else PAGER; empty or cat is none.
func PagerCommand(getenv func(string) string) string {
	command := strings.TrimSpace(cmp.Or(getenv("ATIVA_PAGER"), getenv("PAGER")))
	if command == "cat" {
		return ""
	}
	return command
}

// pager holds back what fits on the screen. Only what is longer starts the
// command; where that cannot be started, the output goes on without it.
type pager struct {
	out     io.Writer
	command string
	height  int

	held    bytes.Buffer
	lines   int
	direct  bool
	running *exec.Cmd
	in      io.WriteCloser
}

// Write takes whole lines; leftError tells that nobody reads on.
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
	if IsBrokenPipe(err) {
		err = pagerQuitError{}
	}
	return n, err
}

func (p *pager) start() error {
	words := strings.Fields(p.command)
	c := exec.Command(words[0], words[1:]...) //nolint:noctx // the reader ends it, not a context
	c.Stdout, c.Stderr = p.out, os.Stderr
	c.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		c.Env = append(c.Env, "LESS=FRX") // one screen: no waiting; colours; leave the text there
	}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.running, p.in = c, in
	return nil
}

// close waits until the reader leaves. How the command ended says nothing
// about the output, so it is not looked at.
func (p *pager) close() error {
	if p.running == nil {
		_, err := p.held.WriteTo(p.out)
		return err
	}
	_ = p.in.Close()
	_ = p.running.Wait()
	return nil
}
