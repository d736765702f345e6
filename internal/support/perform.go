package support

import (
	"cmp"
	"context"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
)

// Outcome is the outcome of a step.
type Outcome struct {
	Step
	// Result is set after every action but a resend; a failed action is not an error. Its status
	// is null if the server reports neither status nor service.
	Result api.BatchResult
	// Resent holds the outcome of each e-mail of a resend; empty if not reported.
	Resent []api.ResendResult
}

// Perform executes a step like a command with one document. The caller checks permission
// and confirmation. After an error of [client.MayHaveEffect] the outcome is unknown. A
// resend for a service that the server cannot mail alone returns [client.ErrResendsAll].
func Perform(ctx context.Context, c *client.Client, s Step) (o Outcome, err error) {
	o.Step = s
	var job run.Job = &run.Provision{Client: c, Operation: s.Operation, Product: s.Product.ID, At: s.At, Until: s.Until}
	switch s.Operation {
	case api.Change:
		job = run.NewChange(c, s.Document, s.Product.ID, s.To.ID)
	case lifecycle.Resend:
		job = &run.Resend{Client: c, Product: s.Product.ID, All: true, Answered: func(a client.WriteResult[api.ResendResponse]) { o.Resent = a.Value.Results }}
	}
	r, err := run.One(ctx, c, job, s.Document)
	o.Result = r.BatchResult(0)
	if s.Operation == api.Change || s.Operation == lifecycle.Resend {
		err = cmp.Or(err, r.Cause)
	}
	return o, err
}

// Message describes the outcome in one sentence.
func (o Outcome) Message() lang.Message {
	switch m := o.message(); {
	case o.Until.IsZero() || o.Result.Result != api.ResultAccepted:
		return m
	case o.Result.Code != "":
		return lang.Msg("%s; its end is not scheduled: %s", m, lang.Refusal{Code: o.Result.Code, Detail: cmp.Or(o.Result.Detail, o.Result.Code)})
	default:
		return lang.Msg("%s; until %s", m, o.Until.Format(whenLayout))
	}
}

func (o Outcome) message() lang.Message {
	product, who := ProductName(o.Product), cmp.Or(o.Name, cpf.Document(o.Document).Mask())
	switch {
	case o.Operation == lifecycle.Resend:
		return o.resendMessage(product, who)
	case o.Result.Result == api.ResultFailed:
		return lang.Msg("%s of %s: refused: %s", product, who, lang.Refusal{Code: o.Result.Code, Detail: cmp.Or(o.Result.Detail, o.Result.Code)})
	case !o.At.IsZero():
		return lang.Msg("scheduled for %s: %s", o.At.Format(whenLayout), o.Step.title())
	case o.Result.Status == nil:
		return lang.Msg("%s of %s: accepted; the server does not report the status", product, who)
	}
	after := *o.Result.Status
	stands := lang.Msg("%s", lang.StatusName(after))
	if meaning := lifecycle.Meaning(after); meaning != "" {
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
		return lang.Msg("%s of %s is unchanged: %s", product, who, stands)
	case o.Operation == api.Change:
		return lang.Msg("%s of %s is changed to %s: %s", product, who, ProductName(o.To), stands)
	case before == "" || before == after:
		return lang.Msg("%s of %s: %s", product, who, stands)
	}
	return lang.Msg("%s of %s: from %s to %s", product, who, lang.StatusName(before), stands)
}

func (o Outcome) resendMessage(product, who string) lang.Message {
	sent := o.Resent
	i := slices.IndexFunc(sent, func(r api.ResendResult) bool { return r.ProductID == o.Product.ID })
	switch {
	case i < 0:
		return lang.Msg("the activation e-mail of %s was requested again for %s", product, who)
	case sent[i].Result == api.ResultSkipped:
		return lang.Msg("no e-mail for %s of %s: there is nothing to activate", product, who)
	}
	return lang.Msg("a new activation e-mail of %s goes to %s; earlier links stop working", product, who)
}
