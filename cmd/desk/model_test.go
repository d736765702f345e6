package desk

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/system/systemtest"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata")

// testDesk runs a model like the library, in a synctest bubble.
type testDesk struct {
	t        *testing.T
	m        *model
	server   *fakeServer
	messages chan tea.Msg
	quit     bool
}

func newTestDesk(t *testing.T, s *fakeServer, o options) *testDesk {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	begin, start := time.Now(), at("2026-11-22 10:30").In(brt)
	o.clock = func() time.Time { return start.Add(time.Since(begin)) }
	if o.context == "" {
		o.context = "ensaio"
	}
	x := &testDesk{t: t, server: s, m: newModel(ctx, o, s), messages: make(chan tea.Msg, 1000)}
	t.Cleanup(func() { stop(); time.Sleep(time.Hour) }) // ends pending waits
	x.run(x.m.Init())
	x.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	return x
}

// run starts a command and queues its message.
func (x *testDesk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch message := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range message {
				x.run(c)
			}
		default:
			x.messages <- message
		}
	}()
}

// send passes a message and its immediate consequences to the model.
func (x *testDesk) send(message tea.Msg) {
	x.t.Helper()
	x.handle(message)
	x.settle()
}

func (x *testDesk) handle(message tea.Msg) {
	if _, quits := message.(tea.QuitMsg); quits {
		x.quit = true
		return
	}
	_, cmd := x.m.Update(message)
	x.run(cmd)
}

func (x *testDesk) settle() {
	for {
		synctest.Wait()
		select {
		case message := <-x.messages:
			x.handle(message)
		default:
			return
		}
	}
}

func (x *testDesk) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(50*time.Millisecond, time.Until(end)))
		x.settle()
	}
}

// keys presses keys: letters, names in angle brackets such as <enter>, and <menu LABEL>, which
// opens the menu and chooses the entry that begins so.
func (x *testDesk) keys(typed string) {
	x.t.Helper()
	before, after, chooses := strings.Cut(typed, "<menu ")
	for _, k := range keysOf(before) {
		x.send(k)
	}
	x.pass(2 * quietTime)
	if !chooses {
		return
	}
	label, after, _ := strings.Cut(after, ">")
	x.keys("<enter>")
	if x.m.prompt == nil {
		x.t.Fatalf("no menu is open:\n%s", x.screen())
	}
	i := slices.IndexFunc(x.m.prompt.entries, func(e entry) bool { return strings.HasPrefix(e.label.Text(lang.English), label) })
	if i < 0 {
		x.t.Fatalf("%q is not offered:\n%s", label, x.screen())
	}
	x.keys(strconv.Itoa(i + 1))
	x.keys(after)
}

func keysOf(typed string) (all []tea.KeyPressMsg) {
	named := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
		"pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "f1": tea.KeyF1, "left": tea.KeyLeft, "delete": tea.KeyDelete, "tab": tea.KeyTab}
	for typed != "" {
		if name, rest, ok := strings.Cut(typed, ">"); ok && strings.HasPrefix(name, "<") {
			if letter, ctrl := strings.CutPrefix(name, "<ctrl+"); ctrl {
				all = append(all, tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl})
			} else if letter, alt := strings.CutPrefix(name, "<alt+"); alt {
				all = append(all, tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModAlt})
			} else {
				all = append(all, tea.KeyPressMsg{Code: named[name[1:]]})
			}
			typed = rest
			continue
		}
		r := []rune(typed)[0]
		all = append(all, tea.KeyPressMsg{Code: r, Text: string(r)})
		typed = strings.TrimPrefix(typed, string(r))
	}
	return all
}

// screen returns the screen without colours, and checks its size.
func (x *testDesk) screen() string {
	x.t.Helper()
	shown := ansi.Strip(x.m.View().Content)
	lines := strings.Split(shown, "\n")
	if len(lines) != x.m.height {
		x.t.Errorf("the screen has %d lines, want %d:\n%s", len(lines), x.m.height, shown)
	}
	for i, l := range lines {
		if w := ansi.StringWidthWc(l); w > x.m.width {
			x.t.Errorf("line %d takes %d cells, want at most %d: %q", i, w, x.m.width, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// wants checks that the screen shows texts, and lacks that it does not.
func (x *testDesk) wants(texts ...string) {
	x.t.Helper()
	x.compare(true, texts)
}

func (x *testDesk) lacks(texts ...string) {
	x.t.Helper()
	x.compare(false, texts)
}

func (x *testDesk) compare(want bool, texts []string) {
	x.t.Helper()
	screen := x.screen()
	for _, text := range texts {
		if got := strings.Contains(strings.Join(strings.Fields(screen), " "), text); got != want {
			x.t.Errorf("the screen has %q: %t, want %t:\n%s", text, got, want, screen)
		}
	}
}

// story is what a person does at the desk, and what happens.
type story struct {
	name    string
	options options
	server  func(*fakeServer) // prepares it; may be nil
	steps   []step
}

// step is a part of a story. Texts of the screen and changes are separated by |.
type step struct {
	do           func(x *testDesk) // what happens before the keys; may be nil
	keys         string
	wait         time.Duration // after the keys
	shows, lacks string
	sent         string            // the changes of this step: no others are sent
	then         func(x *testDesk) // what else is checked; may be nil
}

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, c := range stories {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeServer(t)
				if c.server != nil {
					c.server(s)
				}
				x := newTestDesk(t, s, c.options)
				for n, at := range c.steps {
					if x.take(at); t.Failed() {
						t.Fatalf("that was step %d: %q", n+1, at.keys)
					}
				}
			})
		})
	}
}

func (x *testDesk) take(at step) {
	x.t.Helper()
	x.server.sent, x.server.reads, x.server.cursors = nil, nil, nil
	if at.do != nil {
		at.do(x)
	}
	x.keys(at.keys)
	x.pass(at.wait)
	texts := func(s string) []string {
		return slices.DeleteFunc(strings.Split(s, "|"), func(text string) bool { return text == "" })
	}
	x.wants(texts(at.shows)...)
	x.lacks(texts(at.lacks)...)
	if got := strings.Join(x.server.sent, "|"); got != at.sent || x.quit {
		x.t.Errorf("after %q it sent %q, want %q; quit %t", at.keys, got, at.sent, x.quit)
	}
	if at.then != nil {
		at.then(x)
	}
}

// paste, resize and becomes are what happens in a step: a text is pasted, the terminal gets
// another size, the server reports another status of Ana's Play Basic.
func paste(text string) func(*testDesk) {
	return func(x *testDesk) { x.send(tea.PasteMsg{Content: text}) }
}

func resize(width, height int) func(*testDesk) {
	return func(x *testDesk) { x.send(tea.WindowSizeMsg{Width: width, Height: height}) }
}

func becomes(status string) func(*testDesk) {
	return func(x *testDesk) {
		x.server.setService(hasStatus(status))
		x.addEvent()
	}
}

func hasStatus(name string) func(*api.Service) {
	all := api.Statuses()
	status := all[slices.IndexFunc(all, func(s api.Status) bool { return s.Name == name })]
	return func(s *api.Service) { s.Status, s.StatusID = status.Name, status.ID }
}

func (x *testDesk) addEvent() {
	x.send(changesMsg{changes: changes{documents: []string{anaDocument}, cursor: "1"}})
	x.pass(time.Second)
}

// on runs a test on a testDesk.
func on(t *testing.T, o options, test func(x *testDesk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newTestDesk(t, newFakeServer(t), o)) })
}

// Screens equal the files in testdata, at the smallest size in Portuguese, whose words are
// longer, and at a large one in English. [testDesk.screen] checks that they fit.
func TestScreens(t *testing.T) {
	for _, size := range []struct{ width, height int }{{60, 20}, {80, 24}, {120, 40}} {
		for l, kept := range map[lang.Language]int{lang.Portuguese: 60, lang.English: 120} {
			name := fmt.Sprintf("%dx%d.%s", size.width, size.height, map[lang.Language]string{lang.Portuguese: "pt", lang.English: "en"}[l])
			t.Run(name, func(t *testing.T) {
				on(t, options{lang: l, colours: true}, func(x *testDesk) {
					x.send(tea.WindowSizeMsg{Width: size.width, Height: size.height})
					got := scenes(x)
					if size.width == kept {
						compareScreens(t, filepath.Join("testdata", name+".txt"), got)
					}
				})
			})
		}
	}
}

// scenes shows the screens of a search, a card, its menu and its forms, one after the other.
func scenes(x *testDesk) string {
	var got strings.Builder
	for _, scene := range []struct{ title, keys string }{
		{"nothing typed", ""}, {"a search", "a"}, {"its results", "<backspace>" + "na"}, {"the card", "<enter>"},
		{"the end of the card", "<pgdown>"}, {"the next service", "<down>"}, {"another product", "<down><down><enter>"},
		{"the menu", "<esc><up><up><up><enter>"}, {"a confirmation", "1"}, {"a cancellation", "<esc><enter>8"}, {"a message", "<esc><enter>5"}, {"a form", "<esc><enter>7"}, {"a wrong field", "<tab><ctrl+u>ana@<tab>"}, {"help", "<esc><f1>"}, {"nobody", "<esc><esc><ctrl+u>zz"}, {"a new subscriber", "<enter>"}, {"no services", "<esc><ctrl+u>bruno<enter>"},
		{"wide characters", "<esc><ctrl+u>lima<enter>"},
	} {
		x.keys(scene.keys)
		got.WriteString("== " + scene.title + ": " + scene.keys + "\n" + x.screen() + "\n")
	}
	return got.String()
}

func compareScreens(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("the screens differ from %s (-update rewrites it); got:\n%s", path, got)
	}
}

var must = systemtest.Must
