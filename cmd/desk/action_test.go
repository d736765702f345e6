package desk

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

// openAna finds Ana by part of her name.
func openAna(x *testDesk) { x.keys("souza<enter>") }

// Letters always search and never act; pasted text never acts.
func TestTypingAlwaysSearches(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		for _, where := range []string{"", "souza<enter>", "souza<enter><enter>", "souza<enter><enter>1"} {
			for _, name := range []string{"alexsandro", "nunes"} {
				x.keys("<esc><esc><esc><ctrl+u>" + where)
				x.keys(name)
				x.wants("Search: " + name)
				if len(x.server.performed) > 0 || x.quit {
					t.Fatalf("%s typed after %q did %v, quit %v", name, where, x.server.performed, x.quit)
				}
			}
			x.keys("<esc><esc><esc><ctrl+u>" + where)
			x.send(tea.PasteMsg{Content: "1\n\ncancel\n"})
			x.pass(2 * quietTime)
			if len(x.server.performed) > 0 || x.quit {
				t.Fatalf("a paste after %q did %v, quit %v", where, x.server.performed, x.quit)
			}
			x.keys("<esc><esc><esc><ctrl+u>" + where)
			x.send(tea.PasteMsg{Content: "11987650001"})
			x.pass(2 * quietTime)
			x.wants("Search: 11987650001")
		}
		x.keys("<esc><esc><esc><ctrl+u>")
		openAna(x)
		x.act(api.Suspend)
		if len(x.server.performed) != 1 || x.server.performed[0].Operation != api.Suspend || x.server.performed[0].Product.ID != basic {
			t.Errorf("it did %v, want Play Basic suspended", x.server.performed)
		}
		x.wants("waits for the partner to confirm the suspension")
	})
}

// Keys typed before the confirmation is shown confirm nothing.
func TestKeysTypedAheadConfirmNothing(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		for n := 1; n <= 9; n++ {
			for _, rest := range []string{"<enter>", "<enter><enter><enter>", "cancel<enter>", "<enter>cancel<enter><enter>"} {
				for _, k := range keysOf("<enter>" + strconv.Itoa(n) + rest) {
					x.send(k)
				}
				if got := x.server.performed; len(got) > 0 {
					t.Fatalf("%d%s did %v", n, rest, got)
				}
				x.keys("<esc><esc><esc><esc><ctrl+u>")
				openAna(x)
			}
		}
	})
}

// A cancellation names product and person, and only the word confirms it.
func TestACancellationIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		l         lang.Language
		keys      string
		cancelled bool
	}{
		{lang.English, "cancel<enter>", true}, {lang.English, "Cancel <enter>", true}, {lang.English, "y<enter>", false}, {lang.English, "<enter>", false},
		{lang.English, "cancel<esc>", false}, {lang.English, "cancelar<enter>", false},
		{lang.Portuguese, "cancelar<enter>", true}, {lang.Portuguese, "cancel<enter>", false}, {lang.Portuguese, "s<enter>", false},
	} {
		on(t, options{lang: c.l}, func(x *testDesk) {
			openAna(x)
			x.choose(api.Deactivate)
			x.wants("Play Basic", "Ana Souza")
			x.keys(c.keys)
			if got := len(x.server.performed) == 1 && x.server.performed[0].Operation == api.Deactivate; got != c.cancelled || !got && len(x.server.performed) > 0 {
				t.Errorf("%q in %v: cancelled %v, want %v", c.keys, c.l, got, c.cancelled)
			}
		})
	}
}

// On the smallest terminal a question that waits for a word is whole, with room for the word.
func TestAQuestionIsWholeOnTheSmallestTerminal(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		name := "producao-do-provedor-azul-de-campinas"
		on(t, options{lang: l, context: name, protected: true, asksName: true}, func(x *testDesk) {
			x.send(tea.WindowSizeMsg{Width: leastWidth, Height: leastHeight})
			openAna(x)
			x.choose(api.Deactivate)
			x.wants(cli.Msg("Context %s is protected. Type its name to continue:", name).Text(l))
			x.keys(name)
			x.wants(": " + name) // not the end of it alone
			x.keys("<enter>")
			x.wants(cli.Msg("This cannot be undone. Type %s and Enter, or Esc:", x.m.cancelWord()).Text(l))
			x.keys(x.m.cancelWord())
			x.wants(": " + x.m.cancelWord())
		})
	}
}

func TestAProtectedContextAsksForItsNameBeforeEachChange(t *testing.T) {
	on(t, options{context: "producao", protected: true, asksName: true, colours: true}, func(x *testDesk) {
		openAna(x)
		x.wants("producao protected")
		if !strings.Contains(x.m.View().Content, "\x1b[31mAtiva  producao  protected") {
			t.Error("the protected context is not red")
		}
		x.choose(api.Suspend)
		x.wants("Suspend Play Basic of Ana Souza", "Context producao is protected. Type its name to continue:")
		x.keys("prod<enter>")
		x.wants("not confirmed; nothing was sent")
		if len(x.server.performed) > 0 {
			t.Fatalf("a wrong name did %v", x.server.performed)
		}
		x.choose(api.Suspend) // its name confirms
		x.keys("producao<enter>")
		if got := len(x.server.performed); got != 1 {
			t.Errorf("%d changes, want 1: %v", got, x.server.performed)
		}
		x.choose(api.Deactivate) // and a cancellation waits for the word as well
		x.keys("producao<enter>")
		x.wants("This cannot be undone. Type cancel and Enter, or Esc:")
		if got := len(x.server.performed); got != 1 {
			t.Fatalf("the name alone did %v", x.server.performed)
		}
		x.keys("cancel<enter>")
		if got := len(x.server.performed); got != 2 {
			t.Errorf("%d changes, want 2: %v", got, x.server.performed)
		}
	})
}

func TestAReadOnlyContextOffersNoChanges(t *testing.T) {
	on(t, options{readOnly: true}, func(x *testDesk) {
		openAna(x)
		x.wants("read-only")
		x.lacks("another product")
		x.keys("<enter>")
		x.wants("1 message for the subscriber", "2 show the CPF")
		x.lacks("suspend the service", "3 ")
		if len(x.server.performed) > 0 {
			t.Errorf("it did %v", x.server.performed)
		}
	})
}

func TestWhatTheTokenMayNotDoIsNotOffered(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.catalog.Scopes = []api.Scope{api.ScopeRead, api.ScopeManage}
		x.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		openAna(x)
		x.lacks("another product")
		x.keys("<down><enter>")
		x.lacks("suspend the service", "cancel the service")
		x.wants("1 send the activation e-mail again")
		x.keys("<esc>")
		x.act(lifecycle.Resend)
		if len(x.server.performed) != 1 || x.server.performed[0].Operation != lifecycle.Resend {
			t.Errorf("it did %v, want one resend", x.server.performed)
		}
	})
}

// A server without overdue and settle has no keys for them; one without history is
// reported.
func TestWhatTheServerLacksIsNotOffered(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.catalog.Overdue, x.server.catalog.History, x.server.catalog.Deliveries = false, false, false
		openAna(x)
		x.wants("the server keeps none")
		x.keys("<enter>")
		x.lacks("lack of payment")
		x.wants("suspend the service for a time")
	})
}

func TestAChangeAsksForTheProduct(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.choose(api.Change)
		x.wants("Change Play Basic of Ana Souza to:", "Play Premium")
		x.keys("<esc>") // one step back
		x.wants("suspend the service for a time")
		x.keys("<esc>")
		x.choose(api.Change)
		x.keys("<enter>")
		x.keys("<enter>")
		if len(x.server.performed) != 1 || x.server.performed[0].To.ID != premium {
			t.Errorf("it did %v, want the change to Play Premium", x.server.performed)
		}
	})
}

func TestAProductIsActivatedForWhoHasNone(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys("bruno<enter>")
		x.choose(api.Activate)
		x.wants("Activate for Bruno Ávila Nascimento:", "Música")
		x.keys("2")
		x.keys("<enter>")
		if len(x.server.performed) != 1 || x.server.performed[0].Product.ID != music || x.server.performed[0].Document != "11144477735" {
			t.Errorf("it did %v, want Música for Bruno", x.server.performed)
		}
	})
}

// A second change and Ctrl-Q wait for the response to the first.
func TestOneChangeAtATime(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.act = func(context.Context, support.Step) error { time.Sleep(5 * time.Second); return nil }
		openAna(x)
		x.act(api.Suspend)
		x.wants("Suspend Play Basic of Ana Souza…")
		x.keys("<enter><ctrl+q>")
		x.wants("wait: the last change is not answered yet")
		if len(x.server.performed) != 1 || x.quit {
			t.Errorf("it did %v, quit %v; want one change", x.server.performed, x.quit)
		}
		x.pass(6 * time.Second)
		x.keys("<ctrl+q>")
		if !x.quit {
			t.Error("Ctrl-Q does not end the desk")
		}
	})
}

// setServerStatus changes the status of Ana's Play Basic on the server; the desk has not read it
// yet.
func (x *testDesk) setServerStatus(status string, id api.Int) {
	ana := x.server.people["52998224725"]
	ana.Services = slices.Clone(ana.Services)
	ana.Services[1].Status, ana.Services[1].StatusID = status, id
	x.server.people["52998224725"] = ana
}

// setStatus changes the status of Ana's Play Basic.
func (x *testDesk) setStatus(status string, id api.Int) {
	x.t.Helper()
	x.setServerStatus(status, id)
	addEvent(x)
}

// For a minute after a suspension the menu first offers to undo it while that can succeed,
// and the message line says so.
func TestASuspensionIsTakenBack(t *testing.T) {
	const hint = "takes the suspension back: Enter, then 1"
	for _, c := range []struct {
		made, back      api.Operation
		waiting, done   string
		waitingID, id   api.Int
		label, sentence string
	}{
		{api.Suspend, api.Activate, "waitingSuspension", "suspend", api.StatusWaitingSuspension, api.StatusSuspend,
			"take back the suspension", "Take back the suspension of Play Basic of Ana Souza"},
		{api.Overdue, api.Settle, "waitingSuspensionDueToOverdue", "overdue", api.StatusWaitingSuspensionDueToOverdue, api.StatusOverdue,
			"take back the suspension for lack of payment", "Take back the suspension for lack of payment of Play Basic of Ana Souza"},
	} {
		on(t, options{}, func(x *testDesk) {
			openAna(x)
			x.act(c.made)
			x.setStatus(c.waiting, c.waitingID)
			if c.made == api.Suspend { // the partner confirms it first
				x.wants("the suspension of Play Basic can be taken back once the partner has confirmed it")
				x.lacks(hint)
			}
			x.setStatus(c.done, c.id)
			x.wants(hint)
			x.keys("<enter>")
			x.wants("1 " + c.label)
			x.keys("1")
			x.wants(c.sentence + "? Enter yes")
			x.keys("<enter>")
			if got := x.server.performed; len(got) != 2 || got[1].Operation != c.back || got[1].Product.ID != basic {
				t.Fatalf("it did %v, want %s taken back", got, c.made)
			}
			x.lacks(hint)
			x.keys("<esc>")
			x.setStatus("active", api.StatusActive)
			x.keys("<enter>")
			x.act(c.made)
			x.setStatus(c.done, c.id)
			x.wants(hint)
			x.pass(takeBackTime)
			x.lacks(hint)
			x.keys("<enter>")
			x.lacks("take back")
		})
	}
}

// An open menu is updated: the same action stays chosen, and a digit typed for the old
// entries chooses nothing.
func TestAnOpenMenuIsRenewed(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.act(api.Suspend)
		x.setStatus("waitingSuspension", api.StatusWaitingSuspension)
		x.keys("<enter>")
		x.lacks("take back the suspension")
		first := x.m.prompt.entries[x.m.prompt.chosen].label.String()
		x.setStatus("suspend", api.StatusSuspend)
		x.wants("1 take back the suspension")
		p := x.m.prompt
		if got := p.entries[p.chosen].label.String(); got != first {
			t.Errorf("%q is chosen, want %q still", got, first)
		}
		x.keys("<up><up><up><up>")
		x.setStatus("active", api.StatusActive)
		x.lacks("take back the suspension")
		x.setServerStatus("suspend", api.StatusSuspend)
		x.send(changesMsg{changes: changes{documents: []string{"52998224725"}, cursor: "1"}})
		x.send(keysOf("1")[0])
		if x.m.prompt != p {
			t.Errorf("a digit that was typed ahead chose an entry:\n%s", x.screen())
		}
		x.pass(2 * quietTime)
		x.keys("1")
		x.wants("Take back the suspension of Play Basic of Ana Souza? Enter yes")
	})
}

// A menu closes with its service: no key acts on another.
func TestAMenuClosesWithItsService(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.keys("<enter>")
		ana := x.server.people["52998224725"]
		ana.Services = ana.Services[2:]
		x.server.people["52998224725"] = ana
		addEvent(x)
		if x.m.prompt != nil {
			t.Errorf("the menu is open still:\n%s", x.screen())
		}
	})
}

// Each suspension of the last minute can be undone after changes of other services; one
// undone elsewhere is no longer mentioned.
func TestEachSuspensionIsTakenBack(t *testing.T) {
	const hint = "takes the suspension back"
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.act(api.Suspend)
		x.setStatus("suspend", api.StatusSuspend)
		x.keys("<down>")
		x.act(lifecycle.Resend)
		x.keys("<esc><ctrl+u>bruno<enter>")
		x.lacks(hint)
		x.choose(api.Activate)
		x.keys("1<enter>")
		x.keys("<esc><ctrl+u>souza<enter>")
		x.wants(hint)
		x.keys("<enter>")
		x.wants("1 take back the suspension")
		x.keys("<esc>")
		x.setStatus("active", api.StatusActive)
		x.lacks(hint, "can be taken back once")
	})
}

// A notice ends after noticeTime or, once leastNotice has passed, when its service
// changes.
func TestANoticeIsNeverStale(t *testing.T) {
	const summary = "from active to suspending"
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.act(api.Suspend)
		x.setStatus("waitingSuspension", api.StatusWaitingSuspension)
		x.wants(summary)
		x.setStatus("suspend", api.StatusSuspend) // the partner confirms at once
		x.wants(summary)
		x.pass(leastNotice + clockInterval)
		x.lacks(summary)
		x.setStatus("active", api.StatusActive)
		x.choose(api.Suspend)
		x.keys("<esc>")
		x.wants("not confirmed")
		x.pass(noticeTime + clockInterval)
		x.lacks("not confirmed")
	})
}

// Menu labels depend on the status of the service.
func TestTheMenuNamesWhatIsTriedAgain(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.setStatus("suspend", api.StatusSuspend)
		x.keys("<enter>")
		x.wants("1 reactivate the service")
		x.keys("<esc>")
		x.setStatus("error", api.StatusError)
		x.keys("<enter>")
		x.wants("1 try again: activate the service")
	})
}
