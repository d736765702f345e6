package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ativa/internal/provision"
)

// callbackSlots is how many callbacks one provider gets at once.
const callbackSlots = 4

// callbackWay tells providers of resent activations.
func (w *Worker) callbackWay() *way {
	return &way{
		kind: provision.CallbackJob, slots: callbackSlots, batch: 1, within: hookWithin,
		to: func(e provision.Errand) string {
			if e.Callback.URL == "" || !e.Callback.Enabled {
				return ""
			}
			return strconv.FormatInt(int64(e.Provider.ID), 10)
		},
		deliver: func(ctx context.Context, e provision.Errand) error {
			body, err := resentActivation(e, w.o.PublicURL)
			if err != nil {
				return &Permanent{err}
			}
			return w.hooks.call(ctx, e.Callback, e.Job.ID.String(), w.outbox.Now(), body)
		},
		again: func(j provision.Job, _ time.Duration) (time.Duration, bool) { return callbackWait(j.Attempts) },
		after: func(ctx context.Context, e provision.Errand, err error, _ bool) error {
			return w.outbox.CallbackAnswered(ctx, e.Provider.ID, err == nil)
		},
	}
}

// call posts to a callback. Whatever goes wrong is worth the rest of the schedule.
func (h hooks) call(ctx context.Context, c provision.Callback, id string, now time.Time, body []byte) error {
	to, client := c.URL, h.public
	if c.AllowPrivate {
		client = h.private
	} else if u, err := url.Parse(to); err != nil || u.Scheme != "https" {
		return &Failure{Err: errors.New("callback: its address is not https")}
	}
	err := post(ctx, client, message{url: to, secret: c.Secret, id: id, at: now, body: body})
	if err == nil {
		return nil
	}
	f := &Failure{Err: fmt.Errorf("callback: %w", err)}
	if answer, ok := errors.AsType[*statusError](err); ok && (answer.status == http.StatusTooManyRequests || answer.status == http.StatusServiceUnavailable) {
		f.RetryAfter = answer.wait
	}
	return f
}

// TestCallback posts a message of the type callback.test with the given id
// and returns how long the answer took; the error is nil when it was a 2xx.
func TestCallback(ctx context.Context, c provision.Callback, id string, now time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, hookWithin)
	defer cancel()
	body, err := testBody(id, now)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = newHooks(nil).call(ctx, c, id, now, body)
	return time.Since(began), err
}
