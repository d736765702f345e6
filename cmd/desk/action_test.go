package desk

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/support"
)

// Ana is opened by part of her name.
func openAna(x *stage) { x.keys("souza<enter>") }

// Letters on the search line are typed, and act only on the card; what is pasted
// never acts.
func TestLettersActOnlyOnTheCard(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.keys("souzasx")
		x.send(tea.PasteMsg{Content: "q\n"})
		if len(x.server.performed) > 0 || x.quit {
			t.Fatalf("typing did %v, quit %v", x.server.performed, x.quit)
		}
		x.keys("<ctrl+u>")
		openAna(x)
		x.send(tea.PasteMsg{Content: "sxq"})
		if len(x.server.performed) > 0 || x.quit {
			t.Fatalf("pasting did %v, quit %v", x.server.performed, x.quit)
		}
		x.keys("s")
		if len(x.server.performed) != 1 || x.server.performed[0].Action != support.Suspend || x.server.performed[0].Product.ID != basic {
			t.Errorf("s did %v, want Play Basic suspended", x.server.performed)
		}
		x.wants("waits for the partner to confirm the suspension")
	})
}

// A cancellation names product and person and needs a y; nothing else confirms.
func TestACancellationIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		l         lang.Language
		keys      string
		cancelled bool
	}{
		{lang.English, "xy", true}, {lang.English, "xs", false}, {lang.English, "x<enter>", false}, {lang.English, "x<esc>", false}, {lang.English, "xx", false},
		{lang.Portuguese, "xs", true}, {lang.Portuguese, "xy", true}, {lang.Portuguese, "xn", false},
	} {
		on(t, options{lang: c.l}, func(x *stage) {
			openAna(x)
			x.keys("x")
			x.wants("Play Basic", "Ana Souza")
			x.keys(strings.TrimPrefix(c.keys, "x"))
			if got := len(x.server.performed) == 1 && x.server.performed[0].Action == support.Deactivate; got != c.cancelled {
				t.Errorf("%q in %v: cancelled %v, want %v", c.keys, c.l, got, c.cancelled)
			}
		})
	}
}

func TestAProtectedContextAsksForItsNameBeforeEachChange(t *testing.T) {
	on(t, options{context: "producao", protected: true, asksName: true, colours: true}, func(x *stage) {
		openAna(x)
		x.wants("producao protected")
		if !strings.Contains(x.m.View().Content, "\x1b[31mAtiva  producao  protected") {
			t.Error("the protected context is not red")
		}
		x.keys("s")
		x.wants("Suspend Play Basic of Ana Souza", "Context producao is protected. Type its name to go on:")
		x.keys("prod<enter>")
		x.wants("not confirmed; nothing was sent")
		if len(x.server.performed) > 0 {
			t.Fatalf("a wrong name did %v", x.server.performed)
		}
		x.keys("sproducao<enter>")
		x.keys("xproducao<enter>") // its name is the yes
		if got := len(x.server.performed); got != 2 {
			t.Errorf("%d changes, want 2: %v", got, x.server.performed)
		}
	})
}

func TestAReadOnlyContextOffersNoChanges(t *testing.T) {
	on(t, options{readOnly: true}, func(x *stage) {
		openAna(x)
		x.wants("read-only", "m message", "q quit")
		x.lacks("s suspend", "x cancel", "another product")
		x.keys("sxarntp")
		x.keys("?")
		x.lacks("suspend the service")
		if len(x.server.performed) > 0 {
			t.Errorf("it did %v", x.server.performed)
		}
	})
}

func TestWhatTheTokenMayNotDoIsNotOffered(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.server.catalog.Scopes = []api.Scope{api.ScopeRead, api.ScopeManage}
		x.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		openAna(x)
		x.lacks("suspend", "x cancel", "another product")
		x.wants("r resend")
		x.keys("sx<down>r")
		if len(x.server.performed) != 1 || x.server.performed[0].Action != support.Resend {
			t.Errorf("it did %v, want one resend", x.server.performed)
		}
	})
}

// A server without overdue and settle has no keys for them, and one without
// history says so.
func TestWhatTheServerLacksIsNotOffered(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.server.catalog.Overdue, x.server.catalog.History, x.server.catalog.Deliveries = false, false, false
		openAna(x)
		x.lacks("non-payment")
		x.wants("the server keeps none", "s suspend")
	})
}

func TestAChangeAsksForTheProduct(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		x.keys("t")
		x.wants("Change Play Basic of Ana Souza to:", "Play Premium")
		x.keys("<enter>")
		if len(x.server.performed) != 1 || x.server.performed[0].To.ID != premium {
			t.Errorf("it did %v, want the change to Play Premium", x.server.performed)
		}
	})
}

func TestAProductIsActivatedForWhoHasNone(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.keys("bruno<enter>a")
		x.wants("Activate for Bruno Ávila Nascimento:", "Música")
		x.keys("<down><enter>")
		if len(x.server.performed) != 1 || x.server.performed[0].Product.ID != music || x.server.performed[0].Document != "11144477735" {
			t.Errorf("it did %v, want Música for Bruno", x.server.performed)
		}
	})
}

// Until a change is answered there is no second one, and q waits for it.
func TestOneChangeAtATime(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.server.act = func(context.Context, support.Step) error { time.Sleep(5 * time.Second); return nil }
		openAna(x)
		x.keys("s<down>")
		x.wants("Suspend Play Basic of Ana Souza…")
		x.keys("xq")
		x.wants("wait: the last change is not answered yet")
		if len(x.server.performed) != 1 || x.quit {
			t.Errorf("it did %v, quit %v; want one change", x.server.performed, x.quit)
		}
		x.pass(6 * time.Second)
		x.keys("q")
		if !x.quit {
			t.Error("q does not end the desk")
		}
	})
}
