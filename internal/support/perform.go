package support

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lang"
)

// Outcome is what became of a step.
type Outcome struct {
	Step
	// Result has status and result after every action but a resend; a failed one
	// is no error. Its status is null where a server does not tell and has no
	// service.
	Result api.BatchResult
	// Resent has what became of each e-mail after a resend; empty where the server
	// does not say.
	Resent []api.ResendResult
	// Raw is the server's answer, nil when it was not JSON.
	Raw json.RawMessage
	// Detailed reports whether the server said what became of it. Else Result was
	// read back.
	Detailed bool
}

// Perform carries a step out. Whether changes are allowed at all, and confirmed,
// is for the caller. An empty key is replaced by a new one. An error of
// [client.MayHaveEffect] leaves open whether it was carried out. A resend without a
// product mails every service; with one that the server cannot mail alone the error is
// [client.ErrResendsAll].
func Perform(ctx context.Context, c *client.Client, s Step, key string) (Outcome, error) {
	o := Outcome{Step: s}
	product := s.Product.ID
	switch s.Action {
	case Resend:
		a, err := resend(ctx, c, s, key)
		o.Resent, o.Raw, o.Detailed = a.Value.Results, a.Raw, a.Detailed
		return o, err
	case Change:
		a, err := c.Change(ctx, api.ChangeRequest{ProductID: s.To.ID, PreviousProductID: product, Document: s.Document}, key)
		if err != nil {
			return o, err
		}
		o.Result, o.Raw, o.Detailed = a.Value.Result, a.Raw, a.Detailed
		product = s.To.ID
	default:
		a, err := c.Provision(ctx, api.Operation(s.Action), product, []string{s.Document}, key)
		if err != nil {
			return o, err
		}
		o.Raw, o.Detailed = a.Raw, a.Detailed && len(a.Value.Results) == 1
		if o.Detailed {
			o.Result = a.Value.Results[0]
		}
	}
	if o.Detailed {
		return o, nil
	}
	var err error
	o.Result, err = readBack(ctx, c, s.Document, product)
	return o, err
}

// resend sends for one service, or for all where the step has no product.
func resend(ctx context.Context, c *client.Client, s Step, key string) (client.WriteResult[api.ResendResponse], error) {
	if s.Product.ID == 0 {
		return c.ResendActivationEmail(ctx, s.Document, key)
	}
	return c.ResendActivationEmailOf(ctx, s.Document, s.Product.ID, key)
}

// readBack finds out what became of a document on a server that does not say.
func readBack(ctx context.Context, c *client.Client, document string, product api.Int) (api.BatchResult, error) {
	r := api.BatchResult{Document: document, Result: api.ResultAccepted}
	s, err := c.Subscriber(ctx, document)
	if client.KindOf(err) == client.KindNotFound {
		r.Result, r.Code = api.ResultFailed, api.CodeSubscriberNotFound
		return r, nil
	}
	if service, ok := NewestService(s.Value.Services, product); ok {
		r.Status, r.StatusID = &service.Status, &service.StatusID
	}
	return r, err
}

// Message says what became of the step in one sentence.
func (o Outcome) Message() lang.Message {
	product, who := productName(o.Product), cmp.Or(o.Name, cpf.Document(o.Document).Mask())
	switch {
	case o.Action == Resend:
		return o.resendMessage(product, who)
	case o.Result.Result == api.ResultFailed:
		return lang.Msg("%s of %s: refused: %s", product, who, lang.Refusal{Code: o.Result.Code, Detail: o.Result.Detail})
	case o.Result.Status == nil:
		return lang.Msg("%s of %s: accepted; the server does not say how it stands", product, who)
	}
	after := *o.Result.Status
	stands := lang.Msg("%s", lang.StatusName(after))
	if meaning := StatusMeaning(after); meaning != "" {
		stands = lang.Msg("%s (%s)", stands, lang.Msg(meaning))
	}
	if o.Result.QueuePosition > 0 {
		stands = lang.Msg("%s; number %d in the queue", stands, o.Result.QueuePosition)
	}
	before := o.Before
	if o.Result.PreviousStatus != nil {
		before = *o.Result.PreviousStatus
	}
	switch {
	case o.Result.Result == api.ResultUnchanged:
		return lang.Msg("%s of %s is so already: %s", product, who, stands)
	case o.Action == Change:
		return lang.Msg("%s of %s is changed to %s: %s", product, who, productName(o.To), stands)
	case before == "" || before == after:
		return lang.Msg("%s of %s: %s", product, who, stands)
	}
	return lang.Msg("%s of %s: from %s to %s", product, who, lang.StatusName(before), stands)
}

func (o Outcome) resendMessage(product, who string) lang.Message {
	i := slices.IndexFunc(o.Resent, func(r api.ResendResult) bool { return r.ProductID == o.Product.ID })
	switch {
	case i < 0:
		return lang.Msg("the activation e-mail of %s was requested again for %s", product, who)
	case o.Resent[i].Result == api.ResultSkipped:
		return lang.Msg("no e-mail for %s of %s: there is nothing to activate", product, who)
	}
	return lang.Msg("a new activation e-mail of %s goes to %s; earlier links stop working", product, who)
}
