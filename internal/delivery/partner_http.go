package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ativa/internal/provision"
)

// callPartner asks a partner of the driver http to carry an operation out. The
// operation is the id of the message, so that every repetition of the request,
// also after a day without confirmation, is recognised (decisions.md 8 and 10).
func (w *Worker) callPartner(ctx context.Context, e provision.Errand) error {
	body, err := operationRequest(e)
	if err != nil {
		return &Permanent{err}
	}
	began := time.Now()
	err = post(ctx, w.hooks.partners, message{
		url: e.Partner.URL, secret: e.Partner.Secret, id: e.Job.Operation.String(), at: w.outbox.Now(), body: body,
	})
	err = judge(err)
	w.figures.partner(e.Partner.Name, err, time.Since(began))
	return err
}

// judge tells what a partner's answer means. A 4xx says that this request will
// never do, except those that speak of the way to the partner (a path that is
// not there, a gateway that does not let us in) or of the moment: they, 5xx,
// redirects and a silent network say nothing about the operation.
func judge(err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[*statusError](err)
	if !ok {
		return &Failure{Err: fmt.Errorf("partner: %w", err), Down: true}
	}
	told := fmt.Errorf("partner: %w", err)
	switch answer.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return &Failure{Err: told, Down: true, RetryAfter: answer.wait}
	}
	if answer.status/100 == 4 {
		return &Permanent{told}
	}
	return &Failure{Err: told, Down: true, RetryAfter: answer.wait}
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*Permanent](err)
	return ok
}
