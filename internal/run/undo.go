package run

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// UndoPlanner plans how to undo a run, from the report of that run (cli.md, Selecting). It touches
// only services that are as the run left them.
type UndoPlanner struct {
	Client *client.Client
	// Operation is that of a provision run, and empty for others. A previous status that the server
	// did not report is inferred from it.
	Operation api.Operation
	// Created is the period in which an import run created its rows, by this machine's clock; zero for
	// other runs.
	Created Period
	// Until is the scheduled end of a provision run's effect; zero for none.
	Until time.Time
	// StatusAlone reports, after Plan, that the server does not report the operation behind a
	// status.
	StatusAlone bool
}

// undoLine is a line of a report with the current state of the server.
type undoLine struct {
	sheet.ReportLine
	product, previous api.Int
	subscriber        *api.Subscriber // nil for none
	events            []api.Event     // of the subscriber, none if the server reports none
	scheduled         *api.Schedule   // the end that the run scheduled; nil if none is waiting
}

// Plan reads the subscribers of the lines and adds the actions to the plan. It refuses actions
// that a dry run on the server refuses.
func (u *UndoPlanner) Plan(ctx context.Context, lines iter.Seq2[sheet.ReportLine, error], plan *Plan) error {
	hasHistory, err := u.Client.HasExtension(ctx, api.ExtHistory)
	if err != nil {
		return err
	}
	u.StatusAlone = !hasHistory
	var all []*[]Action // of each line
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(readsAtOnce)
	for l, lineErr := range lines {
		if err = lineErr; err != nil {
			break
		}
		if !u.hasEffect(l) {
			continue
		}
		actions := new([]Action)
		all = append(all, actions)
		reads.Go(func() (err error) {
			*actions, err = u.planLine(reading, l)
			return err
		})
	}
	if err := cmp.Or(reads.Wait(), err); err != nil {
		return err
	}
	plan.Subscribers += len(all)
	for _, actions := range all {
		if len(*actions) == 0 {
			plan.Unchanged++
		}
		plan.Actions = append(plan.Actions, *actions...)
	}
	return plan.complete(ctx, u.Client)
}

// hasEffect reports whether the run may have changed something for a line.
func (u *UndoPlanner) hasEffect(l sheet.ReportLine) bool {
	switch l.Result {
	case api.ResultAccepted, api.ResultCreated, sheet.ResultUnknown, sheet.ResultDeleted, api.ScheduleCancelled:
		return true
	case api.ResultSent:
		return u.isImport()
	case api.ResultExisting: // --activate-existing
		return u.isImport() && l.Services != ""
	}
	return false
}

// planLine reads the subscriber of a line and returns the actions for it.
func (u *UndoPlanner) planLine(ctx context.Context, reported sheet.ReportLine) ([]Action, error) {
	product, _ := strconv.Atoi(reported.ProductID) // 0 for none
	previous, _ := strconv.Atoi(reported.PreviousProductID)
	l := &undoLine{ReportLine: reported, product: api.Int(product), previous: api.Int(previous)}
	if err := u.read(ctx, l); err != nil {
		return nil, err
	}
	if u.isImport() {
		return u.planImported(l), nil
	}
	base := Action{Document: l.Document, Line: l.Line, ProductID: l.product, PreviousProductID: l.previous, Status: l.Status}
	return l.planScheduled(u.planService(base, l)), nil
}

// read reads the subscriber of a line and its events if these decide.
func (u *UndoPlanner) read(ctx context.Context, l *undoLine) (err error) {
	refused := !u.isImport() && l.refusal() != ""
	if l.scheduled, err = u.readScheduled(ctx, l); err != nil || refused {
		return err
	}
	if l.subscriber, err = readSubscriber(ctx, u.Client, l.Document); l.subscriber == nil {
		return err
	}
	if u.StatusAlone || !u.isImport() && l.OperationID == "" {
		return nil
	}
	events, err := u.Client.History(ctx, l.Document)
	if client.KindOf(err) == client.KindNotFound { // deleted since it was read
		l.subscriber = nil
		return nil
	}
	l.events = client.Values(events)
	return err
}

// readScheduled returns the end that the run scheduled for a line, nil if none is waiting.
func (u *UndoPlanner) readScheduled(ctx context.Context, l *undoLine) (*api.Schedule, error) {
	if u.Until.IsZero() {
		return nil, nil
	}
	for s, err := range u.Client.Schedules(ctx, l.Document) {
		if err != nil {
			return nil, err
		}
		one := s.Value
		if one.State == api.ScheduleWaiting && one.Operation == lifecycle.EndOf(u.Operation) && one.ProductID == l.product && one.At.String() == api.At(u.Until).String() {
			return &one, nil
		}
	}
	return nil, nil
}

// refusal returns the code of the reason why a line cannot be undone in any state, or "".
func (l *undoLine) refusal() string {
	switch {
	case l.Result == sheet.ResultUnknown:
		return reasonNoAnswer
	case l.Result == sheet.ResultDeleted:
		return reasonDeletionNotUndone
	case l.Result == api.ScheduleCancelled:
		return reasonUnschedulingNotUndone
	case l.Result == api.ResultCreated:
		return reasonRegistrationNotUndone
	case l.product == 0 && l.Services == "": // no service was touched
		return reasonUpdateNotUndone
	case lifecycle.Done(api.StatusID(l.Status), api.Deactivate):
		return reasonCancellationNotUndone
	}
	return ""
}

// planService returns the actions for a line, none if everything is unchanged since before the run.
func (u *UndoPlanner) planService(base Action, l *undoLine) []Action {
	refuse := func(reason string) []Action {
		base.refuseBecause(reason)
		return []Action{base}
	}
	if reason := l.refusal(); reason != "" {
		return refuse(reason)
	}
	service, found := l.newest(l.product)
	desired := u.statusBefore(l)
	if !found {
		if _, back := l.newest(l.previous); back && l.previous != 0 {
			return nil
		}
		return refuse(reasonServiceGone)
	}
	base.Status = service.Status
	switch {
	case desired == "":
		return refuse(reasonActivationNotUndone)
	case l.previous == 0 && statusOf(service.Status) == desired:
		return nil
	case !l.isLeftAs(service.Status):
		return refuse(reasonChangedSinceRun)
	case l.previous != 0 && lifecycle.Next(service.StatusID, api.Change) != 0:
		base.Kind, base.ProductID, base.PreviousProductID = ActionChange, l.previous, l.product
		return []Action{base}
	case l.previous != 0:
		base.AskedStatus = statusActive
		return refuse(reasonStatusNotReachable)
	case desired == statusSuspend && statusOf(service.Status) == statusOverdue:
		desired = statusActive // the service was suspended before it became overdue
	}
	return planStatus(base, service, desired)
}

// planScheduled adds the cancellation of the end that the run scheduled. If the service is not
// undone, its end stays and is listed.
func (l *undoLine) planScheduled(actions []Action) []Action {
	if l.scheduled == nil {
		return actions
	}
	a := Action{Kind: ActionUnschedule, Document: l.Document, Line: l.Line, ProductID: l.product, ScheduleID: l.scheduled.ID}
	switch {
	case len(actions) == 0: // the service is as it was before the run
	case actions[0].Changes():
		a.Awaits = []api.Int{l.product}
	default:
		a.refuseBecause(reasonScheduledEndStays)
	}
	return append(actions, a)
}

// newest returns the newest service of a product.
func (l *undoLine) newest(product api.Int) (api.Service, bool) {
	if l.subscriber == nil {
		return api.Service{}, false
	}
	return api.NewestService(l.subscriber.Services, product)
}

// operations returns the operations that changed the status of a product's services since a time,
// oldest first, if the server reports them.
func (l *undoLine) operations(product api.Int, since time.Time) (ids []string) {
	for _, e := range l.events {
		if e.StatusChange != nil && e.ProductID == product && e.OperationID != "" && !e.OccurredAt.Before(since) {
			ids = append(ids, e.OperationID)
		}
	}
	return slices.Compact(ids)
}

// statusBefore returns the status to restore, one that a file can request; empty if there was
// none.
func (u *UndoPlanner) statusBefore(l *undoLine) string {
	if l.PreviousStatus == "" && (u.Operation == api.Suspend || u.Operation == api.Overdue) {
		return statusActive
	}
	return statusOf(l.PreviousStatus)
}

// statusOf returns the status by which a file requests this state; empty if no file can.
func statusOf(status string) string {
	return api.StatusName(lifecycle.Of(api.StatusID(status)).Asked)
}

// isLeftAs reports whether the service is as the run left it: in that status, or in the next one
// of the same operation.
func (l *undoLine) isLeftAs(now string) bool {
	if latest := l.operations(l.product, time.Time{}); len(latest) > 0 && l.OperationID != "" && latest[len(latest)-1] != l.OperationID {
		return false
	}
	if l.Status == "" || now == l.Status {
		return true
	}
	left := api.StatusID(l.Status)
	confirmed := lifecycle.Of(left).Confirmed
	return confirmed != 0 && confirmed == lifecycle.Of(left).Asked && now == api.StatusName(confirmed) // a cancellation is not undone
}
