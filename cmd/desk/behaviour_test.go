package desk

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/support"
)

// Ana is opened by part of her name.
func openAna(x *stage) { x.keys("souza<enter>") }

func TestTheServerIsAskedOnceForWhatIsTypedAtOnce(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.keys("souza")
		if got := x.server.asked; !slices.Equal(got, []string{"souza"}) {
			t.Errorf("the server was asked for %q, want once for souza", got)
		}
	})
}

// A slow answer to an earlier question never replaces a later one, and blocks nothing.
func TestTheLastQuestionWins(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.server.find = func(ctx context.Context, term string) ([]api.Subscriber, error) {
			wait := time.Second
			if term == "ana" {
				wait = time.Minute
			}
			time.Sleep(wait) // deaf to being called off
			return []api.Subscriber{{Name: "answer to " + term, Document: "52998224725"}}, nil
		}
		x.keys("ana")
		x.wants("searching…")
		x.keys("<ctrl+u>bia")
		x.pass(2 * time.Second)
		x.wants("answer to bia")
		x.pass(2 * time.Minute)
		x.wants("answer to bia")
		x.lacks("answer to ana")
	})
}

func TestWhatIsNotWantedAnyMoreIsCalledOff(t *testing.T) {
	on(t, options{}, func(x *stage) {
		var calledOff bool
		x.server.find = func(ctx context.Context, _ string) ([]api.Subscriber, error) {
			<-ctx.Done()
			calledOff = true
			return nil, ctx.Err()
		}
		x.keys("ana")
		x.keys("<backspace>")
		if !calledOff {
			t.Error("the first question goes on, want it called off")
		}
		x.lacks("interrupted")
	})
}

// Enter before the answer opens the only one that it brings.
func TestEnterOpensTheOnlyAnswerThatIsStillToCome(t *testing.T) {
	on(t, options{}, func(x *stage) {
		for _, k := range keysOf("souza<enter>") {
			x.send(k)
		}
		x.pass(time.Second)
		x.wants("waits for the subscriber")
	})
}

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
		x.server.catalog.Overdue, x.server.catalog.History = false, false
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
		x.keys("sxq")
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

func TestTheCPFIsShownByAKey(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		x.lacks("529.982.247-25")
		x.keys("d")
		x.wants("529.982.247-25")
		x.keys("d")
		x.lacks("529.982.247-25")
	})
}

func TestTheMessageForTheSubscriberIsPortuguese(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		x.keys("m")
		x.wants("sent to the clipboard")
		got := x.m.card.record.SubscriberMessage()
		for _, want := range []string{"Olá, Ana!", "Play Basic está ativo", "clique no link"} {
			if !strings.Contains(got, want) {
				t.Errorf("the message lacks %q: %s", want, got)
			}
		}
		if strings.Contains(got, "529") || strings.Contains(got, "Premium") {
			t.Errorf("the message says too much: %s", got)
		}
	})
}

// With an event feed a change is shown at once, and what concerns others is not read.
func TestTheFeedRefreshesWhatItIsAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		happened := make(chan string, 4)
		s.changes = func(ctx context.Context, cursor string) (changes, error) {
			if cursor == "" {
				return changes{cursor: "1"}, nil
			}
			select {
			case d := <-happened:
				return changes{documents: []string{d}, cursor: cursor + "1"}, nil
			case <-ctx.Done():
				return changes{}, ctx.Err()
			}
		}
		reads := 0
		s.read = func(context.Context) error { reads++; return nil }
		x := newStage(t, s, options{})
		openAna(x)
		x.wants("Play Basic active")
		reads = 0
		happened <- "39053344705"
		x.pass(time.Second)
		if reads != 0 {
			t.Errorf("an event of somebody else reads the card %d times, want 0", reads)
		}
		ana := s.people["52998224725"]
		ana.Services[1].Status, ana.Services[1].StatusID = "suspend", api.StatusSuspend
		happened <- "52998224725"
		x.pass(time.Second)
		x.wants("Play Basic suspend")
	})
}

func TestWithoutAFeedTheCardIsReadEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		s.changes = func(context.Context, string) (changes, error) { return changes{}, nil }
		reads := 0
		s.read = func(context.Context) error { reads++; return nil }
		x := newStage(t, s, options{})
		openAna(x)
		reads = 0
		x.pass(time.Minute)
		if reads < 5 || reads > 7 {
			t.Errorf("the card is read %d times in a minute, want 6", reads)
		}
	})
}

// A server that goes away says so in the status line, and what is shown stays; when
// it is back, that is read again.
func TestAServerThatGoesAwayComesBackByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		var down atomic.Bool
		lost := func() error {
			if down.Load() {
				return &client.UnavailableError{Route: "GET /events", Err: errors.New("connection refused")}
			}
			return nil
		}
		s.changes = func(ctx context.Context, cursor string) (changes, error) {
			time.Sleep(time.Second)
			return changes{cursor: "1"}, lost()
		}
		reads := 0
		s.read = func(context.Context) error { reads++; return lost() }
		x := newStage(t, s, options{})
		openAna(x)
		x.pass(3 * time.Second)
		down.Store(true)
		x.pass(5 * time.Second)
		x.wants("the server cannot be reached", "trying again", "Play Basic active")
		ana := s.people["52998224725"]
		ana.Services[1].Status, ana.Services[1].StatusID = "suspend", api.StatusSuspend
		x.pass(time.Minute)
		down.Store(false)
		reads = 0
		x.pass(15 * time.Second)
		x.wants("Play Basic suspend")
		x.lacks("trying again")
		if reads != 1 {
			t.Errorf("the card is read %d times when the server is back, want once", reads)
		}
	})
}

// A token that is refused in the middle says what to do, and is not tried again and
// again; once something is answered, following goes on.
func TestARefusedTokenSaysWhatToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		var refused atomic.Bool
		asked := 0
		s.changes = func(ctx context.Context, cursor string) (changes, error) {
			asked++
			time.Sleep(time.Second)
			if refused.Load() {
				return changes{}, &client.Error{Route: "GET /events", Status: http.StatusUnauthorized, Code: api.CodeTokenInvalid}
			}
			return changes{cursor: "1"}, nil
		}
		x := newStage(t, s, options{})
		x.pass(2 * time.Second)
		refused.Store(true)
		x.pass(5 * time.Second)
		x.wants("ativa login")
		asked = 0
		x.pass(time.Minute)
		if asked > 0 {
			t.Errorf("the refused token was used %d times by itself, want 0", asked)
		}
		refused.Store(false)
		x.keys("souza")
		x.pass(5 * time.Second)
		if asked == 0 {
			t.Error("following does not go on")
		}
		x.lacks("ativa login")
	})
}

// Without a token that works the desk ends as every command does.
func TestTheDeskEndsWithoutCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		s.changes = func(context.Context, string) (changes, error) {
			return changes{}, &client.Error{Status: http.StatusUnauthorized, Code: api.CodeInvalidAccessToken}
		}
		x := newStage(t, s, options{})
		if !x.quit || client.KindOf(x.m.err) != client.KindAuth {
			t.Errorf("quit %v with %v, want the refusal", x.quit, x.m.err)
		}
	})
}

// A cursor that the server does not keep any more begins anew.
func TestALostCursorBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		var cursors []string
		s.changes = func(ctx context.Context, cursor string) (changes, error) {
			cursors = append(cursors, cursor)
			time.Sleep(time.Second)
			if cursor == "old" {
				return changes{}, &client.Error{Status: http.StatusUnprocessableEntity, Code: api.CodeInvalidCursor}
			}
			return changes{cursor: "old"}, nil
		}
		x := newStage(t, s, options{})
		x.pass(4 * time.Second)
		if len(cursors) < 3 || cursors[1] != "old" || cursors[2] != "" {
			t.Errorf("it asked with the cursors %q, want it to begin anew", cursors)
		}
	})
}

// What comes from the server cannot reach the terminal unescaped.
func TestDataOfTheServerIsEscaped(t *testing.T) {
	on(t, options{colours: true}, func(x *stage) {
		evil := "Ana\x1b]0;owned\x07\r\n\u202eSouza"
		s := x.server.people["52998224725"]
		s.Name, s.Email, s.CustomerPlan = evil, evil, evil
		s.Services[1].ProductName, s.Services[1].Status, s.Services[1].StatusID = evil, evil, 99
		x.server.people["52998224725"] = s
		x.server.events[2].Reason = evil
		x.server.events[1].Trigger = evil
		x.keys("ana")
		for _, keys := range []string{"", "<enter>", "x", "<esc>m"} {
			x.keys(keys)
			content := x.m.View().Content
			if strings.Contains(content, "\x1b]") || strings.ContainsAny(content, "\x07\r\u202e") {
				t.Errorf("after %q the screen holds what a terminal obeys: %q", keys, content)
			}
			x.screen()
		}
	})
}

func TestASmallTerminalWaitsForMoreRoom(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		for _, size := range [][2]int{{59, 20}, {60, 19}, {20, 5}, {1, 1}} {
			x.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			x.keys("sq")
			if shown := x.screen(); size[0] > 10 && !strings.Contains(shown, "terminal") {
				t.Errorf("%v: it says %q", size, shown)
			}
		}
		if len(x.server.performed) > 0 || x.quit {
			t.Errorf("keys acted: %v, quit %v", x.server.performed, x.quit)
		}
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		x.wants("Ana Souza", "Play Basic")
	})
}

func TestWithoutColoursThereIsNoEscapeSequence(t *testing.T) {
	on(t, options{protected: true}, func(x *stage) {
		openAna(x)
		if content := x.m.View().Content; strings.Contains(content, "\x1b") {
			t.Errorf("the screen has colours: %q", content)
		}
	})
}

// The row in focus is on the screen however small it is.
func TestTheFocusIsAlwaysOnTheScreen(t *testing.T) {
	on(t, options{}, func(x *stage) {
		ana := x.server.people["52998224725"]
		for i := range 30 {
			s := ana.Services[2]
			s.ProductID, s.ProductName = api.Int(100+i), "Canal "+string(rune('A'+i))
			ana.Services = append(ana.Services, s)
		}
		x.server.people["52998224725"] = ana
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		openAna(x)
		for range 36 {
			if !strings.Contains(x.screen(), "\n› ") {
				t.Fatalf("the focus is not on the screen:\n%s", x.screen())
			}
			x.keys("<down>")
		}
		for range 36 {
			x.keys("<up>")
		}
		x.wants("ana@example.com", "› Play Basic")
	})
}

func TestTheSearchLineIsEdited(t *testing.T) {
	for keys, want := range map[string]string{
		"ana souza<ctrl+w>lima": "ana lima", "ana<ctrl+a>X<ctrl+k>": "X", "anaé<backspace>": "ana", "ana<ctrl+b><ctrl+b><ctrl+d>": "aa", "ana<esc>b": "b",
	} {
		on(t, options{}, func(x *stage) {
			x.keys(keys)
			if got := x.m.search.input.text(); got != want {
				t.Errorf("%q gives %q, want %q", keys, got, want)
			}
		})
	}
}

// What becomes of an e-mail is no event, so it is asked for until it is known.
func TestADeliveryOnItsWayIsFollowed(t *testing.T) {
	on(t, options{}, func(x *stage) {
		x.server.deliveries[0].State = api.DeliveryWaiting
		openAna(x)
		x.wants("e-mail")
		x.server.deliveries[0].State = api.DeliverySent
		reads := 0
		x.server.read = func(context.Context) error { reads++; return nil }
		x.pass(time.Minute)
		if reads != 1 {
			t.Errorf("the card is read %d times, want once: then it is known", reads)
		}
	})
}
