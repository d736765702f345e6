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
)

const (
	waitLimit    = 10 * time.Minute // without --timeout
	waitInterval = 500 * time.Millisecond
)

// waiter follows services that are not final yet, for --wait.
type waiter struct {
	*cli.Env
	client   *client.Client
	product  api.Int
	all      int                    // services that were added
	pending  map[string]bool        // documents of services that are not final
	seen     map[string]seenService // services that were not final when added, by document
	changed  []string               // documents with a new status since finishFinal
	progress *render.Progress
	noticed  string
}

// seenService is a service as it was last seen.
type seenService struct {
	status        string
	id            api.Int // 0 for none
	queuePosition int
}

func newWaiter(e *cli.Env, product api.Int) *waiter {
	return &waiter{Env: e, product: product, pending: map[string]bool{}, seen: map[string]seenService{}}
}

// add takes a result. A service that is not final is waited for.
func (w *waiter) add(r api.BatchResult) {
	w.all++
	if r.Result == api.ResultFailed || r.StatusID != nil && lifecycle.Rests(*r.StatusID) {
		return
	}
	s := seenService{queuePosition: r.QueuePosition}
	if r.StatusID != nil {
		s.status, s.id = textOrEmpty(r.Status), *r.StatusID
	}
	w.pending[r.Document], w.seen[r.Document] = true, s
}

// update copies the last seen status into a result that was added.
func (w *waiter) update(r *api.BatchResult) {
	if s, waited := w.seen[r.Document]; waited && r.Result != api.ResultFailed && s.id != 0 {
		r.Status, r.StatusID, r.QueuePosition = &s.status, &s.id, s.queuePosition
	}
}

// queued returns how many services wait in the queue, as last seen.
func (w *waiter) queued() (n int) {
	for _, s := range w.seen {
		if lifecycle.Of(s.id).WaitsFor == lifecycle.WaitsForQueue {
			n++
		}
	}
	return n
}

// wait follows the added services until each status is final, on the event feed if the server has
// one, else by polling the subscribers. It prints what it waits for, and gives up with exit 8
// after --timeout. after is what feedEnd returned before anything was sent.
func (w *waiter) wait(ctx context.Context, c *client.Client, after string) error {
	if len(w.pending) == 0 {
		return nil
	}
	w.client = c
	limit := waitTimeout(w.Env)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	if w.progress, err = w.NewProgress(cli.Msg("waiting"), cli.Msg("services"), len(w.pending), false); err != nil {
		return err
	}
	defer w.progress.Close()
	err = w.follow(ctx, after)
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && len(w.pending) > 0 {
		return &cli.Failure{Exit: cli.ExitPending, Code: "pending",
			Message: cli.Msg("%d of %d [service is|services are] not final after %s, %s", len(w.pending), w.all, limit, w.pendingMessage()),
			Hint:    cli.Msg("they go on by themselves; look again with `ativa subscribers explain %s`", w.onlyPending())}
	}
	return err
}

// onlyPending returns the document of the only pending subscriber, else DOC.
func (w *waiter) onlyPending() string {
	for doc := range w.pending {
		if len(w.pending) == 1 {
			return w.InHint(doc)
		}
	}
	return "DOC"
}

// waitTimeout returns how long --wait waits in all: --timeout, by default waitLimit.
func waitTimeout(e *cli.Env) time.Duration {
	return cmp.Or(e.Global.Timeout, waitLimit)
}

// follow returns when nothing is pending any more. It reads the feed after the cursor, or polls
// the subscribers if there is no cursor.
func (w *waiter) follow(ctx context.Context, after string) error {
	w.notice()
	if after == "" {
		return w.poll(ctx)
	}
	// The feed also holds what happened before a request was carried out: a status counts only
	// after the feed was read to its end once.
	current, patience := false, time.Duration(0)
	for len(w.pending) > 0 {
		page, err := w.client.Events(ctx, after, api.MaxEvents, patience)
		if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusUnprocessableEntity {
			return w.poll(ctx) // the events behind the cursor are no longer kept
		}
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			if event.Value.StatusChange != nil && event.Value.ProductID == w.product {
				w.observe(string(event.Value.Document), event.Value.Status, event.Value.StatusID)
			}
		}
		after = page.Next
		if current = current || len(page.Events) < api.MaxEvents; !current {
			continue
		}
		w.finishFinal()
		w.notice()
		if patience = w.PollTimeout(); len(page.Events) == 0 && patience == 0 && len(w.pending) > 0 && !client.Sleep(ctx, waitInterval) {
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
		for doc := range w.pending {
			s, err := w.client.Subscriber(ctx, doc)
			if err != nil {
				return err
			}
			if service, ok := api.NewestService(s.Value.Services, w.product); ok {
				w.observe(doc, service.Status, service.StatusID)
			} else {
				w.finish(doc)
			}
		}
		w.finishFinal()
		if w.notice(); len(w.pending) == 0 {
			return nil
		}
		if !client.Sleep(ctx, waitInterval) {
			return ctx.Err()
		}
	}
}

// observe records the status of a pending service.
func (w *waiter) observe(doc, status string, id api.Int) {
	if w.pending[doc] {
		w.seen[doc] = seenService{status: status, id: id}
		w.changed = append(w.changed, doc)
	}
}

// finishFinal stops waiting for services whose last seen status is final.
func (w *waiter) finishFinal() {
	for _, doc := range w.changed {
		if w.pending[doc] && lifecycle.Rests(w.seen[doc].id) {
			w.finish(doc)
		}
	}
	w.changed = nil
}

func (w *waiter) finish(doc string) {
	if w.pending[doc] {
		delete(w.pending, doc)
		w.progress.Add(1)
	}
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
	for doc := range w.pending {
		numbers[cmp.Or(lifecycle.Of(w.seen[doc].id).WaitsFor, "status")]++
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
	for doc := range w.pending {
		if n := w.seen[doc].queuePosition; n > 0 && (best == 0 || n < best) {
			best = n
		}
	}
	if best == 0 {
		return cli.Msg("for a place in the queue")
	}
	return cli.Msg("for a place in the queue (the first is number %d)", best)
}

// queuedFailure returns exit 8 for services that the limit queued, for --strict.
func queuedFailure(message cli.Message) error {
	return &cli.Failure{Exit: cli.ExitPending, Code: "queued", Message: message,
		Hint: cli.Msg("they start by themselves when there is room; ask for a higher limit, or leave the queue with `ativa provision deactivate`")}
}
