package support

import (
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// deliveriesOf returns the deliveries of service i, newest first.
func (o *Overview) deliveriesOf(i int) []api.Delivery {
	return slices.DeleteFunc(slices.Clone(o.Sent), func(d api.Delivery) bool { return !o.belongs(i, d.ProductID, d.RequestedAt) })
}

// lastMail returns when the newest e-mail was sent; zero if none was.
func lastMail(all []api.Delivery) api.Time {
	for _, d := range all {
		if d.Kind == api.DeliveryEmail && d.State == api.DeliverySent {
			return d.LastAttemptAt
		}
	}
	return api.Time{}
}

// newestDeliveries returns the newest delivery of each kind.
func newestDeliveries(all []api.Delivery) []api.Delivery {
	newest := []api.Delivery{}
	for _, d := range all {
		if !slices.ContainsFunc(newest, func(n api.Delivery) bool { return n.Kind == d.Kind }) {
			newest = append(newest, d)
		}
	}
	return newest
}

// EventDeliveries describes the outcomes of the deliveries that each event caused, by event id. A
// delivery belongs to the last event of its product before its request.
func EventDeliveries(events []api.Event, sent []api.Delivery, now time.Time) map[string][]lang.Message {
	messages := map[string][]lang.Message{}
	for _, d := range slices.Backward(sent) { // oldest first
		id := ""
		for _, event := range events {
			if event.ProductID == d.ProductID && !event.OccurredAt.After(d.RequestedAt.Time) {
				id = event.ID
			}
		}
		messages[id] = append(messages[id], DeliveryMessage(d, now))
	}
	return messages
}

// DeliveryMessage describes the outcome of a delivery in one line. Times are in the zone
// of now.
func DeliveryMessage(d api.Delivery, now time.Time) lang.Message {
	kind := lang.Msg("%s", d.Kind)
	switch d.Kind {
	case api.DeliveryEmail:
		kind = lang.Msg("e-mail")
	case api.DeliveryCallback:
		kind = lang.Msg("callback")
	case api.DeliveryPartner:
		kind = lang.Msg("request to the partner")
	}
	return lang.Msg("%s: %s", kind, stateMessage(d, now))
}

func stateMessage(d api.Delivery, now time.Time) lang.Message {
	reason := lang.Cause(strings.TrimPrefix(string(d.Error), d.Kind+": ")) // the message begins with the kind
	switch d.State {
	case api.DeliverySent:
		sent := lang.Msg("sent")
		if !d.LastAttemptAt.IsZero() {
			sent = lang.Msg("sent %s", clock(d.LastAttemptAt, now))
		}
		if !d.OpenedAt.IsZero() {
			return lang.Msg("%s, link opened %s", sent, clock(d.OpenedAt, now))
		}
		return sent
	case api.DeliveryWaiting:
		waits := lang.Msg("waits since %s", clock(d.RequestedAt, now))
		if d.Attempts > 0 {
			waits = lang.Msg("%s, %d [attempt|attempts]", waits, int(d.Attempts))
		}
		if reason != "" {
			waits = lang.Msg("%s, %s", waits, reason)
		}
		if !d.NextAttemptAt.IsZero() {
			waits = lang.Msg("%s, next attempt %s", waits, clock(d.NextAttemptAt, now))
		}
		return waits
	case api.DeliveryFailed:
		failed := lang.Msg("given up after %d [attempt|attempts]", int(d.Attempts))
		if reason != "" {
			return lang.Msg("%s: %s", failed, reason)
		}
		return failed
	case api.DeliverySuperseded:
		return lang.Msg("not sent: a newer one replaced it, or the service ended")
	}
	return lang.Msg("%s", d.State)
}

// clockTime is a time as an argument of a message: for people in its zone. A zero now stands for
// no day.
type clockTime struct{ at, now time.Time }

func clock(t api.Time, now time.Time) clockTime { return clockTime{t.In(now.Location()), now} }

// Text returns only the hour of today's times, and the date of others. Machine output has the
// API's times.
func (c clockTime) Text(l lang.Language) string {
	if l == lang.Codes {
		return api.At(c.at).String()
	}
	if c.at.Format(time.DateOnly) == c.now.Format(time.DateOnly) {
		return c.at.Format("15:04")
	}
	return c.at.Format("2006-01-02 15:04")
}
