package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// testTerminal is a terminal with a readable screen.
type testTerminal struct {
	*testing.T
	process *exec.Cmd // nil for commands in this process
	// other is the person's side, terminal the program's.
	other, terminal *os.File
	before          *term.State
	ended           chan error

	mutex   sync.Mutex
	answers []string // typed at the next questions, lines that end in a blank
	screen  vt10x.Terminal
	raw     bytes.Buffer // all output
}

// openTerminal returns a terminal of that size, at which a person types the answers.
func openTerminal(t *testing.T, columns, lines int, answers ...string) *testTerminal {
	t.Helper()
	d := &testTerminal{T: t, ended: make(chan error, 1), screen: vt10x.New(vt10x.WithSize(columns, lines)), answers: answers}
	var err error
	if d.other, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	n, err := unix.IoctlGetInt(int(d.other.Fd()), unix.TIOCGPTN)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(int(d.other.Fd()), unix.TIOCSPTLCK, 0))
	d.terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(d.terminal.Close(), d.other.Close())) })
	d.resize(columns, lines)
	d.before, err = term.GetState(int(d.terminal.Fd()))
	must(t, err)
	go d.read()
	return d
}

// showDesk starts the desk in a terminal, with a person's environment added to the fixture's.
func showDesk(t *testing.T, columns, lines int, env []string, args ...string) *testTerminal {
	t.Helper()
	d := showUnder(t, columns, lines, env, append([]string{"ativa", "desk"}, args...)...)
	d.until("opens", func(screen string) bool { return strings.Contains(screen, "────") }) // earlier input may be lost
	return d
}

// showUnder runs a command in a terminal.
func showUnder(t *testing.T, columns, lines int, env []string, command ...string) *testTerminal {
	t.Helper()
	d := openTerminal(t, columns, lines)
	d.process = exec.Command(command[0], command[1:]...)
	d.process.Env = append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, env...)
	d.process.Stdin, d.process.Stdout, d.process.Stderr = d.terminal, d.terminal, d.terminal
	d.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, d.process.Start())
	go func() { d.ended <- d.process.Wait() }()
	t.Cleanup(func() { _ = d.process.Process.Kill() })
	return d
}

func (d *testTerminal) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := d.other.Read(buf)
		if err != nil {
			return
		}
		d.mutex.Lock()
		d.raw.Write(buf[:n])
		_, _ = d.screen.Write(buf[:n])
		if len(d.answers) > 0 && bytes.HasSuffix(d.raw.Bytes(), []byte(" ")) {
			_, _ = d.other.WriteString(d.answers[0])
			d.answers = d.answers[1:]
		}
		d.mutex.Unlock()
	}
}

// output returns everything that was written to the terminal.
func (d *testTerminal) output() string {
	d.Helper()
	const end = "\x1b]0;end\x07" // the title of a window shows nothing
	read := strings.Count(d.written(), end)
	_, err := d.terminal.WriteString(end)
	must(d, err)
	d.until("ends", func(string) bool { return strings.Count(d.written(), end) > read })
	if len(d.answers) > 0 {
		d.Errorf("no question for %q in %s", d.answers, d.written())
	}
	return strings.ReplaceAll(d.written(), end, "")
}

func (d *testTerminal) resize(columns, lines int) {
	d.Helper()
	must(d, unix.IoctlSetWinsize(int(d.other.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}))
	d.mutex.Lock()
	d.screen.Resize(columns, lines)
	d.mutex.Unlock()
	if d.process != nil {
		_ = d.process.Process.Signal(syscall.SIGWINCH)
	}
}

func (d *testTerminal) text() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.screen.String()
}

func (d *testTerminal) written() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.raw.String()
}

func (d *testTerminal) typed(keys string) {
	d.Helper()
	_, err := d.other.WriteString(keys)
	must(d, err)
}

const enter, esc, ctrlC = "\r", "\x1b", "\x03"

// choose opens the menu and takes the entry with that label.
func (d *testTerminal) choose(label string) {
	d.Helper()
	d.typed(enter)
	d.shows(label, "Enter   Esc")
	if entry := regexp.MustCompile(`(\d)  ` + label).FindStringSubmatch(d.text()); entry != nil {
		d.typed(entry[1])
		return
	}
	d.Fatalf("%s is not offered:\n%s", label, d.text())
}

// shows waits until all texts are on the screen.
func (d *testTerminal) shows(texts ...string) {
	d.Helper()
	d.until("shows "+strings.Join(texts, ", "), func(screen string) bool {
		screen = strings.Join(strings.Fields(screen), " ") // a text may be broken into lines
		for _, t := range texts {
			if !strings.Contains(screen, strings.Join(strings.Fields(t), " ")) {
				return false
			}
		}
		return true
	})
}

func (d *testTerminal) until(what string, content func(screen string) bool) {
	d.Helper()
	for start := time.Now(); !content(d.text()); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > testTimeout {
			d.Fatalf("the desk never %s:\n%s", what, d.text())
		}
	}
}

// ends waits for the end of the program and checks that the terminal is restored.
func (d *testTerminal) ends(code int) {
	d.Helper()
	select {
	case <-d.ended:
		if got := d.process.ProcessState.ExitCode(); got != code {
			d.Errorf("the desk ended with %d, want %d:\n%s", got, code, d.text())
		}
	case <-time.After(testTimeout):
		d.Fatalf("the desk goes on:\n%s", d.text())
	}
	d.terminalIsAsBefore()
}

func (d *testTerminal) terminalIsAsBefore() {
	d.Helper()
	after, err := term.GetState(int(d.terminal.Fd()))
	must(d, err)
	if *after != *d.before {
		d.Errorf("the terminal is left in another mode: %+v, want %+v", *after, *d.before)
	}
	written := d.output()
	if strings.Contains(written, "\x1b]2;") {
		d.Error("the desk has changed the title of the window, which it cannot restore")
	}
	for mode, want := range map[string]string{"\x1b[?1049": "l", "\x1b[?25": "h", "\x1b[?2004": "l"} { // alternate screen, cursor, bracketed paste
		if last := strings.LastIndex(written, mode); last >= 0 && written[last+len(mode):][:1] != want {
			d.Errorf("the terminal is left with %q%s", mode[1:], written[last+len(mode):][:1])
		}
	}
}
