package support

import (
	"slices"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
)

// Explanation is one service in plain words.
type Explanation struct {
	ProductID   api.Int      `json:"content_supplier_product_id"`
	ProductCode string       `json:"content_supplier_product_code"`
	ProductName string       `json:"content_supplier_product_name"`
	Status      string       `json:"status"`
	StatusID    api.Int      `json:"status_id"`
	Since       string       `json:"since"`
	Explanation lang.Message `json:"explanation"`
	// WaitsFor is subscriber, partner, queue, you or empty.
	WaitsFor string `json:"waits_for"`
	// QueuePosition is 0 if the service is not queued, or if its position is unknown.
	QueuePosition int `json:"queue_position"`
	// LastMail is when the newest e-mail was sent, if the server reports it; empty otherwise. A
	// status change does not set it.
	LastMail string `json:"last_mail"`
	// The last event of the partner, and the last event of any kind, empty if the history
	// lacks them.
	LastPartner string       `json:"last_partner_event"`
	LastEvent   lang.Message `json:"last_event"`
	// Next lists the sensible next commands.
	Next []string `json:"next"`
	// Deliveries are the newest e-mail, callback and request to the partner; empty if the
	// server does not report them.
	Deliveries []api.Delivery `json:"deliveries"`
	// Scheduled lists the scheduled operations, the next first; empty without server
	// support.
	Scheduled []api.Schedule `json:"scheduled"`
	// Steps are the actions that are allowed now.
	Steps []Step `json:"-"`
}

// Explain describes the state of each service, in the order of the server.
func (o *Overview) Explain() []Explanation {
	all := []Explanation{}
	for i := range o.Subscriber.Services {
		all = append(all, o.explain(i))
	}
	return all
}

func (o *Overview) explain(i int) Explanation {
	s := o.Subscriber.Services[i]
	x := Explanation{ProductID: s.ProductID, ProductCode: s.ProductCode, ProductName: s.ProductName,
		Status: s.Status, StatusID: s.StatusID, Since: s.StatusUpdatedAt.String(), WaitsFor: lifecycle.Of(s.StatusID).WaitsFor}
	if x.WaitsFor == lifecycle.WaitsForQueue {
		x.QueuePosition = o.queue[s.ProductID]
	}
	happened := o.statusChangesOf(i)
	for _, event := range o.eventsOf(i) {
		if event.Actor == api.ActorPartner {
			x.LastPartner = event.OccurredAt.String()
		}
		x.LastEvent = EventMessage(event)
	}
	if o.activationIncomplete(i, happened) {
		x.WaitsFor = lifecycle.WaitsForSubscriber
	}
	deliveries := o.deliveriesOf(i)
	x.LastMail, x.Deliveries = lastMail(deliveries).String(), newestDeliveries(deliveries)
	x.Explanation, x.Scheduled = statusMessage(x, happened), o.scheduledOf(i)
	x.Next = o.nextCommands(i, happened)
	x.Steps = o.Steps(i)
	return x
}

// eventsOf returns the events of service i.
func (o *Overview) eventsOf(i int) []api.Event {
	return slices.DeleteFunc(slices.Clone(o.Events), func(event api.Event) bool {
		return event.StatusChange == nil && event.Type != api.EventEmailRequested && event.Type != api.EventScheduleRefused || !o.belongs(i, event.ProductID, event.OccurredAt)
	})
}

// belongs reports whether what happened to a product at a time belongs to service i: it was then the
// newest service of that product.
func (o *Overview) belongs(i int, product api.Int, at api.Time) bool {
	s, until := o.Subscriber.Services[i], o.replacedAt(i)
	return product == s.ProductID && !at.Before(s.TokenCreatedAt.Time) && (until.IsZero() || at.Before(until))
}

// statusChangesOf returns the status changes of service i.
func (o *Overview) statusChangesOf(i int) []api.Event {
	return slices.DeleteFunc(o.eventsOf(i), func(event api.Event) bool { return event.StatusChange == nil })
}

// replacedAt returns when a newer service of the same product replaced service i; zero if none
// did.
func (o *Overview) replacedAt(i int) time.Time {
	for _, later := range o.Subscriber.Services[i+1:] {
		if later.ProductID == o.Subscriber.Services[i].ProductID {
			return later.TokenCreatedAt.Time
		}
	}
	return time.Time{}
}

// activationIncomplete reports whether a service has been in an unknown status since its
// activation was requested. Such an activation is incomplete, and the subscriber completes it
// (api.md, What the service does). Only a history shows the first status; without one, a status
// from the token's first minute counts as the first.
func (o *Overview) activationIncomplete(i int, happened []api.Event) bool {
	s := o.Subscriber.Services[i]
	if lifecycle.Meaning(s.Status) != "" {
		return false
	}
	if len(happened) > 0 {
		return len(happened) == 1 && happened[0].PreviousStatus == nil
	}
	return lifecycle.AwaitsClick(s)
}

// statusMessage describes the state of a service.
func statusMessage(x Explanation, happened []api.Event) lang.Message {
	what := lifecycle.Meaning(x.Status)
	switch {
	case what == "" && x.WaitsFor == lifecycle.WaitsForSubscriber:
		return lang.Msg("this program does not know the server's status %q; the service has had it since the activation was requested, so the activation seems incomplete: the subscriber completes it by following the activation e-mail", x.Status)
	case what == "":
		return lang.Msg("this program does not know the status %q, nor what it waits for; ask whoever runs the server", x.Status)
	case x.StatusID == api.StatusError:
		return failureMessage(lang.Msg(what), happened)
	case x.QueuePosition > 0:
		return lang.Msg("%s; number %d in the queue", lang.Msg(what), x.QueuePosition)
	}
	return lang.Msg(what)
}

// failureMessage adds the failed operation and its reason from the history, if known.
func failureMessage(what lang.Message, happened []api.Event) lang.Message {
	if len(happened) == 0 {
		return what
	}
	last := happened[len(happened)-1]
	if operation := lifecycle.Of(failedStatus(happened)).Noun; operation != "" {
		what = lang.Msg("%s, the %s", what, lang.Msg(operation))
	}
	if last.Reason != "" {
		what = lang.Msg("%s: %s", what, last.Reason)
	}
	return what
}

// failedStatus returns the status in which the operation failed, the one before the last; 0
// if the history lacks it.
func failedStatus(happened []api.Event) api.Int {
	if len(happened) == 0 || happened[len(happened)-1].PreviousStatus == nil {
		return 0
	}
	return api.StatusID(*happened[len(happened)-1].PreviousStatus)
}

// hasLater reports whether a newer service of the same product than i exists.
func (o *Overview) hasLater(i int) bool {
	return slices.ContainsFunc(o.Subscriber.Services[i+1:], func(s api.Service) bool { return s.ProductID == o.Subscriber.Services[i].ProductID })
}
