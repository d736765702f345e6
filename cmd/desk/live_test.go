package desk

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/support"
)

// With an event feed a change is shown at once, and other subscribers are not read.
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
		x := newTestDesk(t, s, options{})
		openAna(x)
		x.wants("Play Basic active")
		s.reads = 0
		happened <- "39053344705"
		x.pass(time.Second)
		if s.reads != 0 {
			t.Errorf("an event of somebody else reads the card %d times, want 0", s.reads)
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
		x := newTestDesk(t, s, options{})
		openAna(x)
		s.reads = 0
		x.pass(time.Minute)
		if s.reads < 5 || s.reads > 7 {
			t.Errorf("the card is read %d times in a minute, want 6", s.reads)
		}
	})
}

// goesAway lets the feed answer every second unless the server is down. lost is the error then.
func (f *fakeServer) goesAway() (down *atomic.Bool, lost func() error) {
	down = new(atomic.Bool)
	lost = func() error {
		if down.Load() {
			return &client.UnavailableError{Route: "GET /events", Err: errors.New("connection refused")}
		}
		return nil
	}
	f.changes = func(context.Context, string) (changes, error) {
		time.Sleep(time.Second)
		return changes{cursor: "1"}, lost()
	}
	return down, lost
}

// An unreachable server is named in the status line, and the data stays; when it is back,
// the data is read again.
func TestAServerThatGoesAwayComesBackByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		down, lost := s.goesAway()
		s.read = func(context.Context) error { return lost() }
		x := newTestDesk(t, s, options{})
		openAna(x)
		x.pass(3 * time.Second)
		down.Store(true)
		x.pass(5 * time.Second)
		x.wants("the server cannot be reached", "trying again", "Play Basic active")
		ana := s.people["52998224725"]
		ana.Services[1].Status, ana.Services[1].StatusID = "suspend", api.StatusSuspend
		x.pass(time.Minute)
		down.Store(false)
		s.reads = 0
		x.pass(15 * time.Second)
		x.wants("Play Basic suspend")
		x.lacks("trying again")
		if s.reads != 1 {
			t.Errorf("the card is read %d times when the server is back, want once", s.reads)
		}
	})
}

// While the server is unreachable the status line also shows a change in progress and its
// outcome: it is not retried.
func TestAChangeWithoutAServerSaysWhatBecameOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		gone := &client.UnavailableError{Route: "POST /products/suspend", Err: errors.New("connection refused")}
		s.changes = func(context.Context, string) (changes, error) {
			time.Sleep(time.Second)
			return changes{}, gone
		}
		s.act = func(context.Context, support.Step) error {
			time.Sleep(10 * time.Second)
			return gone
		}
		x := newTestDesk(t, s, options{})
		openAna(x)
		s.read = func(context.Context) error { return gone }
		x.pass(3 * time.Second)
		x.act(api.Suspend)
		x.wants("Suspend Play Basic of Ana Souza…", "connection refused; trying again")
		x.pass(15 * time.Second)
		x.wants("Suspend Play Basic of Ana Souza: the server cannot be reached", "connection refused; trying again")
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		x.wants("Suspend Play Basic of Ana Souza: the server cannot be reached", "trying again", "F1 help")
	})
}

// A token refused later shows the remedy and stops following until a request succeeds.
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
		x := newTestDesk(t, s, options{})
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

// Without a valid token the desk ends like every command.
func TestTheDeskEndsWithoutCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		s.changes = func(context.Context, string) (changes, error) {
			return changes{}, &client.Error{Status: http.StatusUnauthorized, Code: api.CodeInvalidAccessToken}
		}
		x := newTestDesk(t, s, options{})
		if !x.quit || client.KindOf(x.m.err) != client.KindAuth {
			t.Errorf("quit %v with %v, want the refusal", x.quit, x.m.err)
		}
	})
}

// An expired cursor starts over.
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
		x := newTestDesk(t, s, options{})
		x.pass(4 * time.Second)
		if len(cursors) < 3 || cursors[1] != "old" || cursors[2] != "" {
			t.Errorf("it asked with the cursors %q, want it to begin anew", cursors)
		}
	})
}

// The outcome of an e-mail is not an event, so the desk polls for it.
func TestADeliveryOnItsWayIsFollowed(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.deliveries[0].State = api.DeliveryWaiting
		openAna(x)
		x.wants("e-mail")
		x.server.deliveries[0].State = api.DeliverySent
		x.server.reads = 0
		x.pass(time.Minute)
		if x.server.reads != 1 {
			t.Errorf("the card is read %d times, want once: then it is known", x.server.reads)
		}
	})
}

// A search that failed on an unreachable server is repeated when it is back, as the
// status line promises.
func TestASearchGoesOnWhenTheServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		down, lost := s.goesAway()
		ana := []api.Subscriber{s.people["52998224725"]}
		s.find = func(context.Context, string) ([]api.Subscriber, error) { return ana, lost() }
		x := newTestDesk(t, s, options{})
		x.pass(3 * time.Second)
		down.Store(true)
		x.keys("souza")
		x.pass(5 * time.Second)
		x.wants("the server cannot be reached", "trying again")
		down.Store(false)
		x.pass(15 * time.Second)
		x.lacks("trying again")
		x.wants("Ana Souza", "1 found")
	})
}

// While the event feed is held by a server that is back, a read tells that it is, within ten
// seconds; and what is tried again is the connection, not the change that got no answer.
func TestAServerThatIsBackIsNoticedBeforeTheFeedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer()
		x := newTestDesk(t, s, options{}) // its feed never answers
		openAna(x)
		x.send(retryMsg{&client.UnavailableError{Route: "POST /provision/suspend", Sent: true, Unknown: true, Err: errors.New("connection reset by peer")}})
		x.wants("no whole answer came", "trying again")
		x.lacks("may have been carried out")
		x.pass(clockInterval + time.Second)
		x.lacks("trying again")
	})
}
