package desk

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

// everySecond lets the feed answer every second.
func everySecond(f *fakeServer) {
	f.changes = func(context.Context, string) (changes, error) {
		time.Sleep(time.Second)
		return changes{cursor: "1"}, nil
	}
}

// without makes each call fail with an error; nil ends that.
func without(err error) func(*testDesk) {
	return func(x *testDesk) {
		x.server.Lock()
		defer x.server.Unlock()
		x.server.gone = err
	}
}

// reads checks how often the card was read.
func reads(least, most int) func(*testDesk) {
	return func(x *testDesk) {
		if got := len(x.server.reads); got < least || got > most {
			x.t.Errorf("the card is read %d times, want %d to %d", got, least, most)
		}
	}
}

func TestTheConnection(t *testing.T) {
	connection := func(route string) error {
		return &client.UnavailableError{Route: route, Err: errors.New("connection refused")}
	}
	const change = "Suspend Play Basic of Ana Souza: the server cannot be reached"
	expired := &client.Error{Route: "GET /events", Status: http.StatusUnauthorized, Code: api.CodeTokenInvalid}
	happened := func(document string) func(*testDesk) {
		return func(x *testDesk) { x.server.happened <- document }
	}
	suspended := func(x *testDesk) { x.server.setService(hasStatus("suspend")) }
	tell(t, []story{
		{name: "with a feed a change is shown at once, and others are not read", steps: []step{
			{keys: openAna, shows: "Play Basic active"},
			{do: happened("39053344705"), wait: time.Second, then: reads(0, 0)},
			{do: suspended, wait: time.Second, shows: "Play Basic active"},
			{do: happened(anaDocument), wait: time.Second, shows: "Play Basic suspend"},
			{keys: "<enter>", do: func(x *testDesk) {
				x.server.read = func(context.Context) error {
					return &client.Error{Route: "GET /subscribers/{document}", Status: http.StatusNotFound, Code: api.CodeSubscriberNotFound}
				}
			}, shows: "reactivate the service"},
			{do: happened(""), wait: time.Second, shows: "Ana Souza|no subscriber has this document|Esc search", lacks: "ana@example.com"}, // an event of a deleted subscriber names no document
		}},
		{name: "without a feed the card is read every ten seconds", server: func(s *fakeServer) {
			s.changes = func(context.Context, string) (changes, error) { return changes{}, nil }
		}, steps: []step{{keys: openAna}, {wait: time.Minute, then: reads(5, 7)}}},
		// The outcome of an e-mail is not an event, so the desk polls for it.
		{name: "a delivery on its way is followed", server: func(s *fakeServer) { s.deliveries[0].State = api.DeliveryWaiting }, steps: []step{
			{keys: openAna, shows: "e-mail"},
			{do: func(x *testDesk) { x.server.deliveries[0].State = api.DeliverySent }, wait: time.Minute, then: reads(1, 1)},
		}},
		{name: "a server that is gone is named, the data stays, and is read once when it is back", server: everySecond, steps: []step{
			{keys: openAna, wait: 3 * time.Second},
			{do: without(connection("GET /events")), wait: 5 * time.Second, shows: "the server cannot be reached|trying again|Play Basic active"},
			{do: suspended, wait: time.Minute, shows: "Play Basic active"},
			{do: without(nil), wait: 15 * time.Second, shows: "Play Basic suspend", lacks: "trying again", then: reads(1, 1)},
		}},
		{name: "a search goes on when the server is back", server: everySecond, steps: []step{
			{wait: 3 * time.Second},
			{do: without(connection("GET /events")), keys: "souza", wait: 5 * time.Second, shows: "the server cannot be reached|trying again"},
			{do: without(nil), wait: 15 * time.Second, shows: "Ana Souza|1 found", lacks: "trying again"},
		}},
		// The status line also shows a change in progress and its outcome: it is not tried again.
		{name: "a change without a server says what became of it", server: func(s *fakeServer) {
			everySecond(s)
			s.act = func(context.Context) error { time.Sleep(10 * time.Second); return nil }
		}, steps: []step{
			{keys: openAna},
			{do: without(connection("POST /products/suspend")), wait: 3 * time.Second},
			{keys: suspending + "<enter>", shows: "Suspend Play Basic of Ana Souza…|connection refused; trying again", sent: "suspend Play Basic of Ana Souza"},
			{wait: 15 * time.Second, shows: change + "|connection refused; trying again"},
			{do: resize(60, 20), shows: change + "|trying again|F1 help"},
		}},
		// Within ten seconds a read tells that it is back; and what is tried again is the connection,
		// not the change that got no answer.
		{name: "a server that is back is noticed before its feed answers", steps: []step{
			{keys: openAna},
			{do: func(x *testDesk) {
				x.send(retryMsg{&client.UnavailableError{Route: "POST /provision/suspend", Sent: true, Unknown: true, Err: errors.New("connection reset by peer")}})
			}, shows: "no whole answer came|trying again", lacks: "may have been carried out"},
			{wait: clockInterval + time.Second, lacks: "trying again"},
		}},
		// The remedy is shown, and following stops until a request succeeds.
		{name: "a token that is refused later", server: func(s *fakeServer) { everySecond(s); s.deliveries[0].State = api.DeliveryWaiting }, steps: []step{
			{keys: openAna, wait: 2 * time.Second},
			{do: without(expired), wait: 5 * time.Second, shows: "ativa login"},
			{wait: 2 * time.Minute, shows: "ativa login", then: func(x *testDesk) {
				if got := len(x.server.cursors) + len(x.server.reads); got > 0 {
					t.Errorf("the refused token was used %d times by itself, want 0", got)
				}
			}},
			{keys: suspending + "<enter>", wait: noticeTime / 2, sent: "suspend Play Basic of Ana Souza", shows: "Suspend Play Basic of Ana Souza: the server does not accept the access token|ativa login"},
			{do: without(nil), keys: "souza", wait: 5 * time.Second, lacks: "ativa login", then: func(x *testDesk) {
				if len(x.server.cursors) == 0 {
					t.Error("following does not go on")
				}
			}},
		}},
		{name: "an expired cursor starts over", server: func(s *fakeServer) {
			s.changes = func(_ context.Context, cursor string) (changes, error) {
				time.Sleep(time.Second)
				if cursor == "old" {
					return changes{}, &client.Error{Status: http.StatusUnprocessableEntity, Code: api.CodeInvalidCursor}
				}
				return changes{cursor: "old"}, nil
			}
		}, steps: []step{{wait: 5 * time.Second, then: func(x *testDesk) {
			if got := x.server.cursors; len(got) < 3 || !slices.Equal(got[:3], []string{"old", "", "old"}) {
				t.Errorf("it asked with the cursors %q, want it to begin anew", got)
			}
		}}}},
	})
}

// A server that takes the connection and answers nothing is named after a few seconds, whatever was
// asked of it. An event feed may be held.
func TestASilentServerIsNamed(t *testing.T) {
	const silent = "the server has not answered yet"
	held := func(context.Context) error { time.Sleep(20 * time.Second); return nil }
	calls := map[string]story{
		"a search": {server: func(s *fakeServer) {
			s.find = func(ctx context.Context, _ string) ([]api.Subscriber, error) { return nil, held(ctx) }
		}, steps: []step{{keys: "souza", shows: "searching…"}}},
		"the catalog": {server: func(s *fakeServer) { s.offer = held }, steps: []step{{keys: "zz", shows: "0 found"}}},
		"a card":      {server: func(s *fakeServer) { s.read = held }, steps: []step{{keys: openAna}}},
		"a change": {server: func(s *fakeServer) { s.act = held }, steps: []step{{keys: openAna},
			{keys: suspending + "<enter>", shows: "Suspend Play Basic of Ana Souza…", sent: "suspend Play Basic of Ana Souza"}}},
		"its first sign of life": {server: func(s *fakeServer) {
			s.changes = func(ctx context.Context, cursor string) (changes, error) {
				if cursor == "" {
					_ = held(ctx)
				}
				return s.feed(ctx, cursor)
			}
		}},
	}
	for name, c := range calls {
		c.name = name
		c.steps = append(c.steps, step{wait: time.Second, lacks: silent}, step{wait: 2 * time.Second, shows: silent}, step{wait: 20 * time.Second, lacks: silent},
			step{wait: time.Minute, lacks: silent})
		tell(t, []story{c})
	}
}

func TestTheDeskEndsWithoutCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(t)
		s.gone = &client.Error{Status: http.StatusUnauthorized, Code: api.CodeInvalidAccessToken}
		everySecond(s)
		x := newTestDesk(t, s, options{})
		x.pass(2 * time.Second)
		if !x.quit || client.KindOf(x.m.err) != client.KindAuth {
			t.Errorf("quit %v with %v, want the refusal", x.quit, x.m.err)
		}
	})
}
