package client

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"ativa/internal/api"
)

// EventPage is a part of the event feed.
type EventPage struct {
	Events []Item[api.Event]
	Next   string // the cursor of the next part
}

// History returns the events of a subscriber, oldest first. It needs the
// extension ExtHistory.
func (c *Client) History(ctx context.Context, document string) ([]Item[api.Event], error) {
	return getList[api.Event](ctx, c, callTo(http.MethodGet, api.PathHistory, api.HistoryPath(document)), "history")
}

// Events returns the part of the feed after a cursor, or from the beginning if
// it is empty. The server may delay the response by wait, in whole seconds, until
// there is an event. It needs the extension ExtEvents.
func (c *Client) Events(ctx context.Context, after string, limit int, wait time.Duration) (EventPage, error) {
	cl := get(api.PathEvents)
	if after != "" {
		cl.query.Set(api.ParamAfter, after)
	}
	if limit > 0 {
		cl.query.Set(api.ParamLimit, strconv.Itoa(limit))
	}
	if seconds := int(wait / time.Second); seconds > 0 {
		cl.query.Set(api.ParamWait, strconv.Itoa(seconds))
	}
	a, err := c.do(ctx, cl)
	if err != nil {
		return EventPage{}, err
	}
	events, err := decodeList[api.Event](cl, "events", a)
	if err != nil {
		return EventPage{}, err
	}
	var next struct {
		Cursor string `json:"next_cursor"`
	}
	if err := decode(cl, a, &next); err != nil {
		return EventPage{}, err
	}
	if next.Cursor == "" && len(events) > 0 {
		return EventPage{}, &UnexpectedResponseError{Route: cl.name(), Err: constError("no next_cursor")}
	}
	return EventPage{Events: events, Next: next.Cursor}, nil
}

// followPause is the pause after a response without events that came before the end of the wait.
const followPause = 500 * time.Millisecond

// FollowEvents is [Client.Events] for a caller that asks for one part after the other. A server may
// ignore wait: then FollowEvents pauses after a response without events. Without a cursor of the
// server the next part begins where this one did.
func (c *Client) FollowEvents(ctx context.Context, after string, limit int, wait time.Duration) (EventPage, error) {
	began := time.Now()
	page, err := c.Events(ctx, after, limit, wait)
	page.Next = cmp.Or(page.Next, after)
	if err == nil && len(page.Events) == 0 && time.Since(began) < max(wait, followPause) && !Sleep(ctx, followPause) {
		return page, ctx.Err()
	}
	return page, err
}

// Deliveries returns the outcomes of the e-mails, callbacks and partner requests of a subscriber,
// newest first. It needs the extension ExtDeliveries.
func (c *Client) Deliveries(ctx context.Context, document string) ([]Item[api.Delivery], error) {
	return getList[api.Delivery](ctx, c, callTo(http.MethodGet, api.PathDeliveries, api.DeliveriesPath(document)), "deliveries")
}
