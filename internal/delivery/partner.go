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

// partnerConcurrency is how many requests one partner gets at once.
const partnerConcurrency = 8

// partnerTransport hands operations to the partners by their drivers.
func (w *Worker) partnerTransport() *transport {
	return &transport{
		kind: provision.PartnerJob, concurrency: partnerConcurrency, batchSize: 1, timeout: webhookTimeout, useCircuitBreaker: true,
		handleLocally: w.handleUncalledPartners,
		destination:   func(e provision.Errand) string { return strconv.FormatInt(int64(e.Partner.ID), 10) },
		deliver:       w.callPartner,
		// The rules end it: when the operation ends or is asked again, the job is obsolete.
		retryDelay: func(j provision.Job, _ time.Duration) (time.Duration, bool) { return backoff(j.Attempts), true },
		recordOutcome: func(ctx context.Context, e provision.Errand, err error, _ bool) error {
			if isPermanent(err) {
				return w.outbox.Refused(ctx, e.Job.Operation)
			}
			return nil
		},
	}
}

// handleUncalledPartners deals with the partners that are not called: the simulated
// ones answer by themselves, for the manual ones an operator does. It returns
// the errands of the others.
func (w *Worker) handleUncalledPartners(ctx context.Context, errands []provision.Errand) ([]provision.Errand, error) {
	var call, simulated []provision.Errand
	var done []provision.Job
	for _, e := range errands {
		switch e.Partner.Driver {
		case provision.DriverHTTP:
			call = append(call, e)
		case provision.DriverSimulator:
			simulated = append(simulated, e)
		default: // a manual partner, or a product without one
			done = append(done, markDone(w.outbox, e.Job))
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

// simulatePartner plays the partner: an operation waits for the partner's delay and
// is then confirmed, or failed at the partner's failure rate.
func (w *Worker) simulatePartner(ctx context.Context, errands []provision.Errand) error {
	now := w.outbox.Now()
	var confirmations []provision.Confirmation
	var done, early []provision.Job
	for _, e := range errands {
		if due := e.CreatedAt.Add(e.Partner.Delay); due.After(now) {
			e.Job.NextAt = due
			early = append(early, e.Job)
			continue
		}
		c := provision.Confirmation{Operation: e.Job.Operation, Partner: e.Partner.ID, Confirmed: true, Actor: provision.ActorPartner}
		if w.options.Random() < e.Partner.FailureRate {
			c.Confirmed, c.Reason = false, "simulated failure"
		}
		confirmations = append(confirmations, c)
		done = append(done, markDone(w.outbox, e.Job))
	}
	if len(early) > 0 {
		if err := w.outbox.Postpone(ctx, early); err != nil {
			return err
		}
	}
	if len(done) == 0 {
		return nil
	}
	if _, err := w.outbox.Confirm(ctx, confirmations); err != nil {
		return err
	}
	return w.outbox.Finish(ctx, done)
}

// callPartner asks a partner of the driver http to carry an operation out. The
// operation is the id of the message, so that every repetition of the request,
// also after a day without confirmation, is recognised (decisions.md 8 and 10).
func (w *Worker) callPartner(ctx context.Context, e provision.Errand) error {
	body, err := encodeOperation(e)
	if err != nil {
		return &PermanentError{err}
	}
	began := time.Now()
	err = postWebhook(ctx, w.webhooks.partners, webhookMessage{
		url: e.Partner.URL, secret: e.Partner.Secret, id: e.Job.Operation.String(), sentAt: w.outbox.Now(), body: body,
	})
	err = classifyPartnerError(err)
	w.metrics.observePartner(e.Partner.Name, err, time.Since(began))
	return err
}

// classifyPartnerError tells what a partner's answer means. A 4xx says that this request will
// never do, except those that speak of the way to the partner (a path that is
// not there, a gateway that does not let us in) or of the moment: they, 5xx,
// redirects and a silent network say nothing about the operation.
func classifyPartnerError(err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[*statusError](err)
	if !ok {
		return &TemporaryError{Err: fmt.Errorf("partner: %w", err), DestinationDown: true}
	}
	told := fmt.Errorf("partner: %w", err)
	switch answer.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return &TemporaryError{Err: told, DestinationDown: true, RetryAfter: answer.retryAfter}
	}
	if answer.status/100 == 4 {
		return &PermanentError{told}
	}
	return &TemporaryError{Err: told, DestinationDown: true, RetryAfter: answer.retryAfter}
}

func isPermanent(err error) bool {
	_, ok := errors.AsType[*PermanentError](err)
	return ok
}
