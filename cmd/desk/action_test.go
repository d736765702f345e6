package desk

import (
	"context"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

const (
	openAna    = "souza<enter>"
	suspending = "<menu suspend the service for a time>"
)

func TestTypingAlwaysSearches(t *testing.T) {
	for _, where := range []string{"", openAna, openAna + "<enter>", openAna + "<enter>1"} {
		for _, name := range []string{"alexsandro", "nunes"} {
			tell(t, []story{{name: where + name, steps: []step{{keys: where}, {keys: name, shows: "Search: " + name}}}})
		}
		tell(t, []story{{name: "a document after " + where, steps: []step{{keys: where}, {do: paste("11987650001"), shows: "Search: 11987650001"}}}})
	}
}

// A cancellation names product and person, and only the word confirms it; a paste does not.
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
		asked := step{keys: openAna + "<menu cancel the service>", shows: "Play Basic|Ana Souza"}
		answered := step{keys: c.keys}
		if c.cancelled {
			answered.sent = "deactivate Play Basic of Ana Souza"
		}
		tell(t, []story{{name: string(c.l) + c.keys, options: options{lang: c.l}, steps: []step{asked, {do: paste("cancel")}, answered}}})
	}
}

// On the smallest terminal a question that waits for a word is whole, with room for the word.
func TestAQuestionIsWholeOnTheSmallestTerminal(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		name := "producao-do-provedor-azul-de-campinas"
		on(t, options{lang: l, context: name, protected: true, asksName: true}, func(x *testDesk) {
			resize(leastWidth, leastHeight)(x)
			x.keys(openAna + "<menu cancel the service>")
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

func TestARefusalWithoutACodeIsRed(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.m.performed(performedMsg{outcome: support.Outcome{Result: api.BatchResult{Result: api.ResultFailed, Detail: "it says no more"}}})
		if got, want := x.m.notice.colour, render.Red; got != want {
			t.Errorf("got colour %v, want %v", got, want)
		}
	})
}

func TestActionsAndPermissions(t *testing.T) {
	tell(t, []story{
		{name: "a suspension", steps: []step{
			{keys: openAna + suspending, shows: "Suspend Play Basic of Ana Souza?"},
			{keys: "<enter>", shows: "waits for the partner to confirm the suspension", sent: "suspend Play Basic of Ana Souza"},
		}},
		{name: "a protected context asks for its name before each change", options: options{context: "producao", protected: true, asksName: true, colours: true}, steps: []step{
			{keys: openAna, shows: "producao protected"},
			{keys: suspending, shows: "Suspend Play Basic of Ana Souza|Context producao is protected. Type its name to continue:"},
			{keys: "prod<enter>", shows: "not confirmed; nothing was sent"},
			{keys: suspending + "producao<enter>", sent: "suspend Play Basic of Ana Souza"},
			{keys: "<menu cancel the service>producao<enter>", shows: "This cannot be undone. Type cancel and Enter, or Esc:"},
			{keys: "cancel<enter>", sent: "deactivate Play Basic of Ana Souza"},
		}},
		{name: "a read-only context offers no changes", options: options{readOnly: true}, steps: []step{
			{keys: openAna, shows: "read-only", lacks: "another product"},
			{keys: "<enter>", shows: "1 message for the subscriber|2 show the CPF", lacks: "suspend the service|3 "},
		}},
		{name: "what the token may not do is not offered", server: func(s *fakeServer) { s.catalog.Scopes = []api.Scope{api.ScopeRead, api.ScopeManage} }, steps: []step{
			{do: resize(120, 40), keys: openAna, lacks: "another product"},
			{keys: "<down><enter>", shows: "1 send the activation e-mail again", lacks: "suspend the service|cancel the service"},
			{keys: "<esc><menu send the activation e-mail again><enter>", sent: "resend Música of Ana Souza"},
		}},
		{name: "what the server lacks is not offered", server: func(s *fakeServer) { s.catalog.Overdue, s.catalog.History, s.catalog.Deliveries = false, false, false }, steps: []step{
			{keys: openAna, shows: "the server keeps none"},
			{keys: "<enter>", shows: "suspend the service for a time", lacks: "lack of payment"},
		}},
		{name: "a change asks for the product", steps: []step{
			{keys: openAna + "<menu change>", shows: "Change Play Basic of Ana Souza to:|Play Premium"},
			{keys: "<esc>", shows: "suspend the service for a time"}, // one step back
			{keys: "<esc><menu change><enter>"},
			{keys: "<enter>", sent: "change Play Basic of Ana Souza to Play Premium"},
		}},
		{name: "a subscriber without services gets one", steps: []step{
			{keys: "bruno<enter><menu activate>", shows: "Activate for Bruno Ávila Nascimento:|Música"},
			{keys: "2"},
			{keys: "<enter>", sent: "activate Música of Bruno Ávila Nascimento"},
		}},
		{name: "the menu names what is tried again", steps: []step{
			{keys: openAna, do: becomes("suspend")},
			{keys: "<enter>", shows: "1 reactivate the service"},
			{do: becomes("error"), shows: "1 try again: activate the service"},
		}},
		{name: "the CPF is shown from the menu", steps: []step{
			{keys: openAna, lacks: "529.982.247-25"},
			{keys: "<menu show the CPF whole>", shows: "529.982.247-25"},
			{keys: "<menu hide the CPF>", lacks: "529.982.247-25"},
		}},
		{name: "a trust release needs schedules and a service without payment", steps: []step{
			{keys: openAna},
			{do: becomes("overdue"), keys: "<enter>", lacks: "trust release"},
			{do: func(x *testDesk) { x.server.catalog.Schedule = true; x.addEvent() }, shows: "trust release for 3 days"},
			{do: func(*testDesk) { time.Sleep(72 * time.Hour) }, keys: "<esc><menu trust release for 3 days>", shows: "Register the payment and reactivate Play Basic of Ana Souza, on trust until 20|Enter yes"},
			{keys: "<enter>", sent: "settle Play Basic of Ana Souza until 2026-11-28"},
			{do: becomes("active"), keys: "<enter>", lacks: "trust release"},
		}},
		{name: "a confirmation closes when its step is not offered any more", steps: []step{
			{keys: openAna, do: becomes("suspend")},
			{keys: "<menu reactivate the service>", shows: "Enter yes"},
			{do: becomes("canceled"), shows: "not confirmed; nothing was sent: the service has changed", lacks: "Enter yes"},
			{keys: "<enter>"},
		}},
		{name: "a menu closes with its service", steps: []step{
			{keys: openAna + "<enter>", shows: "Play Basic of Ana Souza:"},
			{do: func(x *testDesk) {
				ana := x.server.Subscribers[anaDocument]
				ana.Services = ana.Services[2:]
				x.addEvent()
			}, shows: "Enter menu"},
		}},
	})
}

func TestOneChangeAtATime(t *testing.T) {
	const wait = "wait: the last change is not answered yet"
	tell(t, []story{{name: "a suspension", server: func(s *fakeServer) {
		s.act = func(context.Context) error { time.Sleep(10 * time.Second); return nil }
	}, steps: []step{
		{keys: openAna},
		{keys: suspending + "<enter>", shows: "Suspend Play Basic of Ana Souza…", sent: "suspend Play Basic of Ana Souza"},
		{keys: "<enter>", shows: wait},
		{keys: "<ctrl+q>", shows: wait},
		{keys: "Zilda Reis"},
		{keys: "<enter>"},
		{keys: newSubscriber + "<enter>", shows: "Register a subscriber|" + wait},
		{keys: "<ctrl+q>", wait: 10 * time.Second, shows: wait},
		{keys: "<ctrl+s>", wait: 10 * time.Second, shows: "Zilda Reis is registered",
			sent: "register Zilda Reis 86288366757 zilda@example.com +551133334444  38"},
	}}})
	on(t, options{}, func(x *testDesk) {
		if x.keys(openAna + "<ctrl+q>"); !x.quit {
			t.Error("Ctrl-Q does not end the desk")
		}
	})
}

// For a minute after a suspension the menu first offers to undo it while that can succeed,
// and the message line says so.
func TestASuspensionIsUndone(t *testing.T) {
	const hint = "undoes the suspension: Enter, then 1"
	for _, c := range []struct {
		menu, made, undone string
		waiting, done      string
		shows, lacks       string // until the partner confirms it
		label              string
	}{
		{suspending, "suspend", "activate", "waitingSuspension", "suspend",
			"the suspension of Play Basic can be undone once the partner has confirmed it", hint, "undo the suspension"},
		{"<menu suspend the service for lack of payment>", "overdue", "settle", "waitingSuspensionDueToOverdue", "overdue",
			"", "", "undo the suspension for lack of payment"},
	} {
		const ofAna = " Play Basic of Ana Souza"
		title := "U" + strings.TrimPrefix(c.label, "u") + " of" + ofAna
		tell(t, []story{{name: c.made, steps: []step{
			{keys: openAna},
			{keys: c.menu + "<enter>", sent: c.made + ofAna},
			{do: becomes(c.waiting), shows: c.shows, lacks: c.lacks},
			{do: becomes(c.done), shows: hint},
			{keys: "<enter>", shows: "1 " + c.label},
			{keys: "1", shows: title + "? Enter yes"},
			{keys: "<enter>", lacks: hint, sent: c.undone + ofAna},
			{do: becomes("active"), keys: c.menu + "<enter>", sent: c.made + ofAna},
			{do: becomes(c.done), shows: hint},
			{wait: undoTime, lacks: hint},
			{keys: "<enter>", lacks: "undo the"},
		}}})
	}
	tell(t, []story{{name: "each of several, unless it was undone elsewhere", steps: []step{
		{keys: openAna},
		{keys: suspending + "<enter>", sent: "suspend Play Basic of Ana Souza"},
		{do: becomes("suspend"), keys: "<down><menu send the activation e-mail again><enter>", sent: "resend Música of Ana Souza"},
		{keys: "<esc><ctrl+u>bruno<enter>", lacks: "undoes the suspension"},
		{keys: "<menu activate>1"},
		{keys: "<enter>", sent: "activate Play Basic of Bruno Ávila Nascimento"},
		{keys: "<esc><ctrl+u>" + openAna, shows: "undoes the suspension"},
		{keys: "<enter>", shows: "1 undo the suspension"},
		{keys: "<esc>", do: becomes("active"), lacks: "undoes the suspension|can be undone once"},
	}}})
}

// An open menu is updated: the same action stays chosen, and a digit typed for the old
// entries chooses nothing.
func TestAnOpenMenuIsRenewed(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys(openAna + suspending + "<enter>")
		becomes("waitingSuspension")(x)
		x.keys("<enter>")
		x.lacks("undo the suspension")
		first := x.m.prompt.entries[x.m.prompt.chosen].label.String()
		becomes("suspend")(x)
		x.wants("1 undo the suspension")
		p := x.m.prompt
		if got := p.entries[p.chosen].label.String(); got != first {
			t.Errorf("%q is chosen, want %q still", got, first)
		}
		x.keys("<up><up><up><up>")
		becomes("active")(x)
		x.lacks("undo the suspension")
		x.server.setService(hasStatus("suspend"))
		x.send(changesMsg{changes: changes{documents: []string{anaDocument}, cursor: "1"}})
		x.send(keysOf("1")[0])
		if x.m.prompt != p {
			t.Errorf("a digit that was typed ahead chose an entry:\n%s", x.screen())
		}
		x.pass(2 * quietTime)
		x.take(step{keys: "1", shows: "Undo the suspension of Play Basic of Ana Souza? Enter yes"})
	})
}

// A notice ends after noticeTime or, once leastNotice has passed, when its service
// changes.
func TestANoticeIsNeverStale(t *testing.T) {
	const summary = "from active to suspending"
	tell(t, []story{{name: "of a suspension", steps: []step{
		{keys: openAna},
		{keys: suspending + "<enter>", sent: "suspend Play Basic of Ana Souza"},
		{do: becomes("waitingSuspension"), shows: summary},
		{do: becomes("suspend"), shows: summary}, // the partner confirms at once
		{wait: leastNotice + clockInterval, lacks: summary},
		{do: becomes("active"), keys: suspending + "<esc>", shows: "not confirmed"},
		{wait: noticeTime + clockInterval, lacks: "not confirmed"},
	}}, {name: "of a change that is answered on the card of somebody else", server: func(s *fakeServer) {
		s.act = func(context.Context) error { time.Sleep(2 * time.Second); return nil }
		hasStatus("suspend")(&s.Subscribers["39053344705"].Services[0])
	}, steps: []step{
		{keys: openAna},
		{keys: suspending + "<enter>", sent: "suspend Play Basic of Ana Souza"},
		{keys: "<esc><ctrl+u>lima<enter>", wait: leastNotice + clockInterval, shows: "王小明 Lima|" + summary},
		{do: func(x *testDesk) {
			x.send(changesMsg{changes: changes{documents: []string{"39053344705"}, cursor: "1"}})
		}, wait: leastNotice, shows: summary},
	}}})
}

func TestADateIsNotBroken(t *testing.T) {
	const date = "2026-11-30"
	for room := len(date) + 2; room < 60; room++ {
		lines := wrapped(text("Play Basic de Ana, até "+date+" 14:12; quem liga é do 98765-4321"), 1, room)
		var screen strings.Builder
		for _, l := range lines {
			l.write(&screen, false)
			screen.WriteByte('\n')
			if l.width() > room {
				t.Errorf("a line of %d columns on %d", l.width(), room)
			}
		}
		if got := screen.String(); !strings.Contains(got, date) || !strings.Contains(got, "98765-4321") {
			t.Errorf("%d columns:\n%s", room, got)
		}
	}
}
