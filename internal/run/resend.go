package run

import (
	"context"
	"errors"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
)

// Resend sends the activation e-mails of the rows' subscribers again. The API takes one subscriber
// per request. It is safe for concurrent use.
type Resend struct {
	Client  *client.Client
	Product api.Int // mails only this service; 0 means all
	All     bool    // mail active services, too, not only those that wait for the subscriber
	// Answered, if not nil, is called with each answer, even if an error follows.
	Answered func(client.WriteResult[api.ResendResponse])
}

// Codes of a row that no server sends.
const (
	codeNotSupported = "not_supported" // the server cannot mail one service alone
	codeNoAnswer     = "no_answer"
)

// Singly implements [Job].
func (r *Resend) Singly() bool { return true }

// Send implements [Job].
func (r *Resend) Send(ctx context.Context, b Batch) ([]Result, error) {
	answer, err := r.post(ctx, b.Rows[0].Document, b.Key)
	if r.Answered != nil && (err == nil || len(answer.Value.Results) > 0) {
		r.Answered(answer)
	}
	if errors.Is(err, client.ErrNoneWaits) {
		return []Result{{Kind: api.ResultSkipped, Code: api.CodeNothingToResend, Cause: err}}, nil
	}
	if errors.Is(err, client.ErrResendsAll) {
		return []Result{{Kind: api.ResultFailed, Code: codeNotSupported, Detail: "the server cannot send the e-mail of one service alone, and there are others that it would send for", Cause: err}}, nil
	}
	if err != nil && len(answer.Value.Results) > 0 {
		return errorResults(1, err), err
	}
	if err != nil {
		return nil, err
	}
	result := Result{Kind: api.ResultSent}
	for i, s := range answer.Value.Results {
		service := Service{ProductID: s.ProductID, Status: s.Status, StatusID: s.StatusID}
		if i == 0 || s.Result == api.ResultSent && result.Kind != api.ResultSent { // put what was sent first
			result.Kind, result.Services = s.Result, slices.Insert(result.Services, 0, service)
		} else {
			result.Services = append(result.Services, service)
		}
	}
	return []Result{result}, nil
}

func (r *Resend) post(ctx context.Context, document, key string) (client.WriteResult[api.ResendResponse], error) {
	switch {
	case !r.All:
		return r.Client.ResendToWaiting(ctx, document, r.Product, key)
	case r.Product == 0:
		return r.Client.ResendActivationEmail(ctx, document, key)
	}
	return r.Client.ResendActivationEmailOf(ctx, document, r.Product, key)
}

// ReadBack implements [Job]. Whether an e-mail was sent cannot be read, and another one would
// invalidate the link of the first, so nothing is sent twice.
func (r *Resend) ReadBack(context.Context, Batch) ([]Result, error) {
	return []Result{failed(codeNoAnswer, "", "no answer came; the e-mail may have been sent")}, nil
}
