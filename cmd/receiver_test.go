package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// callbackReceiver acts as a partner or a callback and stores what is posted.
type callbackReceiver struct {
	mu       sync.Mutex
	statuses []int
	headers  []http.Header
	bodies   []string
}

func (r *callbackReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers, r.bodies = append(r.headers, req.Header.Clone()), append(r.bodies, string(body))
	w.WriteHeader(r.statuses[0])
	if len(r.statuses) > 1 {
		r.statuses = r.statuses[1:]
	}
}

// startReceiver starts a receiver that answers with the statuses in turn, repeating the
// last, and sets the variable to its URL: receiver VARIABLE STATUS…
func startReceiver(ts *testscript.TestScript, _ bool, args []string) {
	r := new(callbackReceiver)
	for _, status := range args[1:] {
		n, err := strconv.Atoi(status)
		ts.Check(err)
		r.statuses = append(r.statuses, n)
	}
	s := httptest.NewServer(r)
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
	receivers.Store(s.URL, r)
}

var receivers sync.Map // URL → *callbackReceiver

// received waits until a receiver has that many messages, checks their signatures with
// the secret in a file, and writes the last to the file message and its headers, for a
// shell, to the file headers: received URL NUMBER SECRETFILE
func received(ts *testscript.TestScript, _ bool, args []string) {
	found, _ := receivers.Load(args[0])
	r, ok := found.(*callbackReceiver)
	if !ok {
		ts.Fatalf("no receiver at %s", args[0])
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	hook, err := webhooks.NewWebhook(strings.TrimSpace(ts.ReadFile(args[2])))
	ts.Check(err)
	eventually(scriptTB{ts}, args[1]+" messages", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.bodies) >= want
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, body := range r.bodies {
		if err := hook.Verify([]byte(body), r.headers[i]); err != nil {
			ts.Fatalf("message %d: %v", i+1, err)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("message"), []byte(r.bodies[len(r.bodies)-1]), 0o600))
	h := r.headers[len(r.headers)-1]
	headers := fmt.Sprintf("WEBHOOK_ID=%s\nWEBHOOK_TIMESTAMP=%s\nWEBHOOK_SIGNATURE='%s'\n",
		h.Get(webhooks.HeaderWebhookID), h.Get(webhooks.HeaderWebhookTimestamp), h.Get(webhooks.HeaderWebhookSignature))
	ts.Check(os.WriteFile(ts.MkAbs("headers"), []byte(headers), 0o600))
}

// failDeliveries marks all waiting deliveries of a kind as dead, like days of failures:
// fail-deliveries KIND
func failDeliveries(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	db, err := store.Open(ctx, ts.Getenv("ATIVA_DB"), store.Options{})
	ts.Check(err)
	defer db.Close()
	eventually(scriptTB{ts}, "a "+args[0]+" that waits for another attempt", func() bool {
		waiting, err := db.Deliveries(ctx, domain.DeliveryFilter{States: []domain.OutboxState{domain.OutboxDue}})
		ts.Check(err)
		var dead []domain.Delivery
		for _, d := range waiting {
			if d.Kind.String() == args[0] && d.Attempts > 0 {
				d.State = domain.OutboxDead
				dead = append(dead, d)
			}
		}
		ts.Check(db.FinishDeliveries(ctx, dead, nil))
		return len(dead) > 0
	})
}
