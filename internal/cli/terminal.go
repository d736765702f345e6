package cli

import (
	"os"

	"golang.org/x/term"
)

// FullScreen returns the terminal for a command that takes all of it. Where
// standard input or output is none, and with --no-input, that is a usage error.
func (e *Env) FullScreen() (in, out *os.File, err error) {
	in, reads := terminal(e.In)
	out, shows := terminal(e.Out)
	switch {
	case !reads || !shows:
		return nil, nil, Usage("this command needs a terminal").WithHint("without one: `ativa subscribers search TERM` and `ativa subscribers explain DOC`")
	case e.Global.noInput:
		return nil, nil, Usage("this command cannot do without input").WithHint("leave out --no-input")
	case e.Global.Debug && isTerminal(e.Err):
		return nil, nil, Usage("the trace of --debug would cover the screen").WithHint("send it to a file: 2>trace.log")
	case e.Global.TokenStdin:
		return nil, nil, Usage("standard input is the keyboard, so the access token cannot come from it").WithHint("run `ativa login`, or set ATIVA_ACCESS_TOKEN")
	}
	return in, out, nil
}

// TerminalFD is the file descriptor of a stream that is a terminal.
func TerminalFD(stream any) (fd int, ok bool) {
	f, ok := terminal(stream)
	if f == nil {
		return 0, false
	}
	return int(f.Fd()), ok
}

// terminal is the file behind a stream, nil for none, and whether it is a terminal.
func terminal(stream any) (*os.File, bool) {
	switch s := stream.(type) {
	case *input:
		stream = s.from
	case *contextLines:
		stream = s.out
	}
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}
