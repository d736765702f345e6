package trials_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/processtest"
)

// ledger is what a service has acknowledged, with its consequences: for each subscriber the events
// that the feed must contain, each once and in order, and the e-mails, callbacks and partner
// requests that must be sent.
type ledger struct {
	t          *testing.T
	confirmed  atomic.Int64 // acknowledged confirmations
	operations atomic.Int64 // operations of acknowledged calls
	calls      atomic.Int64 // acknowledged single calls
	answers    atomic.Int64 // requests that were answered
	retries    atomic.Int64 // requests without an answer, or told to retry

	mu      sync.Mutex
	byEmail map[string]*subscriber
	byID    map[string]*subscriber // by the feed's id
	pulled  []string               // ids of the pulled events
	repeats int                    // of e-mails, requests and callbacks
	removed int                    // lines checked and removed
}

func newLedger(t *testing.T) *ledger {
	return &ledger{t: t, byEmail: map[string]*subscriber{}, byID: map[string]*subscriber{}}
}

// subscriber is one line of the ledger.
type subscriber struct {
	number          int
	document, email string
	id              string // in the feed
	link            string // of the newest e-mail

	events                      []string // acknowledged
	mails, notices, operations  int      // expected from acknowledged calls
	seen                        []string // pulled events
	emails, requests, callbacks map[string]int
	changed                     chan struct{} // closed and replaced at every change
}

// enter adds a line.
func (l *ledger) enter(i int) *subscriber {
	s := &subscriber{number: i, document: processtest.Document(i), email: fmt.Sprintf("p%d@example.com", i),
		emails: map[string]int{}, requests: map[string]int{}, callbacks: map[string]int{}, changed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byEmail[s.email] = s
	return s
}

// writeRows writes a file as [processtest.Fixture.WriteRows] does, and enters its rows as acknowledged.
func (l *ledger) writeRows(w *fixture, first, n int, products ...string) (file string, entered []*subscriber) {
	w.Helper()
	for i := first; i < first+n; i++ {
		s := l.enter(i)
		s.events = []string{"created"}
		for product := range strings.SplitSeq(products[i%len(products)], ",") {
			s.events = append(s.events, product+" inProgress")
			s.mails++
			s.operations++
		}
		l.operations.Add(int64(s.operations))
		entered = append(entered, s)
	}
	return w.WriteRows(first, n, products...), entered
}

// remove removes a checked line.
func (l *ledger) remove(s *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byEmail, s.email)
	delete(l.byID, s.id)
	l.removed++
}

// happened wakes waiters in [ledger.settled]. The caller holds mu.
func (s *subscriber) happened() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// took records a delivery under an id that is equal for its repetitions.
func (l *ledger) took(email, id string, of func(*subscriber) map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.byEmail[email]
	if s == nil {
		l.t.Errorf("a delivery came for %s, who is not registered", email)
		return
	}
	counts := of(s)
	counts[id]++
	if counts[id] > 1 {
		l.repeats++
	}
	s.happened()
}

// settled waits until everything acknowledged for a subscriber has taken effect, and compares it.
func (l *ledger) settled(s *subscriber) bool {
	for late := time.After(processtest.Timeout); ; {
		l.mu.Lock()
		all, changed := len(s.seen) >= len(s.events) && len(s.emails) >= s.mails && len(s.callbacks) >= s.notices && len(s.requests) >= s.operations, s.changed
		l.mu.Unlock()
		if all {
			return l.compare(s)
		}
		select {
		case <-changed:
		case <-late:
			return l.compare(s)
		case <-l.t.Context().Done():
			return false
		}
	}
}

// compare checks that a subscriber had exactly the acknowledged effects.
func (l *ledger) compare(s *subscriber) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	got := fmt.Sprint(s.seen, len(s.emails), " e-mails ", len(s.callbacks), " callbacks ", len(s.requests), " requests")
	want := fmt.Sprint(s.events, s.mails, " e-mails ", s.notices, " callbacks ", s.operations, " requests")
	if got != want {
		l.t.Errorf("subscriber %d: got %s, want %s", s.number, got, want)
	}
	return got == want
}

// untilAnswered repeats a request until it is answered, as clients should, and returns the answer.
// Answers that ask for a retry do not count.
func (l *ledger) untilAnswered(request func() (*http.Request, error)) (status int, text []byte) {
	for deadline := time.Now().Add(processtest.Timeout); time.Now().Before(deadline) && l.t.Context().Err() == nil; <-time.After(20 * time.Millisecond) {
		req, err := request()
		if err != nil {
			l.t.Error(err)
			return 0, nil
		}
		res, err := loadClient.Do(req)
		switch {
		case req.Context().Err() != nil:
			return 0, nil
		case err != nil:
			l.retries.Add(1)
			continue
		}
		text, err = io.ReadAll(res.Body)
		res.Body.Close()
		again := res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusTooManyRequests || strings.Contains(string(text), "request_in_progress")
		if err == nil && !again {
			l.answers.Add(1)
			return res.StatusCode, text
		}
		l.retries.Add(1)
	}
	return 0, nil
}

// get is untilAnswered for a page.
func (l *ledger) get(ctx context.Context, page, token string) (status int, text []byte) {
	return l.untilAnswered(func() (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, http.NoBody)
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		return req, err
	})
}

// loadClient keeps the connections of many callers.
var loadClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: time.Minute}

// feedEvent is the part of an event that the ledger needs.
type feedEvent struct {
	ID, Type, Document, Status string
	Subscriber                 string `json:"subscriber_id"`
	Product                    int    `json:"content_supplier_product_id"`
}

// String returns the event as in lines of the ledger: "1 active", "deleted".
func (e feedEvent) String() string {
	if e.Type == "service.status_changed" {
		return fmt.Sprint(e.Product, " ", e.Status)
	}
	return e.Type[strings.LastIndex(e.Type, ".")+1:]
}

// follow pulls the feed until ctx ends, as integrations do.
func (l *ledger) follow(ctx context.Context, server, token string) {
	for cursor := ""; ctx.Err() == nil; {
		status, text := l.get(ctx, server+"/events?wait=1&limit=500&after="+url.QueryEscape(cursor), token)
		if ctx.Err() != nil {
			return
		}
		var page struct {
			Events []feedEvent
			Next   string `json:"next_cursor"`
		}
		if err := json.Unmarshal(text, &page); err != nil || status != http.StatusOK {
			l.t.Errorf("the feed was answered with %d %s: %v", status, text, err)
			return
		}
		cursor = page.Next
		l.read(page.Events)
	}
}

func (l *ledger) read(events []feedEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.pulled = append(l.pulled, e.ID)
		s := l.byID[e.Subscriber]
		if s == nil {
			s = l.byDocument(e.Document)
		}
		if s == nil {
			l.t.Errorf("the feed has %q of an unknown subscriber", e)
			continue
		}
		s.id, l.byID[e.Subscriber] = e.Subscriber, s
		s.seen = append(s.seen, e.String())
		s.happened()
	}
}

// byDocument finds a line by its document. The caller holds mu.
func (l *ledger) byDocument(document string) *subscriber {
	var i int
	if _, err := fmt.Sscanf(document, "%9d", &i); err != nil {
		return nil
	}
	return l.byEmail[fmt.Sprintf("p%d@example.com", i-1)]
}

// allSettled checks that everything acknowledged has taken effect for all subscribers in the ledger.
func (l *ledger) allSettled() {
	l.t.Helper()
	l.mu.Lock()
	all := make([]*subscriber, 0, len(l.byEmail))
	for _, s := range l.byEmail {
		all = append(all, s)
	}
	l.mu.Unlock()
	for _, s := range all {
		if !l.settled(s) {
			return // the others would wait in vain, too
		}
	}
}

// check is allSettled, and checks that the pushed feed equals the pulled one.
func (l *ledger) check(pushed *feedReceiver) {
	l.t.Helper()
	l.allSettled()
	for deadline := time.Now().Add(processtest.Timeout); len(pushed.got()) < len(l.pulled) && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	if got := pushed.got(); !slices.Equal(got, l.pulled) {
		l.t.Errorf("%d events were pushed, want the %d that were pulled, each once and in order", len(got), len(l.pulled))
	}
}
