package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"golang.org/x/term"
)

// shownDesk is `ativa desk` in a terminal with a readable screen.
type shownDesk struct {
	*testing.T
	process *exec.Cmd
	// other is the person's side, terminal the program's.
	other, terminal *os.File
	before          *term.State
	ended           chan error
	pressed         int

	mutex  sync.Mutex
	screen vt10x.Terminal
	raw    bytes.Buffer // all output
}

// showDesk starts the desk in a terminal of that size, with a person's environment added
// to the fixture's.
func showDesk(t *testing.T, columns, lines int, env []string, args ...string) *shownDesk {
	t.Helper()
	d := showUnder(t, columns, lines, env, append([]string{"ativa", "desk"}, args...)...)
	d.until("opens", func(screen string) bool { return strings.Contains(screen, "────") }) // earlier input may be lost
	return d
}

// showUnder runs a command in such a terminal.
func showUnder(t *testing.T, columns, lines int, env []string, command ...string) *shownDesk {
	t.Helper()
	d := &shownDesk{T: t, ended: make(chan error, 1), screen: vt10x.New(vt10x.WithSize(columns, lines))}
	d.other, d.terminal = newTerminal(t)
	d.resize(columns, lines)
	var err error
	if d.before, err = term.GetState(int(d.terminal.Fd())); err != nil {
		t.Fatal(err)
	}
	d.process = exec.Command(command[0], command[1:]...)
	d.process.Env = append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, env...)
	d.process.Stdin, d.process.Stdout, d.process.Stderr = d.terminal, d.terminal, d.terminal
	d.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, d.process.Start())
	go d.read()
	go func() { d.ended <- d.process.Wait() }()
	t.Cleanup(func() { _ = d.process.Process.Kill() })
	return d
}

func (d *shownDesk) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := d.other.Read(buf)
		if err != nil {
			return
		}
		d.mutex.Lock()
		d.raw.Write(buf[:n])
		_, _ = d.screen.Write(buf[:n])
		d.mutex.Unlock()
	}
}

func (d *shownDesk) resize(columns, lines int) {
	d.Helper()
	setSize(d.T, d.other, columns, lines)
	d.mutex.Lock()
	d.screen.Resize(columns, lines)
	d.mutex.Unlock()
	if d.process != nil {
		_ = d.process.Process.Signal(syscall.SIGWINCH)
	}
}

// text returns the text of the terminal.
func (d *shownDesk) text() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.screen.String()
}

func (d *shownDesk) written() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.raw.String()
}

// press types keys and counts them.
func (d *shownDesk) press(keys ...string) {
	d.Helper()
	for _, k := range keys {
		d.pressed++
		if _, err := d.other.WriteString(k); err != nil {
			d.Fatal(err)
		}
	}
}

// typed presses each letter of a text.
func (d *shownDesk) typed(text string) { d.press(strings.Split(text, "")...) }

const enter, esc, ctrlC = "\r", "\x1b", "\x03"

// choose opens the menu and takes the entry with that label.
func (d *shownDesk) choose(label string) {
	d.Helper()
	d.press(enter)
	d.shows(label, "Enter   Esc")
	if entry := regexp.MustCompile(`(\d)  ` + label).FindStringSubmatch(d.text()); entry != nil {
		d.press(entry[1])
		return
	}
	d.Fatalf("%s is not offered:\n%s", label, d.text())
}

// shows waits until all texts are on the screen.
func (d *shownDesk) shows(texts ...string) {
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

// until waits for a condition of the screen.
func (d *shownDesk) until(what string, content func(screen string) bool) {
	d.Helper()
	for start := time.Now(); !content(d.text()); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > testTimeout {
			d.Fatalf("the desk never %s:\n%s", what, d.text())
		}
	}
}

// ends waits for the end of the program and checks that the terminal is restored.
func (d *shownDesk) ends(code int) {
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

func (d *shownDesk) terminalIsAsBefore() {
	d.Helper()
	after, err := term.GetState(int(d.terminal.Fd()))
	must(d, err)
	if *after != *d.before {
		d.Errorf("the terminal is left in another mode: %+v, want %+v", *after, *d.before)
	}
	// Some output may not be read yet.
	const last = "that is all"
	read := strings.Count(d.written(), last)
	if _, err := d.terminal.WriteString(last); err != nil {
		d.Fatal(err)
	}
	d.until("ended", func(string) bool { return strings.Count(d.written(), last) > read })
	written := d.written()
	if strings.Contains(written, "\x1b]2;") {
		d.Error("the desk has changed the title of the window, which it cannot restore")
	}
	for _, mode := range []string{"\x1b[?1049", "\x1b[?25", "\x1b[?2004"} { // alternate screen, cursor, bracketed paste
		want := map[string]string{"\x1b[?1049": "l", "\x1b[?25": "h", "\x1b[?2004": "l"}[mode]
		if last := strings.LastIndex(written, mode); last >= 0 && written[last+len(mode):][:1] != want {
			d.Errorf("the terminal is left with %q%s", mode[1:], written[last+len(mode):][:1])
		}
	}
}
