package server

import (
	"context"
	"net/http"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

func (s *Server) history(c *requestContext) error {
	events, err := s.reports.History(c.r.Context(), c.Provider, c.document)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.HistoryResponse{History: EventsOf(events), Response: api.ResponseSuccess})
}

// events sends the events after a cursor (decisions.md 10). With `wait` it waits for the next
// event if there are none.
func (s *Server) events(c *requestContext) error {
	q := c.r.URL.Query()
	after, err := s.readCursor(c, q.Get(api.ParamAfter))
	if err != nil {
		return err
	}
	limit := min(positive(q.Get(api.ParamLimit), api.MaxEvents), api.MaxEvents)
	wait := min(positive(q.Get(api.ParamWait), 0), api.MaxWaitSeconds)
	events, next, err := s.waitForEvents(c.r.Context(), c.Provider, after, limit, time.Duration(wait)*time.Second)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.EventsResponse{
		Events: EventsOf(events), NextCursor: next.String(), Response: api.ResponseSuccess,
	})
}

// readCursor parses the parameter after: a cursor, "latest" for the current end of the feed, or ""
// for its beginning.
func (s *Server) readCursor(c *requestContext, after string) (domain.EventID, error) {
	if after == api.AfterLatest {
		return s.store.LastEvent(c.r.Context(), c.Provider)
	}
	id, err := domain.ParseEventID(after)
	if err != nil {
		return 0, domain.ForeignCursor()
	}
	return id, nil
}

// pollInterval is how often a waiting request reads the feed. Events written by other servers are
// visible only in the database.
const pollInterval = 500 * time.Millisecond

// waitForEvents returns the events after a cursor and the next cursor. If there are none, it waits
// for at most wait.
func (s *Server) waitForEvents(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int, wait time.Duration) ([]domain.Event, domain.EventID, error) {
	events, next, err := s.reports.Events(ctx, p, after, limit)
	if err != nil || len(events) > 0 || wait == 0 {
		return events, next, err
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for over := false; !over; {
		select {
		case <-poll.C:
		case <-timeout.C:
			over = true // after a final check
		case <-s.stopping:
			return nil, next, nil
		case <-ctx.Done():
			return nil, next, ctx.Err()
		}
		newest, err := s.store.LastEvent(ctx, p)
		if err != nil {
			return nil, next, err
		}
		if newest > next {
			return s.reports.Events(ctx, p, next, limit)
		}
	}
	return nil, next, nil
}

// EncodeEvents returns events as a JSON array, in the format of the feed.
func EncodeEvents(events []domain.Event) ([]byte, error) {
	return api.Marshal(EventsOf(events))
}

// EventsOf returns events as the API writes them.
func EventsOf(events []domain.Event) []api.Event {
	out := make([]api.Event, len(events))
	for i := range events {
		e := &events[i]
		out[i] = api.Event{
			ID: e.ID.String(), Type: e.Type.String(), OccurredAt: api.At(e.At),
			SubscriberID: e.Subscriber.String(), Document: api.NullableString(e.Document),
			Trigger: e.Trigger, Actor: string(e.Actor), ActorName: api.NullableString(e.ActorName), Reason: e.Reason,
		}
		if e.Operation != 0 {
			out[i].OperationID = e.Operation.String()
		}
		if e.Service != 0 {
			replaced := api.NullableInt(e.PreviousProductID)
			out[i].ProductID, out[i].PreviousProductID = api.Int(e.ProductID), &replaced
		}
		if e.AboutToken != 0 {
			out[i].TokenChange = &api.TokenChange{TokenName: e.TokenName, Scopes: wireScopes(e.TokenScopes)}
		}
		if e.Type == domain.StatusChanged {
			out[i].StatusChange = &api.StatusChange{
				PreviousStatus: statusName(e.Previous), Status: e.Status.String(), StatusID: api.Int(e.Status),
			}
		}
	}
	return out
}
