package server

import (
	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

type scheduleBody struct {
	batchBody
	Operation *string `json:"operation" required:"yes"`
	At        *string `json:"at" required:"yes"`
}

// schedule schedules an operation for a batch of documents (decisions.md 16).
func (s *Server) schedule(c *requestContext, b scheduleBody) error {
	req, known := requestNamed(*b.Operation)
	due, err := parseTime(*b.At)
	switch {
	case !known:
		return invalidField(api.FieldOperation, "must be activate, suspend, deactivate, overdue or settle")
	case err != nil:
		return invalidField(api.FieldAt, "must be a time such as 2026-12-01T03:00:00Z")
	}
	if err := c.maySchedule(req); err != nil {
		return err
	}
	return c.writeBatch(b.batchBody, req, func(call rules.Call) ([]rules.Result, error) {
		return s.rules.Schedule(c.r.Context(), call, req, *b.Product, b.Documents, due)
	})
}

// maySchedule refuses a token that may not do the operation now.
func (c *requestContext) maySchedule(req domain.Request) error {
	needed := domain.ScopeProvision
	if req == domain.RequestDeactivate {
		needed = domain.ScopeCancel
	}
	if c.route.dryRun || c.Scopes.Include(needed) {
		return nil
	}
	return scopeError(needed)
}

// listSchedules sends the schedules of the provider, or of the subscriber in the query: all, in
// constant memory, or a page of them.
func (s *Server) listSchedules(c *requestContext) error {
	q := domain.ScheduleQuery{Provider: c.Provider}
	if document := c.r.URL.Query().Get(api.ParamDocument); document != "" {
		d, ok := cpf.ParseLoosely(document)
		if !ok {
			return domain.Refuse(domain.SubscriberNotFound)
		}
		sub, err := s.reports.Subscriber(c.r.Context(), c.Provider, d)
		if err != nil {
			return err
		}
		q.Subscriber = sub.ID
	}
	fill := func(into *api.Schedule, s *domain.Schedule) { *into = ScheduleOf(s) }
	return sendLongList(c, "schedules", api.PageSize, fill, func(each func(*domain.Schedule) error) error {
		return s.reports.EachSchedule(c.r.Context(), q, each)
	}, func(offset, limit int) ([]domain.Schedule, int, error) {
		q.Offset, q.Limit = offset, limit
		return s.store.SchedulePage(c.r.Context(), q)
	})
}

// ScheduleOf returns a schedule as the API writes it.
func ScheduleOf(s *domain.Schedule) api.Schedule {
	return api.Schedule{
		ID: s.ID.String(), Operation: api.Operation(s.Request.String()), Document: s.Document, ProductID: api.Int(s.ProductID),
		At: api.At(s.At), State: s.State.String(), ActorName: api.NullableString(s.ActorName), Code: api.NullableString(s.Code),
	}
}

// cancelSchedule cancels a waiting schedule.
func (s *Server) cancelSchedule(c *requestContext) error {
	id, err := domain.ParseScheduleID(c.r.PathValue(api.WildcardID))
	if err != nil {
		id = 0 // no schedule has it
	}
	found, err := s.reports.ScheduleByID(c.r.Context(), c.Provider, id)
	if err != nil {
		return err
	}
	if err := c.maySchedule(found.Request); err != nil {
		return err
	}
	_, err = write(c, func(call rules.Call) (struct{}, error) {
		return struct{}{}, s.rules.CancelSchedule(c.r.Context(), call, found)
	})
	if err != nil {
		return err
	}
	return c.writeSuccess()
}
