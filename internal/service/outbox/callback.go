package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// callbackConcurrency is the maximum number of callbacks posted to one provider at once.
const callbackConcurrency = 4

// callbackTransport posts resent activations to providers' callbacks.
func (w *Worker) callbackTransport() *transport {
	return &transport{
		kind: domain.CallbackDelivery, concurrency: callbackConcurrency, batchSize: 1, timeout: webhookTimeout,
		isCalled: func(to domain.Destination) bool { return to.Callback.URL != "" && to.Callback.Enabled },
		complete: func(ctx context.Context, claimed []domain.ClaimedDelivery) error {
			return w.queue.GiveUp(ctx, deliveriesOf(claimed), "callback: it is disabled or was removed")
		},
		deliver: func(ctx context.Context, d domain.ClaimedDelivery) error {
			body, err := encodeResentActivation(d, w.options.PublicURL)
			if err != nil {
				return &DeliveryError{Err: err, Permanent: true}
			}
			return w.webhooks.postCallback(ctx, d.Destination.Callback, d.Delivery.ID.String(), w.now(), body)
		},
		retryDelay: func(j domain.Delivery) (time.Duration, bool) { return callbackRetryDelay(j.Attempts) },
		recordOutcome: func(ctx context.Context, j domain.Delivery) error {
			return w.queue.store.RecordCallbackResult(ctx, j.ID.Provider(), j.State == domain.OutboxDone)
		},
	}
}

// postCallback posts a message to a callback. Its error is a *DeliveryError that is not permanent.
func (h webhookClients) postCallback(ctx context.Context, c domain.Callback, id string, now time.Time, body []byte) error {
	to, client := c.URL, h.public
	if c.AllowPrivate {
		client = h.private
	} else if u, err := url.Parse(to); err != nil || u.Scheme != "https" {
		return &DeliveryError{Err: errors.New("callback: its address is not https"), DestinationDown: true}
	}
	err := postWebhook(ctx, client, webhookMessage{url: to, secret: c.Secret, id: id, sentAt: now, body: body})
	if err == nil {
		return nil
	}
	f := &DeliveryError{Err: fmt.Errorf("callback: %w", err), DestinationDown: true}
	if response, ok := errors.AsType[*statusError](err); ok && (response.status == http.StatusTooManyRequests || response.status == http.StatusServiceUnavailable) {
		f.RetryAfter = response.retryAfter
	}
	return f
}

// SendTestCallback posts a message of type callback.test with the given id and returns how long
// the request took. The error is nil only for a 2xx response.
func SendTestCallback(ctx context.Context, c domain.Callback, id string, now time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	body, err := json.Marshal(callbackBody{ID: id, Type: "callback.test", CreatedAt: api.At(now), Data: struct{}{}})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = newWebhookClients(nil).postCallback(ctx, c, id, now, body)
	return time.Since(began), err
}
