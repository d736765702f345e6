package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ativa/internal/service/domain"
)

// partnerConcurrency is the maximum number of requests posted to one partner at once.
const partnerConcurrency = 8

// partnerTransport requests operations from partners, according to their drivers.
func (w *Worker) partnerTransport() *transport {
	return &transport{
		kind: domain.PartnerDelivery, concurrency: partnerConcurrency, batchSize: 1, timeout: webhookTimeout, useCircuitBreaker: true,
		isCalled: func(to domain.Destination) bool { return to.Partner.Driver == domain.DriverHTTP },
		complete: w.completeRequests,
		deliver:  w.callPartner,
		// No limit: the delivery is obsolete when the operation ends or is requested again.
		retryDelay:    func(j domain.Delivery) (time.Duration, bool) { return backoff(j.Attempts), true },
		recordOutcome: w.failIfDead,
	}
}

// completeRequests completes the requests to a partner that is not called. A simulated partner
// confirms its operations; an operator confirms those of a manual one, or of a product without a partner.
func (w *Worker) completeRequests(ctx context.Context, claimed []domain.ClaimedDelivery) error {
	if claimed[0].Destination.Partner.Driver == domain.DriverSimulator {
		return w.simulatePartner(ctx, claimed)
	}
	deliveries := deliveriesOf(claimed)
	for i := range deliveries {
		deliveries[i] = w.markDone(deliveries[i])
	}
	return w.queue.Finish(ctx, deliveries, nil)
}

// simulatePartner confirms operations, or fails them at the partner's failure rate.
func (w *Worker) simulatePartner(ctx context.Context, claimed []domain.ClaimedDelivery) error {
	confirmations := make([]domain.Confirmation, len(claimed))
	for i, d := range claimed {
		partner := d.Destination.Partner
		confirmations[i] = domain.Confirmation{Operation: d.Delivery.Operation, Partner: partner.ID, Confirmed: true, Actor: domain.ActorPartner,
			Delivery: w.markDone(d.Delivery)}
		if w.options.Random() < partner.FailureRate {
			confirmations[i].Confirmed, confirmations[i].Reason = false, "simulated failure"
		}
	}
	_, err := w.rules.Confirm(ctx, confirmations)
	return err
}

// callPartner posts an operation to a partner with the driver http. The id of the message is the
// id of the operation, so that the partner recognises every repetition, including one after a day
// without confirmation (decisions.md 8 and 10).
func (w *Worker) callPartner(ctx context.Context, d domain.ClaimedDelivery) error {
	body, err := encodeOperation(d)
	if err != nil {
		return &DeliveryError{Err: err, Permanent: true}
	}
	began := time.Now()
	err = postWebhook(ctx, w.webhooks.partners, webhookMessage{
		url: d.Destination.Partner.URL, secret: d.Destination.Partner.Secret, id: d.Delivery.Operation.String(), sentAt: w.now(), body: body,
	})
	err = classifyPartnerError(err)
	w.metrics.observePartner(d.Destination.Partner.Name, err, time.Since(began))
	return err
}

// classifyPartnerError turns the error of a request into a *DeliveryError. A 4xx refuses the
// operation, except for statuses about access to the partner (wrong path, a gateway that refuses us)
// or about timing. Those, 5xx, redirects and network errors mean that the partner is down.
func classifyPartnerError(err error) error {
	if err == nil {
		return nil
	}
	failed := &DeliveryError{Err: fmt.Errorf("partner: %w", err), DestinationDown: true}
	response, ok := errors.AsType[*statusError](err)
	if !ok {
		return failed
	}
	failed.RetryAfter = response.retryAfter
	switch response.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return failed
	}
	if response.status/100 == 4 {
		failed.Permanent, failed.DestinationDown = true, false
	}
	return failed
}
