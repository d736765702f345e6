package cmd

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/run"
)

const (
	waitLimit    = 10 * time.Minute // without --timeout
	waitInterval = 500 * time.Millisecond

	fewPending   = 10 // services whose subscribers are read beside the feed
	lookInterval = 3 * time.Second
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
	all      int                        // added services
	pending  map[serviceKey]bool        // services that are not final
	seen     map[serviceKey]run.Service // services not final when added, as last seen
	progress *render.Progress
	noticed  string
	away     error // of the last request, if the server could not be reached; nil if it answered
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

// update copies the last seen status into the result of an added service.
func (w *waiter) update(r *api.BatchResult, product api.Int) {
	if s, waited := w.seen[serviceKey{r.Document, product}]; waited && r.Result != api.ResultFailed && s.StatusID != 0 {
		r.Status, r.StatusID, r.QueuePosition = &s.Status, &s.StatusID, s.QueuePosition
	}
}

// queued returns the number of queued services, as last seen.
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
// one, else by polling. It prints what it waits for, goes on when the server is away, and ends with
// exit 8 after --timeout. Every error says that the changes were accepted.
func (w *waiter) wait(ctx context.Context) error {
	if w == nil || len(w.pending) == 0 {
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
	for exitOf(err) == cli.ExitUnavailable && ctx.Err() == nil {
		w.away = err
		if !client.Sleep(ctx, waitInterval) {
			err = ctx.Err()
			break
		}
		err = w.follow(ctx)
	}
	if err == nil {
		return nil
	}
	message, _ := w.pendingMessage()
	hint := cli.Msg("they continue on the server; look again with `ativa subscribers explain %s`", w.onlyPending())
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &cli.Failure{Exit: cli.ExitPending, Code: "pending", Hint: hint, Err: w.away,
			Message: cli.Msg("accepted, but %d of %d [service is|services are] not final after %s, %s", len(w.pending), w.all, limit, message)}
	}
	outcome := failure.OutcomeOf(err)
	if !outcome.Hint.IsEmpty() {
		hint = cli.Msg("%s; %s", outcome.Hint, hint)
	}
	return &cli.Failure{Exit: outcome.Exit, Code: outcome.Code, Hint: hint, Err: err,
		Message: cli.Msg("accepted, but %d of %d [service is|services are] not final yet, %s", len(w.pending), w.all, message)}
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

// follow returns when nothing is pending. Without a cursor it polls the subscribers.
func (w *waiter) follow(ctx context.Context) error {
	w.notice()
	if w.after == "" {
		return w.poll(ctx)
	}
	// The feed also holds earlier events: a status counts only after one read to the end of
	// the feed.
	current, events, pollWait, looked := false, w.client.Events, time.Duration(0), time.Now()
	for len(w.pending) > 0 {
		page, err := events(ctx, w.after, api.MaxEvents, pollWait)
		if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusUnprocessableEntity {
			return w.poll(ctx) // the cursor has expired
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
		// The feed has no document of a subscriber who was deleted, and the new one of who was corrected.
		if len(w.pending) <= fewPending && time.Since(looked) >= lookInterval {
			if err := w.look(ctx); err != nil {
				return err
			}
			looked = time.Now()
		}
		events, pollWait = w.client.FollowEvents, w.PollTimeout()
	}
	return nil
}

// feedEnd returns the current end of the event feed. Taken before a request, it precedes all of
// the request's events. It is empty if the server has no feed or the request fails.
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
		if err := w.look(ctx); err != nil || len(w.pending) == 0 {
			return err
		}
		if !client.Sleep(ctx, waitInterval) {
			return ctx.Err()
		}
	}
}

// look reads each pending subscriber once.
func (w *waiter) look(ctx context.Context) error {
	for key := range w.pending {
		s, err := w.client.Subscriber(ctx, key.document)
		if err != nil && client.KindOf(err) != client.KindNotFound { // deleted, it has no service
			return err
		}
		if service, ok := api.NewestService(s.Value.Services, key.product); ok {
			w.observe(key, service.Status, service.StatusID)
		} else {
			w.finish(key)
		}
	}
	w.finishFinal()
	return nil
}

// observe records a new status of a pending service.
func (w *waiter) observe(key serviceKey, status string, id api.Int) {
	if w.pending[key] && w.seen[key].StatusID != id {
		w.seen[key] = run.Service{ProductID: key.product, Status: status, StatusID: id}
	}
}

// finishFinal stops waiting for services with a final status, and prints what the others wait for.
func (w *waiter) finishFinal() {
	w.away = nil
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

// notice prints what it waits for, whenever the kinds change.
func (w *waiter) notice() {
	message, kinds := w.pendingMessage()
	if kinds == w.noticed || w.Global.Quiet || len(w.pending) == 0 {
		return
	}
	w.noticed = kinds
	w.progress.Note(message.Text(w.Lang))
}

// pendingMessage describes the wait: "waiting: 3 for the partner to confirm". kinds names who
// must act.
func (w *waiter) pendingMessage() (message cli.Message, kinds string) {
	numbers, first := map[string]int{}, 0 // first is the best known place in the queue
	for key := range w.pending {
		s := w.seen[key]
		numbers[lifecycle.Of(s.StatusID).WaitsFor]++
		if n := s.QueuePosition; n > 0 && (first == 0 || n < first) {
			first = n
		}
	}
	queue := cli.Msg("for a place in the queue")
	if first > 0 {
		queue = cli.Msg("for a place in the queue (the first is number %d)", first)
	}
	for _, one := range []struct {
		kind string
		what cli.Message
	}{
		{lifecycle.WaitsForPartner, cli.Msg("for the partner to confirm")},
		{lifecycle.WaitsForSubscriber, cli.Msg("for the subscriber to follow the link in the activation e-mail")},
		{lifecycle.WaitsForQueue, queue},
		{"", cli.Msg("for a final status")},
	} {
		n := numbers[one.kind]
		if n == 0 {
			continue
		}
		part := cli.Msg("%d %s", n, one.what)
		if !message.IsEmpty() {
			part = cli.Msg("%s, %s", message, part)
		}
		message, kinds = part, kinds+one.kind+" "
	}
	return cli.Msg("waiting: %s", message), kinds
}
