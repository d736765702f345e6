package rules

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// MaxScheduleTime is how far ahead an operation may be scheduled.
const MaxScheduleTime = 366 * 24 * time.Hour

const reasonScheduled = "scheduled"

// Schedule schedules a request for one product to the subscribers with the documents and
// returns a result for each, as [Engine.Provision] does. Each must have a live service of
// the product. Whether its status allows the request is decided when it is due.
func (e *Engine) Schedule(ctx context.Context, call Call, req domain.Request, productID int, documents []string, at time.Time) ([]Result, error) {
	return e.runBatch(ctx, call, &batch{req: req, productID: productID, documents: documents, at: at})
}

// checkTime refuses a time that is not in the future, or too far in it.
func (b *batch) checkTime() error {
	switch {
	case b.at.IsZero():
		return nil
	case !b.at.After(b.now):
		return domain.Invalid("at", "must be in the future")
	case b.at.After(b.now.Add(MaxScheduleTime)):
		return domain.Invalid("at", "at most 366 days from now")
	}
	return nil
}

// loadWaiting reads the schedules that the request may replace or cancel.
func (b *batch) loadWaiting(ctx context.Context) error {
	if b.at.IsZero() && b.req != domain.RequestSettle && b.req != domain.RequestDeactivate {
		return nil
	}
	var services []domain.ServiceID
	for _, all := range b.services {
		if s := findService(all, b.product.ID); s != nil {
			services = append(services, s.ID)
		}
	}
	return b.loadSchedules(ctx, services)
}

// loadSchedules reads the schedules that wait for the services, once per unit of work.
func (u *unitOfWork) loadSchedules(ctx context.Context, services []domain.ServiceID) error {
	if u.provider.Schedules == 0 {
		return nil
	}
	var unread []domain.ServiceID
	for _, id := range services {
		if _, read := u.waiting[id]; !read {
			unread, u.waiting[id] = append(unread, id), nil
		}
	}
	all, err := u.tx.WaitingSchedules(ctx, unread)
	for i := range all {
		u.waiting[all[i].Service] = append(u.waiting[all[i].Service], &all[i])
	}
	return err
}

// schedule schedules the request for one service, which may be nil.
func (b *batch) schedule(s *domain.Service) Result {
	if s == nil || s.Status.Ended() {
		return failed(domain.Refuse(domain.ServiceNotFound), domain.NoService)
	}
	r := Result{Kind: ResultAccepted, Status: s.Status, Previous: s.Status}
	for _, w := range slices.Clone(b.waiting[s.ID]) {
		if w.Request == b.req {
			b.conclude(w, domain.ScheduleCancelled)
			r.Replaced = true
		}
	}
	w := &domain.Schedule{
		ID: b.provider.NextSchedule(), Service: s.ID, ProductID: b.product.ID, Request: b.req, At: b.at,
		State: domain.ScheduleWaiting, Token: b.call.Token, CreatedAt: b.now,
	}
	b.waiting[s.ID] = append(b.waiting[s.ID], w)
	b.changes.NewSchedules = append(b.changes.NewSchedules, w)
	if !b.call.DryRun {
		r.Schedule = w.ID
	}
	return r
}

// cancelOverruled cancels schedules that the request makes pointless: overdue after a settlement, all
// after a cancellation.
func (u *unitOfWork) cancelOverruled(s *domain.Service, req domain.Request) {
	for _, w := range slices.Clone(u.waiting[s.ID]) {
		if req == domain.RequestDeactivate || req == domain.RequestSettle && w.Request == domain.RequestOverdue {
			u.conclude(w, domain.ScheduleCancelled)
		}
	}
}

// conclude ends a schedule that waits.
func (u *unitOfWork) conclude(w *domain.Schedule, state domain.ScheduleState) {
	w.State, w.EndedAt, u.touched = state, u.now, true
	u.waiting[w.Service] = slices.DeleteFunc(u.waiting[w.Service], func(other *domain.Schedule) bool { return other == w })
	if !slices.Contains(u.changes.NewSchedules, w) { // else it is inserted as it is now
		u.changes.Schedules = append(u.changes.Schedules, w)
	}
}

// PerformSchedules performs the operations that are due. Each is performed and concluded in one
// transaction, so any number of servers perform it once. A provider that fails does not stop the
// others.
func (e *Engine) PerformSchedules(ctx context.Context) error {
	list := func(except []domain.ProviderID) ([]domain.Schedule, error) {
		return e.store.DueSchedules(ctx, e.Now(), maxDue, except)
	}
	return performDue(ctx, e, list, func(w domain.Schedule) domain.ProviderID { return w.ID.Provider() }, (*unitOfWork).performSchedules)
}

// performSchedules performs the schedules that still wait.
func (u *unitOfWork) performSchedules(ctx context.Context, due []domain.Schedule) error {
	ids := make([]domain.ServiceID, len(due))
	for i, d := range due {
		ids[i] = d.Service
	}
	if err := u.loadOffers(ctx); err != nil {
		return err
	}
	services, err := u.tx.ServicesByID(ctx, ids)
	if err != nil {
		return err
	}
	if err := u.loadSchedules(ctx, ids); err != nil {
		return err
	}
	for _, d := range due {
		if w := u.waitingSchedule(d); w != nil { // else it was performed or cancelled meanwhile
			u.performSchedule(w, u.track(services[d.Service]))
		}
	}
	return nil
}

// waitingSchedule returns the unit of work's copy of a schedule, or nil if it no longer waits.
func (u *unitOfWork) waitingSchedule(s domain.Schedule) *domain.Schedule {
	for _, w := range u.waiting[s.Service] {
		if w.ID == s.ID {
			return w
		}
	}
	return nil
}

// performSchedule applies the request to the service, which may have changed its product since.
func (u *unitOfWork) performSchedule(w *domain.Schedule, s *domain.Service) {
	c := cause{trigger: w.Request.String(), actor: domain.ActorSystem, token: w.Token, reason: reasonScheduled}
	u.conclude(w, domain.ScheduleDone) // first, so that reschedule ignores it
	if _, refused := u.requestedProduct(w.Request, s.ProductID); refused != nil {
		w.Code = refused.Code
	} else {
		w.Code = u.request(s, w.Request, c).Code
	}
	if w.Code == "" {
		return
	}
	w.State, c.reason = domain.ScheduleRefused, string(w.Code)
	e := u.recordEvent(domain.ScheduleRefusal, w.Service.Subscriber(), c)
	e.Service, e.ProductID = w.Service, s.ProductID
}

// reschedule cancels the schedules of services that have ended, and updates the product of the
// schedules of services that have changed it.
func (u *unitOfWork) reschedule(ctx context.Context) error {
	if err := u.loadSchedules(ctx, u.rescheduled); err != nil {
		return err
	}
	for _, id := range u.rescheduled {
		s := u.tracked[id]
		for _, w := range slices.Clone(u.waiting[id]) {
			if s.Status.Ended() {
				u.conclude(w, domain.ScheduleCancelled)
			} else if w.ProductID != s.ProductID {
				w.ProductID = s.ProductID
				u.changes.Schedules = append(u.changes.Schedules, w)
			}
		}
	}
	u.rescheduled = nil
	return nil
}

// CancelDueSchedules cancels the schedules that are due, and returns them. In a restored database
// some may have been performed or cancelled after the backup.
func (e *Engine) CancelDueSchedules(ctx context.Context) (cancelled []domain.Schedule, err error) {
	now := e.Now()
	for {
		due, err := e.store.DueSchedules(ctx, now, maxDue, nil)
		if err != nil || len(due) == 0 {
			return cancelled, err
		}
		for _, w := range due {
			err := e.CancelSchedule(ctx, Call{Provider: w.ID.Provider(), Actor: domain.ActorOperator}, w)
			if err == nil {
				cancelled = append(cancelled, w)
			} else if !domain.IsCode(err, domain.ScheduleEnded) {
				return cancelled, err
			}
		}
	}
}

// CancelSchedule cancels a schedule that waits, or refuses with ScheduleEnded.
func (e *Engine) CancelSchedule(ctx context.Context, call Call, s domain.Schedule) error {
	_, err := once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (none struct{}, err error) {
		u.onlySubscriber = s.Service.Subscriber()
		if err := u.loadSchedules(ctx, []domain.ServiceID{s.Service}); err != nil {
			return none, err
		}
		w := u.waitingSchedule(s)
		if w == nil {
			return none, domain.Refuse(domain.ScheduleEnded)
		}
		u.conclude(w, domain.ScheduleCancelled)
		return none, nil
	})
	return err
}
