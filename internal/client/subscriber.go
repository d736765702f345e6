package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
)

// Subscribers yields all subscribers of the provider in order of creation, in
// constant memory. The sequence ends after the first error.
func (c *Client) Subscribers(ctx context.Context) iter.Seq2[Item[api.Subscriber], error] {
	return streamList[api.Subscriber](ctx, c, get(api.PathSubscribers), api.FieldSubscribers, nil)
}

// Search yields all subscribers that match the term by name, e-mail, document or
// phone. The sequence ends after the first error.
func (c *Client) Search(ctx context.Context, term string) iter.Seq2[Item[api.Subscriber], error] {
	return streamList[api.Subscriber](ctx, c, callTo(http.MethodGet, api.PathSearch, api.SearchPath(term)), api.FieldSubscribers, nil)
}

// InternetSpeeds returns the list of speeds.
func (c *Client) InternetSpeeds(ctx context.Context) ([]Item[api.InternetSpeed], error) {
	return getList[api.InternetSpeed](ctx, c, get(api.PathInternetSpeeds), "internet_speeds")
}

// Subscriber returns the subscriber with the document.
func (c *Client) Subscriber(ctx context.Context, document string) (Item[api.Subscriber], error) {
	cl := callTo(http.MethodGet, api.PathSubscriber, api.SubscriberPath(document))
	a, err := c.do(ctx, cl)
	if err != nil {
		return Item[api.Subscriber]{}, err
	}
	var body struct {
		Subscriber json.RawMessage `json:"subscriber"`
	}
	if err := decode(cl, a, &body); err != nil {
		return Item[api.Subscriber]{}, err
	}
	r := Item[api.Subscriber]{Raw: body.Subscriber}
	switch string(r.Raw) {
	case "":
		return r, &UnexpectedResponseError{Route: cl.name(), Err: constError("no subscriber")}
	case "null": // some servers send it with a success status
		return r, &Error{Route: cl.name(), Status: http.StatusNotFound, Code: api.CodeSubscriberNotFound, Body: a.body}
	}
	if err := json.Unmarshal(r.Raw, &r.Value); err != nil {
		return r, &UnexpectedResponseError{Route: cl.name(), Err: err}
	}
	return r, nil
}

// CreateSubscriber registers a subscriber. Here and in every write, an empty key
// is replaced by a new one, which makes the retries of the call harmless.
func (c *Client) CreateSubscriber(ctx context.Context, s api.SubscriberCreate, key string) (WriteResult[api.SubscriberResponse], error) {
	return write[api.SubscriberResponse](ctx, c, post(api.PathSubscribers), s, key, "subscriber")
}

// UpdateSubscriber changes the fields that are set. Other servers may clear
// absent fields, so for them it reads the subscriber first and sends all fields. It
// succeeds if the response to an attempt was lost and a retry finds the subscriber
// under its new document only.
func (c *Client) UpdateSubscriber(ctx context.Context, document string, u api.SubscriberUpdate, key string) (WriteResult[api.SubscriberResponse], error) {
	ours, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err == nil && !ours {
		u, err = c.withCurrentValues(ctx, document, u)
	}
	if err != nil {
		return WriteResult[api.SubscriberResponse]{}, err
	}
	cl := callTo(http.MethodPut, api.PathSubscriber, api.SubscriberPath(document))
	a, err := write[api.SubscriberResponse](ctx, c, cl, u, key, "subscriber")
	if MayHaveEffect(err) && u.Document.Set && KindOf(err) == KindNotFound {
		if _, missing := c.Subscriber(ctx, u.Document.Value); missing == nil {
			return WriteResult[api.SubscriberResponse]{}, nil
		}
	}
	return a, err
}

// withCurrentValues sets each absent field of the update to its present value.
func (c *Client) withCurrentValues(ctx context.Context, document string, u api.SubscriberUpdate) (api.SubscriberUpdate, error) {
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

// DeleteSubscriber deletes the subscriber with the document. It succeeds if the
// response to an attempt was lost and a retry finds no subscriber.
func (c *Client) DeleteSubscriber(ctx context.Context, document, key string) (WriteResult[api.Response], error) {
	cl := callTo(http.MethodDelete, api.PathSubscriber, api.SubscriberPath(document))
	a, err := write[api.Response](ctx, c, cl, nil, key)
	if MayHaveEffect(err) && KindOf(err) == KindNotFound {
		return WriteResult[api.Response]{}, nil
	}
	return a, err
}

// ResendActivationEmail sends a new activation e-mail for each token of the
// subscriber.
func (c *Client) ResendActivationEmail(ctx context.Context, document, key string) (WriteResult[api.ResendResponse], error) {
	return write[api.ResendResponse](ctx, c, post(api.PathResend), api.ResendRequest{Document: document}, key, "results")
}

// Errors of a resend to some services of a subscriber. Nothing was sent.
const (
	// ErrResendsAll means that the server can only mail all services, and there are others.
	ErrResendsAll constError = "the server can only mail every service of the subscriber"
	// ErrNoneWaits means that no service waits for the subscriber.
	ErrNoneWaits constError = "no service waits for the subscriber"
)

// ResendToWaiting sends a new activation e-mail for each service that waits for the subscriber to
// follow the link, and for none that is active (cli.md, Selecting). A product other than 0 limits
// it to that product's service. A failed activation counts as waiting if the server can retry it
// alone. Without ExtResendProduct the error is [ErrResendsAll] if the server would also mail other
// services, or if it does not list services. Results returned with an error say what was sent
// before it.
func (c *Client) ResendToWaiting(ctx context.Context, document string, product api.Int, key string) (WriteResult[api.ResendResponse], error) {
	all := WriteResult[api.ResendResponse]{Value: api.ResendResponse{Response: api.ResponseSuccess, Document: document}, Detailed: true}
	s, err := c.Subscriber(ctx, document)
	if err != nil {
		return all, err
	}
	alone, err := c.HasExtension(ctx, api.ExtResendProduct)
	if err != nil {
		return all, err
	}
	var waiting []api.Service
	mailed := 0 // number of services that a resend for the subscriber mails
	for _, service := range s.Value.Services {
		clicks := lifecycle.AwaitsClick(service)
		if clicks || lifecycle.Mailed(service.StatusID) {
			mailed++
		}
		waits := clicks || alone && lifecycle.Of(service.StatusID).WaitsFor == lifecycle.WaitsForYou
		if waits && (product == 0 || service.ProductID == product) {
			waiting = append(waiting, service)
		}
	}
	switch {
	case len(waiting) == 0 && (alone || s.Value.Services != nil):
		return all, ErrNoneWaits
	case alone:
		err = c.resendEach(ctx, document, waiting, key, &all)
		return all, err
	case len(waiting) == 0 || mailed > len(waiting):
		return all, ErrResendsAll
	}
	return c.ResendActivationEmail(ctx, document, key)
}

// resendEach sends the e-mail of each service and adds the results to all. It skips services for which
// the server has nothing to send; if none is left, the error is ErrNoneWaits.
func (c *Client) resendEach(ctx context.Context, document string, services []api.Service, key string, all *WriteResult[api.ResendResponse]) error {
	none := true
	for _, service := range services {
		k := key
		if k != "" {
			k = fmt.Sprintf("%s.%d", key, service.ProductID)
		}
		one, err := c.ResendActivationEmailOf(ctx, document, service.ProductID, k)
		if HasCode(err, api.CodeNothingToResend) {
			all.Value.Results = append(all.Value.Results, api.ResendResult{Service: service, Result: api.ResultSkipped, Reason: service.Status})
			continue
		}
		if err != nil {
			return err
		}
		none = false
		if all.Detailed = all.Detailed && one.Detailed; !one.Detailed { // it was sent even if the next one is refused
			one.Value.Results = []api.ResendResult{{Service: service, Result: api.ResultSent}}
		}
		all.Value.Results = append(all.Value.Results, one.Value.Results...)
	}
	if none {
		return ErrNoneWaits
	}
	var err error
	if all.Detailed {
		all.Raw, err = json.Marshal(all.Value)
	}
	return err
}

// ResendActivationEmailOf sends a new activation e-mail for the service of one product, and for no
// other. Without the extension ExtResendProduct, and the option ResendProduct, it sends one for the
// subscriber if that has the same effect (cli.md, Selecting), else it returns ErrResendsAll.
func (c *Client) ResendActivationEmailOf(ctx context.Context, document string, product api.Int, key string) (WriteResult[api.ResendResponse], error) {
	has, err := c.HasExtension(ctx, api.ExtResendProduct)
	if err != nil {
		return WriteResult[api.ResendResponse]{}, err
	}
	if has && !c.extensions.has(api.ExtResendProduct) { // by the context of another server
		body := struct {
			api.ResendRequest
			ProductID api.Int `json:"product_id"`
		}{api.ResendRequest{Document: document}, product}
		return write[api.ResendResponse](ctx, c, post(api.PathResend), body, key, "results")
	}
	if has {
		cl := callTo(http.MethodPost, api.PathResendProduct, api.ResendProductPath(product))
		return write[api.ResendResponse](ctx, c, cl, api.ResendRequest{Document: document}, key, "results")
	}
	s, err := c.Subscriber(ctx, document)
	if err != nil {
		return WriteResult[api.ResendResponse]{}, err
	}
	mailed := slices.DeleteFunc(slices.Clone(s.Value.Services), func(s api.Service) bool {
		return !lifecycle.Mailed(s.StatusID)
	})
	if len(mailed) != 1 || mailed[0].ProductID != product {
		return WriteResult[api.ResendResponse]{}, ErrResendsAll
	}
	return c.ResendActivationEmail(ctx, document, key)
}
