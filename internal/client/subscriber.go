package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"ativa/internal/api"
)

// Subscribers streams all subscribers of the provider in constant memory, in
// order of creation. The sequence ends after the first error.
func (c *Client) Subscribers(ctx context.Context) iter.Seq2[Record[api.Subscriber], error] {
	return each[api.Subscriber](ctx, c, list{api.PathSubscribers, api.PathSubscribers, api.FieldSubscribers})
}

// Search streams all subscribers that match the term by name, e-mail, document
// or phone. The sequence ends after the first error.
func (c *Client) Search(ctx context.Context, term string) iter.Seq2[Record[api.Subscriber], error] {
	return each[api.Subscriber](ctx, c, list{api.PathSearch, api.SearchPath(term), api.FieldSubscribers})
}

// InternetSpeeds is the list of speeds.
func (c *Client) InternetSpeeds(ctx context.Context) ([]Record[api.InternetSpeed], error) {
	return all[api.InternetSpeed](ctx, c, list{api.PathInternetSpeeds, api.PathInternetSpeeds, "internet_speeds"})
}

// Subscriber is the subscriber with that document.
func (c *Client) Subscriber(ctx context.Context, document string) (Record[api.Subscriber], error) {
	cl := call{method: http.MethodGet, route: api.PathSubscriber, path: api.SubscriberPath(document), read: true}
	a, err := c.do(ctx, cl)
	if err != nil {
		return Record[api.Subscriber]{}, err
	}
	var body struct {
		Subscriber json.RawMessage `json:"subscriber"`
	}
	if err := decode(cl, a, &body); err != nil {
		return Record[api.Subscriber]{}, err
	}
	r := Record[api.Subscriber]{Raw: body.Subscriber}
	if r.Raw == nil {
		return r, &Unexpected{Route: cl.name(), Err: reason("no subscriber")}
	}
	if err := json.Unmarshal(r.Raw, &r.Value); err != nil {
		return r, &Unexpected{Route: cl.name(), Err: err}
	}
	return r, nil
}

// CreateSubscriber registers a subscriber. An empty key is replaced by a new
// one, here and in every write: it makes the tries of this call one.
func (c *Client) CreateSubscriber(ctx context.Context, s api.SubscriberCreate, key string) (Answer[api.SubscriberAnswer], error) {
	cl := call{method: http.MethodPost, route: api.PathSubscribers, path: api.PathSubscribers}
	return write[api.SubscriberAnswer](ctx, c, cl, s, key, "subscriber")
}

// UpdateSubscriber changes the fields that are set. Only our server is known
// to leave absent fields as they are; for another the subscriber is read first
// and sent whole.
func (c *Client) UpdateSubscriber(ctx context.Context, document string, u api.SubscriberUpdate, key string) (Answer[api.SubscriberAnswer], error) {
	ours, err := c.Has(ctx, api.ExtIdempotency)
	if err == nil && !ours {
		u, err = c.completed(ctx, document, u)
	}
	if err != nil {
		return Answer[api.SubscriberAnswer]{}, err
	}
	cl := call{method: http.MethodPut, route: api.PathSubscriber, path: api.SubscriberPath(document)}
	return write[api.SubscriberAnswer](ctx, c, cl, u, key, "subscriber")
}

// completed is the update with the present value of each field that is not set.
func (c *Client) completed(ctx context.Context, document string, u api.SubscriberUpdate) (api.SubscriberUpdate, error) {
	now, err := c.Subscriber(ctx, document)
	if err != nil {
		return u, err
	}
	s := now.Value
	for _, f := range []struct {
		field *api.Optional[string]
		value string
	}{
		{&u.Name, s.Name}, {&u.Email, s.Email}, {&u.Document, s.Document},
		{&u.Phone, s.Phone}, {&u.CustomerPlan, s.CustomerPlan},
	} {
		if !f.field.Set {
			*f.field = api.Some(f.value)
		}
	}
	if !u.InternetSpeedID.Set {
		u.InternetSpeedID = api.Some(s.InternetSpeedID)
	}
	return u, nil
}

// DeleteSubscriber deletes the subscriber with that document. When the answer
// to a first try was lost and a further one finds no subscriber, it is done.
func (c *Client) DeleteSubscriber(ctx context.Context, document, key string) (Answer[api.Answer], error) {
	cl := call{method: http.MethodDelete, route: api.PathSubscriber, path: api.SubscriberPath(document)}
	lost := false
	cl.failed = func(err error) { lost = lost || MayHaveEffect(err) }
	a, err := write[api.Answer](ctx, c, cl, nil, key)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound && lost {
		return Answer[api.Answer]{}, nil
	}
	return a, err
}

// ResendActivationEmail sends a new activation e-mail for each token of the
// subscriber.
func (c *Client) ResendActivationEmail(ctx context.Context, document, key string) (Answer[api.ResendAnswer], error) {
	cl := call{method: http.MethodPost, route: api.PathResend, path: api.PathResend}
	return write[api.ResendAnswer](ctx, c, cl, api.ResendRequest{Document: document}, key, "results")
}
