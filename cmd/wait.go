package cmd

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/run"
)

const (
	waitLimit    = 10 * time.Minute // without --timeout
	waitInterval = 500 * time.Millisecond
)

// serviceKey is the newest service of a product that a subscriber has.
type serviceKey struct {
	document string
	product  api.Int
}

// waiter follows services that are not final yet, for --wait.
type waiter struct {
	*cli.Env
	client   *client.Client
	after    string                     // cursor of the event feed before the first request; empty: the subscribers are polled
	all      int                        // services that were added
	pending  map[serviceKey]bool        // those that are not final
	seen     map[serviceKey]run.Service // those that were not final when added, as last seen
	progress *render.Progress
	noticed  string
}

// newWaiter returns a waiter for the run of the journal. It is called before anything is sent, so
// that no event is missed, whatever the order of the batches.
func newWaiter(ctx context.Context, e *cli.Env, c *client.Client, j *run.Journal) (*waiter, error) {
	w := &waiter{Env: e, client: c, pending: map[serviceKey]bool{}, seen: map[serviceKey]run.Service{}}
	var err error
	w.after, err = j.Cursor(func() string { return feedEnd(ctx, c) })
	return w, err
}

// add takes a service after its request. One that is not final is waited for.
func (w *waiter) add(document string, s run.Service) {
	w.all++
	if key := (serviceKey{document, s.ProductID}); !lifecycle.Rests(s.StatusID) {
		w.pending[key], w.seen[key] = true, s
	}
}

// update copies the last seen status into the result of a service that was added.
func (w *waiter) update(r *api.BatchResult, product api.Int) {
	if s, waited := w.seen[serviceKey{r.Document, product}]; waited && r.Result != api.ResultFailed && s.StatusID != 0 {
		r.Status, r.StatusID, r.QueuePosition = &s.Status, &s.StatusID, s.QueuePosition
	}
}

// queued returns how many services wait in the queue, as last seen.
func (w *waiter) queued() (n int) {
	for _, s := range w.seen {
		if waitsInQueue(s) {
			n++
		}
	}
	return n
}

func waitsInQueue(s run.Service) bool {
	return lifecycle.Of(s.StatusID).WaitsFor == lifecycle.WaitsForQueue
}

// wait follows the added services until each status is final, on the event feed if the server has
// one, else by polling the subscribers. It prints what it waits for, and gives up with exit 8
// after --timeout.
func (w *waiter) wait(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	limit := cmp.Or(w.Global.Timeout, waitLimit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	if w.progress, err = w.NewProgress(cli.Msg("waiting"), cli.Msg("services"), len(w.pending), false); err != nil {
		return err
	}
	defer w.progress.Close()
	err = w.follow(ctx)
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && len(w.pending) > 0 {
		return &cli.Failure{Exit: cli.ExitPending, Code: "pending",
			Message: cli.Msg("%d of %d [service is|services are] not final after %s, %s", len(w.pending), w.all, limit, w.pendingMessage()),
			Hint:    cli.Msg("they go on by themselves; look again with `ativa subscribers explain %s`", w.onlyPending())}
	}
	return err
}

// onlyPending returns the document of the only pending service, else DOC.
func (w *waiter) onlyPending() string {
	for key := range w.pending {
		if len(w.pending) == 1 {
			return w.InHint(key.document)
		}
	}
	return "DOC"
}

// follow returns when nothing is pending any more. Without a cursor it polls the subscribers.
func (w *waiter) follow(ctx context.Context) error {
	w.notice()
	if w.after == "" {
		return w.poll(ctx)
	}
	// The feed also holds what happened before a request was carried out: a status counts only
	// after the feed was read to its end once.
	current, pollWait := false, time.Duration(0)
	for len(w.pending) > 0 {
		page, err := w.client.Events(ctx, w.after, api.MaxEvents, pollWait)
		if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusUnprocessableEntity {
			return w.poll(ctx) // the events behind the cursor are no longer kept
		}
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			if event.Value.StatusChange != nil {
				w.observe(serviceKey{string(event.Value.Document), event.Value.ProductID}, event.Value.Status, event.Value.StatusID)
			}
		}
		w.after = page.Next
		if current = current || len(page.Events) < api.MaxEvents; !current {
			continue
		}
		w.finishFinal()
		if pollWait = w.PollTimeout(); len(page.Events) == 0 && pollWait == 0 && len(w.pending) > 0 && !client.Sleep(ctx, waitInterval) {
			return ctx.Err()
		}
	}
	return nil
}

// feedEnd returns the current end of the event feed. Taken before a request, it precedes all
// events of the request, whatever the order of the batches. It is empty if the server has no feed
// or the request fails.
func feedEnd(ctx context.Context, c *client.Client) string {
	if has, err := c.HasExtension(ctx, api.ExtEvents); !has || err != nil {
		return ""
	}
	page, err := c.Events(ctx, api.AfterLatest, 1, 0)
	if err != nil {
		return ""
	}
	return page.Next
}

// poll reads each pending subscriber every waitInterval until none is pending.
func (w *waiter) poll(ctx context.Context) error {
	for {
		for key := range w.pending {
			s, err := w.client.Subscriber(ctx, key.document)
			if err != nil {
				return err
			}
			if service, ok := api.NewestService(s.Value.Services, key.product); ok {
				w.observe(key, service.Status, service.StatusID)
			} else {
				w.finish(key)
			}
		}
		if w.finishFinal(); len(w.pending) == 0 {
			return nil
		}
		if !client.Sleep(ctx, waitInterval) {
			return ctx.Err()
		}
	}
}

// observe records the status of a pending service.
func (w *waiter) observe(key serviceKey, status string, id api.Int) {
	if w.pending[key] {
		w.seen[key] = run.Service{ProductID: key.product, Status: status, StatusID: id}
	}
}

// finishFinal stops waiting for services whose last seen status is final, and says what the others
// wait for.
func (w *waiter) finishFinal() {
	for key := range w.pending {
		if lifecycle.Rests(w.seen[key].StatusID) {
			w.finish(key)
		}
	}
	w.notice()
}

func (w *waiter) finish(key serviceKey) {
	delete(w.pending, key)
	w.progress.Add(1)
}

// notice prints what is waited for, whenever the kinds change.
func (w *waiter) notice() {
	kinds, _ := w.count()
	now := strings.Join(kinds, " ")
	if now == w.noticed || w.Global.Quiet || len(w.pending) == 0 {
		return
	}
	w.noticed = now
	w.progress.Note(w.pendingMessage().Text(w.Lang))
}

// count counts the pending services by who must act. kinds is in a fixed order.
func (w *waiter) count() (kinds []string, numbers map[string]int) {
	numbers = map[string]int{}
	for key := range w.pending {
		numbers[cmp.Or(lifecycle.Of(w.seen[key].StatusID).WaitsFor, "status")]++
	}
	for _, kind := range []string{lifecycle.WaitsForPartner, lifecycle.WaitsForSubscriber, lifecycle.WaitsForQueue, "status"} {
		if numbers[kind] > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds, numbers
}

// pendingMessage says what is waited for: "waiting: 3 for the partner".
func (w *waiter) pendingMessage() cli.Message {
	kinds, numbers := w.count()
	text := map[string]cli.Message{
		lifecycle.WaitsForPartner:    cli.Msg("for the partner to confirm"),
		lifecycle.WaitsForSubscriber: cli.Msg("for the subscriber to follow the link in the activation e-mail"),
		lifecycle.WaitsForQueue:      w.queueMessage(),
		"status":                     cli.Msg("for a final status"),
	}
	var all cli.Message
	for _, kind := range kinds {
		part := cli.Msg("%d %s", numbers[kind], text[kind])
		if all.IsEmpty() {
			all = part
		} else {
			all = cli.Msg("%s, %s", all, part)
		}
	}
	return cli.Msg("waiting: %s", all)
}

// queueMessage mentions the best known place in the queue.
func (w *waiter) queueMessage() cli.Message {
	best := 0
	for key := range w.pending {
		if n := w.seen[key].QueuePosition; n > 0 && (best == 0 || n < best) {
			best = n
		}
	}
	if best == 0 {
		return cli.Msg("for a place in the queue")
	}
	return cli.Msg("for a place in the queue (the first is number %d)", best)
}
