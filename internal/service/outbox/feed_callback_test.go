package outbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/server"
)

// setFeedCallback registers a receiver as the feed callback of a provider.
func (f *fixture) setFeedCallback(p domain.Provider, url string, fromBeginning bool) []byte {
	f.t.Helper()
	c, err := f.manager.SetFeedCallback(context.Background(), p.Name, url, true, fromBeginning)
	f.must(err)
	return c.Secret
}

func (f *fixture) feedCallback(p domain.Provider) domain.FeedCallback {
	f.t.Helper()
	c, err := f.manager.FeedCallback(context.Background(), p.Name)
	f.must(err)
	return c
}

// newFeedFixture returns a fixture that is not started, and does nothing else than to push the default
// provider's feed to a receiver that responds with respond.
func newFeedFixture(t *testing.T, respond func(int, http.ResponseWriter, *http.Request)) (*fixture, *webhookReceiver) {
	t.Helper()
	f := newFixture(t, manual)
	f.rules = withoutWork
	f.manage(&watchedStore{DB: f.store, idle: true})
	h := &webhookReceiver{t: t, respond: respond}
	h.secret = f.setFeedCallback(f.defaultProvider, f.serve("azul.example", h), false)
	return f, h
}

// downUntil responds with the status until the receiver is up.
func downUntil(up *atomic.Bool, status int) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(status)
		}
	}
}

// feedMessage is the body of a pushed batch.
type feedMessage struct {
	Type string
	Data struct {
		Events     []json.RawMessage
		NextCursor string `json:"next_cursor"`
	}
}

func decodeFeed(t *testing.T, body string) (m feedMessage, ids []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Type != "events" {
		t.Fatalf("%v: %.200s", err, body)
	}
	for _, raw := range m.Data.Events {
		var e struct{ ID string }
		must(t, json.Unmarshal(raw, &e))
		ids = append(ids, e.ID)
	}
	if len(ids) == 0 || len(ids) > outbox.FeedBatchSize || ids[len(ids)-1] != m.Data.NextCursor {
		t.Errorf("got %d events up to %s", len(ids), m.Data.NextCursor)
	}
	return m, ids
}

// eventIDs returns the ids of the whole feed after a cursor.
func (f *fixture) eventIDs(p domain.Provider, after domain.EventID) (ids []string) {
	f.t.Helper()
	for {
		events, next, err := f.manager.Events(context.Background(), p.ID, after, 1000)
		f.must(err)
		if len(events) == 0 {
			return ids
		}
		for _, e := range events {
			ids = append(ids, e.ID.String())
		}
		after = next
	}
}

// wantOnceInOrder checks that the messages, without repetitions of a webhook-id, contain the feed
// after a cursor, and that repetitions are adjacent and have the same body.
func wantOnceInOrder(t *testing.T, got []received, want []string) {
	t.Helper()
	var all []string
	seen := map[string]string{}
	last := ""
	for _, m := range got {
		body, again := seen[m.id]
		if again && (m.id != last || body != m.body) {
			t.Errorf("%s came again after %s, or with another body", m.id, last)
		}
		if !again {
			_, ids := decodeFeed(t, m.body)
			all = append(all, ids...)
		}
		seen[m.id], last = m.body, m.id
	}
	if !slices.Equal(all, want) {
		t.Errorf("got %d events, want the %d of the feed, each once and in order", len(all), len(want))
	}
}

// Events are pushed within two seconds, as GET /events encodes them.
func TestTheFeedIsPushedAsItIsPulled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		p := f.defaultProvider
		f.register(p, 3, 1) // before the callback exists
		h := &webhookReceiver{t: t}
		h.secret = f.setFeedCallback(p, f.serve("verde.example", h), false)
		began := f.feedCallback(p).Cursor
		f.start()
		documents := f.registerActive(p, 700, 2)
		advance(2 * time.Second)
		f.request(p, domain.RequestSuspend, 2, documents[0])
		advance(2 * time.Second)
		got := h.messages()
		wantOnceInOrder(t, got, f.eventIDs(p, began))
		_, ids := decodeFeed(t, got[0].body)
		events, next, err := f.manager.Events(context.Background(), p.ID, began, len(ids))
		f.must(err)
		pulled, err := server.EncodeEvents(events)
		f.must(err)
		if want := fmt.Sprintf(`{"type":"events","data":{"events":%s,"next_cursor":%q}}`, pulled, next); got[0].body != want {
			t.Errorf("pushed\n%.300s\npulled\n%.300s", got[0].body, want)
		}
	})
}

// A receiver that never works gets the same body under the same id at the times of the schedule,
// although the worker is restarted between all attempts, and no batch is claimed in vain. Then the
// callback is disabled, which is logged once, and continues there when it is enabled.
func TestAFeedCallbackFollowsTheScheduleAndIsThenDisabled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var works atomic.Bool
		f, h := newFeedFixture(t, downUntil(&works, http.StatusInternalServerError))
		var log bytes.Buffer
		f.options.Log = slog.New(slog.NewTextHandler(&log, nil))
		began := f.feedCallback(f.defaultProvider).Cursor
		claims := f.countFeedClaims()
		f.register(f.defaultProvider, 3, 1)
		waits := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute} // decisions.md 13
		waits = append(waits, slices.Repeat([]time.Duration{time.Hour}, 7*24)...)
		f.wantSchedule(h, waits)
		c := f.feedCallback(f.defaultProvider)
		if c.Enabled || c.Cursor != began || c.Failures != len(waits)+1 || claims.Load() != int64(c.Failures) || !strings.Contains(c.LastError, "HTTP 500") {
			t.Errorf("got %+v after %d claims, want it disabled with its cursor", c, claims.Load())
		}
		if n := strings.Count(log.String(), "feed callback disabled"); n != 1 {
			t.Errorf("logged %d times that it is disabled, want once", n)
		}
		works.Store(true)
		f.register(f.defaultProvider, 2, 1)
		_, err := f.manager.EnableFeedCallback(context.Background(), f.defaultProvider.Name, true)
		f.must(err)
		advance(3 * time.Second)
		wantOnceInOrder(t, h.messages(), f.eventIDs(f.defaultProvider, began))
	})
}

// countFeedClaims counts the claims of batches.
func (f *fixture) countFeedClaims() *atomic.Int64 {
	claims := new(atomic.Int64)
	f.manage(&watchedStore{DB: f.store, idle: true, after: func(call string, _ int) error {
		if call == readLastEvent {
			claims.Add(1)
		}
		return nil
	}})
	return claims
}

// If retention removed events before they were pushed, pushing stops and the callback has the reason;
// an operator can continue with the oldest kept event.
func TestAFeedStopsWhereRetentionDeletedEvents(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"before they were sent": false, "of a batch that failed": true} {
		inBubble(t, name, func(t *testing.T) {
			var works atomic.Bool
			f, h := newFeedFixture(t, downUntil(&works, http.StatusServiceUnavailable))
			var log bytes.Buffer
			f.options.Log = slog.New(slog.NewTextHandler(&log, nil))
			if sent {
				f.start()
			}
			f.register(f.defaultProvider, 3, 1)
			advance(time.Minute)
			f.stop()
			f.must(f.store.Purge(context.Background(), domain.RetentionCutoffs{Events: time.Now()}))
			works.Store(true)
			f.register(f.defaultProvider, 2, 1)
			before := len(h.messages())
			f.start()
			advance(time.Hour)
			c := f.feedCallback(f.defaultProvider)
			if c.Enabled || !strings.Contains(c.LastError, "no longer kept") || !strings.Contains(c.LastError, "--from-beginning") || len(h.messages()) != before {
				t.Errorf("got %+v and %d messages, want it stopped", c, len(h.messages())-before)
			}
			if n := strings.Count(log.String(), "no longer kept"); n != 1 {
				t.Errorf("logged %d times, want once: %s", n, &log)
			}
			h.setSecret(f.setFeedCallback(f.defaultProvider, c.URL, true))
			advance(2 * time.Second)
			wantOnceInOrder(t, h.messages()[before:], f.eventIDs(f.defaultProvider, 0))
		})
	}
}

// A receiver that has all events of a restored database is not behind, although the next numbers are
// much higher. It misses none, even if retention has deleted the last event before the restore.
func TestAFeedThatWasPushedWholeAfterARestoreRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h := newFeedFixture(t, nil)
		began := f.feedCallback(f.defaultProvider).Cursor
		f.register(f.defaultProvider, 2, 1)
		f.must(f.store.SkipIDs(t.Context()))
		claims := f.countFeedClaims()
		f.start()
		advance(time.Minute)
		if n := claims.Load(); len(h.messages()) != 1 || n > 2 {
			t.Errorf("got %d messages and %d claims, want one message and no claims in vain", len(h.messages()), n)
		}
		pushed := f.eventIDs(f.defaultProvider, began)
		f.must(f.store.Purge(t.Context(), domain.RetentionCutoffs{Events: f.manager.Now()}))
		if _, _, err := f.manager.Events(t.Context(), f.defaultProvider.ID, f.feedCallback(f.defaultProvider).Cursor, 10); err != nil {
			t.Errorf("cursor at the newest event: got %v, want no error", err)
		}
		f.register(f.defaultProvider, 1, 1)
		advance(2 * time.Second)
		wantOnceInOrder(t, h.messages(), append(pushed, f.eventIDs(f.defaultProvider, 0)...))
	})
}
