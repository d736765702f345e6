package run

import (
	"context"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// single is the job of actions that are sent one by one.
type single struct {
	client *client.Client
	group  group
	send   func(ctx context.Context, c *client.Client, a *Action, key string) (Result, error)
	// isDone reports whether the subscriber, nil for none, is as the action wants it. Nil means that
	// no subscriber shows that: a server with schedules has idempotency keys.
	isDone func(a *Action, s *api.Subscriber) bool
}

// Singly implements [Job].
func (j *single) Singly() bool { return true }

// Send implements [Job].
func (j *single) Send(ctx context.Context, b Batch) ([]Result, error) {
	result, err := j.send(ctx, j.client, j.group.action(b.Rows[0]), b.Key)
	if err != nil {
		return nil, err
	}
	return []Result{result}, nil
}

// ReadBack implements [Job].
func (j *single) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	a := j.group.action(b.Rows[0])
	s, err := readSubscriber(ctx, j.client, a.Document)
	if err != nil || j.isDone == nil || !j.isDone(a, s) {
		return make([]Result, 1), err
	}
	if s == nil {
		return []Result{{Kind: sheet.ResultDeleted}}, nil
	}
	return []Result{acceptedAs(s.Services, a.ProductID)}, nil
}

func sendUpdate(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	_, err := c.UpdateSubscriber(ctx, a.Document, updateOf(a.Row, a.Fields), key)
	return Result{Kind: api.ResultAccepted}, err
}

func isUpdated(a *Action, s *api.Subscriber) bool {
	if s == nil {
		return false
	}
	left := differs(&sheet.Row{ImportRow: *a.Row}, s)
	return !slices.ContainsFunc(a.Fields, func(field string) bool { return slices.Contains(left, field) })
}

func sendChange(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	if a.ProductID == a.PreviousProductID { // a repetition, after the change or during it
		s, err := readSubscriber(ctx, c, a.Document)
		if err != nil {
			return Result{}, err
		}
		if hasLive(s, a.ProductID) {
			r := acceptedAs(s.Services, a.ProductID)
			r.Kind, r.Services[0].Previous = api.ResultUnchanged, r.Services[0].Status
			return r, nil
		}
	}
	answer, err := c.Change(ctx, api.ChangeRequest{ProductID: a.ProductID, PreviousProductID: a.PreviousProductID, Document: a.Document}, key)
	if err != nil {
		return Result{}, err
	}
	if r := &answer.Value.Result; answer.Detailed {
		return Result{Kind: r.Result, Services: services(batchService(a.ProductID, r))}, nil
	}
	if s, err := readSubscriber(ctx, c, a.Document); err == nil && s != nil {
		return acceptedAs(s.Services, a.ProductID), nil
	}
	return Result{Kind: api.ResultAccepted}, nil // its status is not known
}

func isChanged(a *Action, s *api.Subscriber) bool {
	return hasLive(s, a.ProductID) && !hasLive(s, a.PreviousProductID)
}

// hasLive reports whether the subscriber, nil for none, has a live service of the product.
func hasLive(s *api.Subscriber, product api.Int) bool {
	return s != nil && slices.ContainsFunc(s.Services, func(s api.Service) bool { return isLive(s) && s.ProductID == product })
}

func sendUnschedule(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	_, err := c.CancelSchedule(ctx, a.ScheduleID, key)
	return Result{Kind: api.ScheduleCancelled}, err
}

// sendDelete deletes a subscriber whose services have ended. It sends nothing while a service is
// being cancelled.
func sendDelete(ctx context.Context, c *client.Client, a *Action, key string) (Result, error) {
	s, err := readSubscriber(ctx, c, a.Document)
	switch {
	case err != nil:
		return Result{}, err
	case s == nil:
		return Result{Kind: sheet.ResultDeleted}, nil
	}
	waits := false
	for _, service := range s.Services {
		switch {
		case !isLive(service):
		case !slices.Contains(a.Awaits, service.ProductID) || lifecycle.Rests(service.StatusID):
			return failed(api.CodeSubscriberHasServices, "", ""), nil
		default:
			waits = true
		}
	}
	if waits {
		return Result{Kind: sheet.ResultWaiting}, nil
	}
	_, err = c.DeleteSubscriber(ctx, a.Document, key)
	if client.KindOf(err) == client.KindNotFound { // deleted since it was read
		err = nil
	}
	return Result{Kind: sheet.ResultDeleted}, err
}

func isDeleted(_ *Action, s *api.Subscriber) bool { return s == nil }

// NewChange returns the job that changes the service of one subscriber to another product.
func NewChange(c *client.Client, document string, from, to api.Int) Job {
	a := Action{Kind: ActionChange, Document: document, ProductID: to, PreviousProductID: from}
	return group{step: ActionChange, actions: []Action{a}}.job(c)
}
