package desk

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ativa/internal/cli"
)

// faulty is a model that panics where a key says.
type faulty struct{ in string }

func (f *faulty) Init() tea.Cmd { return nil }

func (f *faulty) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	k, ok := message.(tea.KeyPressMsg)
	if !ok {
		return f, nil
	}
	switch f.in = k.String(); f.in {
	case "u":
		panic("in Update")
	case "c":
		return f, func() tea.Msg { panic("in a command") }
	case "b":
		return f, tea.Batch(func() tea.Msg { panic("in one of several commands") }, tea.ClearScreen)
	}
	return f, nil
}

func (f *faulty) View() tea.View {
	if f.in == "v" {
		panic("in View")
	}
	v := tea.NewView("ready")
	v.AltScreen = true
	return v
}

// A fault of the desk gives the terminal back as it was, and shows no stack on it;
// with --debug the stack is where the trace goes.
func TestAFaultGivesTheTerminalBack(t *testing.T) {
	for _, key := range []string{"u", "c", "b", "v"} {
		t.Run(key, func(t *testing.T) {
			person, terminal := openTerminal(t)
			before, err := term.GetState(int(terminal.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			stderr := os.Stderr
			os.Stderr = terminal // where the library would write
			defer func() { os.Stderr = stderr }()
			var trace bytes.Buffer
			e := &cli.Env{Err: &trace, Getenv: func(string) string { return "" }}
			e.Global.Debug = true
			ended := make(chan error, 1)
			go func() {
				s := &screen{env: e}
				ended <- s.run(t.Context(), &faulty{}, tea.WithInput(terminal), tea.WithOutput(terminal))
			}()
			var shown strings.Builder
			readUntil(t, person, &shown, "ready")
			if _, err := io.WriteString(person, key); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "the desk has crashed") {
				t.Errorf("it ended with %v, want that it crashed", err)
			}
			if _, err := io.WriteString(terminal, "that is all"); err != nil {
				t.Fatal(err)
			}
			readUntil(t, person, &shown, "that is all")
			if got := shown.String(); strings.Contains(got, "goroutine") || strings.Contains(got, "panic") || !strings.Contains(got, "\x1b[?1049l") {
				t.Errorf("the terminal got %q, want the usual screen again and no stack", got)
			}
			if after, err := term.GetState(int(terminal.Fd())); err != nil || *after != *before {
				t.Errorf("the terminal is left in another mode: %+v, %v, want %+v", after, err, before)
			}
			if !strings.Contains(trace.String(), "faulty") {
				t.Errorf("the trace lacks where the fault is: %q", trace.String())
			}
		})
	}
}

// openTerminal opens a terminal of 80 by 24: the side of the person and that of the
// program.
func openTerminal(t *testing.T) (person, terminal *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return person, terminal
}

// readUntil reads what a terminal gets until it has the text.
func readUntil(t *testing.T, person *os.File, shown *strings.Builder, text string) {
	t.Helper()
	buf := make([]byte, 4096)
	for !strings.Contains(shown.String(), text) {
		n, err := person.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(buf[:n])
	}
}
