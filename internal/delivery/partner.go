package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"ativa/internal/provision"
)

// partnerConcurrency is how many requests are posted to one partner at once.
const partnerConcurrency = 8

// partnerTransport requests operations from partners, by their drivers.
func (w *Worker) partnerTransport() *transport {
	return &transport{
		kind: provision.PartnerJob, concurrency: partnerConcurrency, batchSize: 1, timeout: webhookTimeout, useCircuitBreaker: true,
		handleLocally: w.handleUncalledPartners,
		destination:   func(d provision.ClaimedDelivery) string { return strconv.FormatInt(int64(d.Partner.ID), 10) },
		deliver:       w.callPartner,
		// No limit: the job is obsolete when the operation ends or is requested again.
		retryDelay:    func(j provision.Job, _ error) (time.Duration, bool) { return backoff(j.Attempts), true },
		recordOutcome: w.failIfDead,
	}
}

// handleUncalledPartners completes the deliveries to partners that are not
// called: simulated partners confirm at once, for manual ones an operator does.
// It returns the deliveries to the other partners.
func (w *Worker) handleUncalledPartners(ctx context.Context, claimed []provision.ClaimedDelivery) ([]provision.ClaimedDelivery, error) {
	var call, simulated []provision.ClaimedDelivery
	var done []provision.Job
	for _, d := range claimed {
		switch d.Partner.Driver {
		case provision.DriverHTTP:
			call = append(call, d)
		case provision.DriverSimulator:
			simulated = append(simulated, d)
		default: // a manual partner, or a product without one
			done = append(done, markDone(w.outbox, d.Job))
		}
	}
	if err := w.simulatePartner(ctx, simulated); err != nil {
		return nil, err
	}
	if len(done) == 0 {
		return call, nil
	}
	return call, w.outbox.Finish(ctx, done)
}

// simulatePartner confirms the operations whose partner's delay has passed, or
// reports them failed at the partner's failure rate. It postpones the others.
func (w *Worker) simulatePartner(ctx context.Context, claimed []provision.ClaimedDelivery) error {
	now := w.outbox.Now()
	var confirmations []provision.Confirmation
	var early []provision.Job
	for _, d := range claimed {
		wait := d.CreatedAt.Add(d.Partner.Delay).Sub(now)
		if wait > 0 && wait <= d.Partner.Delay { // more: the clock was set back
			d.Job.NextAt = now.Add(wait)
			early = append(early, d.Job)
			continue
		}
		c := provision.Confirmation{Operation: d.Job.Operation, Partner: d.Partner.ID, Confirmed: true, Actor: provision.ActorPartner,
			Delivery: markDone(w.outbox, d.Job)}
		if w.options.Random() < d.Partner.FailureRate {
			c.Confirmed, c.Reason = false, "simulated failure"
		}
		confirmations = append(confirmations, c)
	}
	if len(early) > 0 {
		if err := w.outbox.Postpone(ctx, early); err != nil {
			return err
		}
	}
	if len(confirmations) == 0 {
		return nil
	}
	_, err := w.outbox.Confirm(ctx, confirmations)
	return err
}

// callPartner posts an operation to a partner of the driver http. The id of the
// message is that of the operation, so that the partner recognises every
// repetition, also one after a day without confirmation (decisions.md 8 and 10).
func (w *Worker) callPartner(ctx context.Context, d provision.ClaimedDelivery) error {
	body, err := encodeOperation(d)
	if err != nil {
		return &PermanentError{err}
	}
	began := time.Now()
	err = postWebhook(ctx, w.webhooks.partners, webhookMessage{
		url: d.Partner.URL, secret: d.Partner.Secret, id: d.Job.Operation.String(), sentAt: w.outbox.Now(), body: body,
	})
	err = classifyPartnerError(err)
	w.metrics.observePartner(d.Partner.Name, err, time.Since(began))
	return err
}

// classifyPartnerError turns the error of a request into a *PermanentError or a
// *TemporaryError. A 4xx refuses the operation, except for the statuses about
// access to the partner (wrong path, a gateway that refuses us) or about the
// moment. Those, 5xx, redirects and network errors mean that the partner is down.
func classifyPartnerError(err error) error {
	if err == nil {
		return nil
	}
	temporary := &TemporaryError{Err: fmt.Errorf("partner: %w", err), DestinationDown: true}
	response, ok := errors.AsType[*statusError](err)
	if !ok {
		return temporary
	}
	temporary.RetryAfter = response.retryAfter
	switch response.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return temporary
	}
	if response.status/100 == 4 {
		return &PermanentError{temporary.Err}
	}
	return temporary
}
