package run

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// Period is a span of time, ends included.
type Period struct{ From, To time.Time }

// Created returns the period in which an import run created its rows. It ends with the last write to
// the journal, or with the start of the undo among all runs. A document registered later is not the
// run's.
func (i Info) Created(all []Info) Period {
	p := Period{i.Started, i.Updated.Add(maxClockDrift)}
	for _, other := range all {
		if other.Kind == "undo" && other.Options == i.ID && other.Started.After(i.Started) && other.Started.Before(p.To) { // the id of a forgotten run is used again
			p.To = other.Started
		}
	}
	return p
}

func (u *UndoPlanner) isImport() bool { return !u.Created.To.IsZero() }

// isAfter reports whether a time of the server is after the run. An unknown time is not.
func (u *UndoPlanner) isAfter(t api.Time) bool {
	return !t.IsZero() && t.Add(-u.Client.ClockOffset()).After(u.Created.To)
}

// isDuring reports whether a time of the server is known to be within the run.
func (u *UndoPlanner) isDuring(t api.Time) bool {
	return !t.IsZero() && !isBefore(u.Client, t, u.Created.From) && !u.isAfter(t)
}

// planImported returns the actions that undo a line of an import: services that the run created
// and that are unchanged are cancelled; a subscriber that it created is deleted if no
// service remains.
func (u *UndoPlanner) planImported(l *undoLine) []Action {
	base := Action{Document: l.Document, Line: l.Line}
	refused := func(a Action, reason string) Action {
		a.refuseBecause(reason)
		return a
	}
	registered := l.Result != api.ResultExisting
	switch {
	case l.Result == sheet.ResultUnknown:
		return []Action{refused(base, reasonNoAnswer)}
	case l.subscriber == nil:
		return nil
	case registered && u.isAfter(l.subscriber.CreatedAt):
		return []Action{refused(base, reasonRegisteredSinceRun)}
	}
	var actions []Action
	var ends []api.Int
	keeps := "" // why the subscriber keeps a service
	reported := begunServices(l.Services, registered)
	for _, s := range l.subscriber.Services {
		status, listed := reported[s.ProductID]
		created := registered && !u.isAfter(s.TokenCreatedAt) || u.isDuring(s.TokenCreatedAt)
		one := base
		one.ProductID, one.Status = s.ProductID, s.Status
		switch {
		case !isLive(s):
		case !listed || !created:
			keeps = reasonHasOtherService
		case lifecycle.Done(s.StatusID, api.Deactivate):
			ends = append(ends, s.ProductID)
		case !l.isAsImported(s, status):
			keeps = reasonChangedSinceRun
			actions = append(actions, refused(one, reasonChangedSinceRun))
		default:
			one.Kind, one.Operation = ActionDeactivate, api.Deactivate
			actions, ends = append(actions, one), append(ends, s.ProductID)
		}
	}
	edited := slices.ContainsFunc(l.events, func(e api.Event) bool { return e.Type == api.EventSubscriberUpdated })
	switch {
	case !registered || keeps == reasonChangedSinceRun: // the service says why
	case keeps != "":
		actions = append(actions, refused(base, keeps))
	case edited:
		actions = append(actions, refused(base, reasonFieldsChangedSinceRun))
	default:
		base.Kind, base.Awaits = ActionDelete, ends
		actions = append(actions, base)
	}
	return actions
}

// isAsImported reports whether a service is unchanged since the import, which left it in the
// status left; left is empty if the server did not report it.
func (l *undoLine) isAsImported(s api.Service, left string) bool {
	switch lifecycle.Of(s.StatusID).WaitsFor {
	case lifecycle.WaitsForQueue:
		return true
	case lifecycle.WaitsForYou: // the activation failed, if nothing else was tried
		return len(l.operations(s.ProductID, s.TokenCreatedAt.Time)) == 1
	}
	return lifecycle.AwaitsClick(s) || left != "" && s.Status == left
}

// begunServices parses the services of a report's line, "25 inProgress, 30 canceled → active, 31":
// the status by product as the run left it, empty if not reported. Of a subscriber who existed
// before, it leaves out services that were live already.
func begunServices(text string, registered bool) map[api.Int]string {
	all := map[api.Int]string{}
	for one := range strings.SplitSeq(text, ", ") {
		id, status, _ := strings.Cut(one, " ")
		if before, after, existed := strings.Cut(status, " →"); existed {
			if !registered && !lifecycle.Ended(api.StatusID(before)) {
				continue
			}
			status = strings.TrimSpace(after)
		}
		if product, err := strconv.Atoi(id); err == nil {
			all[api.Int(product)] = status
		}
	}
	return all
}
