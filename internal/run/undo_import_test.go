package run_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// undoImport plans the undo of an import's lines, which ran in the last hour.
func undoImport(t *testing.T, server *client.Client, lines ...sheet.ReportLine) *run.Plan {
	t.Helper()
	now := time.Now()
	u := &run.UndoPlanner{Client: server, Created: run.Period{From: now.Add(-time.Hour), To: now.Add(time.Minute)}}
	p := &run.Plan{ID: "undo"}
	must(t, u.Plan(t.Context(), seq(lines), p))
	return p
}

// Only what an import created and nobody has changed since is cancelled and deleted.
func TestALineOfAnImportIsUndone(t *testing.T) {
	at := api.At(time.Now().Add(-time.Minute))
	before, later := api.At(at.Add(-48*time.Hour)), api.At(at.Add(48*time.Hour))
	service := func(product, id api.Int, status string) api.Service {
		return api.Service{ProductID: product, StatusID: id, Status: status, TokenCreatedAt: at, StatusUpdatedAt: at}
	}
	changed := func(s api.Service, change func(*api.Service)) api.Service {
		change(&s)
		return s
	}
	inProgress := service(1, api.StatusInProgress, "inProgress")
	for _, c := range []struct {
		name, result, reported string
		created                api.Time
		now                    []api.Service
		want                   string // the actions: kind, product and reason
	}{
		{"waits for the click", "created", "1 inProgress", at, []api.Service{inProgress}, "deactivate 1, delete 0"},
		{"two services", "created", "1 inProgress, 2 limitReached", at, []api.Service{inProgress, service(2, api.StatusLimitReached, "limitReached")}, "deactivate 1, deactivate 2, delete 0"},
		{"got its place in the queue", "created", "1 limitReached", at, []api.Service{inProgress}, "deactivate 1, delete 0"},
		{"registered only", "created", "", at, nil, "delete 0"},
		{"the subscriber has confirmed it", "created", "1 inProgress", at, []api.Service{service(1, api.StatusActive, "active")}, "refused 1 it has changed since the run"},
		{"one of two is confirmed", "created", "1 inProgress, 2 inProgress", at, []api.Service{inProgress, service(2, api.StatusActive, "active")}, "deactivate 1, refused 2 it has changed since the run"},
		{"failed, of whatever", "created", "1 inProgress", at, []api.Service{service(1, api.StatusError, "error")}, "refused 1 it has changed since the run"},
		{"is being cancelled", "created", "1 inProgress", at, []api.Service{service(1, api.StatusWaitingCancellation, "waitingCancellation")}, "delete 0"},
		{"is cancelled", "created", "1 inProgress", at, []api.Service{service(1, api.StatusCanceled, "canceled")}, "delete 0"},
		{"has another service", "created", "1 inProgress", at, []api.Service{inProgress, service(7, api.StatusActive, "active")}, "deactivate 1, refused 0 it has a service that the run did not create"},
		{"has a newer service", "created", "1 inProgress", at,
			[]api.Service{service(1, api.StatusCanceled, "canceled"), changed(inProgress, func(s *api.Service) { s.TokenCreatedAt = later })}, "refused 0 it has a service that the run did not create"},
		{"registered again", "created", "1 inProgress", later, []api.Service{inProgress}, "refused 0 it was registered again since the run"},
		{"a server whose times mean nothing", "sent", "1", before, []api.Service{changed(inProgress, func(s *api.Service) { s.TokenCreatedAt = before })}, "deactivate 1, delete 0"},
		{"a server that does not say", "sent", "1", at, []api.Service{inProgress}, "deactivate 1, delete 0"},
		{"a server without times", "sent", "1", api.Time{}, []api.Service{{ProductID: 1, StatusID: api.StatusInProgress, Status: "inProgress"}}, "deactivate 1, delete 0"},
		{"a status of the server's own", "sent", "1", at, []api.Service{service(1, 2, "checkout")}, "deactivate 1, delete 0"},
		{"the same, since", "sent", "1", at, []api.Service{changed(service(1, 2, "paused"), func(s *api.Service) { s.StatusUpdatedAt = later })}, "refused 1 it has changed since the run"},
		{"active at once", "created", "1 active", at, []api.Service{service(1, api.StatusActive, "active")}, "deactivate 1, delete 0"},
		{"existed, and was activated", "existing", "1 inProgress", before, []api.Service{inProgress}, "deactivate 1"},
		{"existed, with the service", "existing", "1 inProgress", before, []api.Service{changed(inProgress, func(s *api.Service) { s.TokenCreatedAt = before })}, ""},
		{"existed, with the service of an import just before", "existing", "1 inProgress → inProgress", before, []api.Service{inProgress}, ""},
		{"existed, with the failed service of an import just before", "existing", "1 error → inProgress", before, []api.Service{inProgress}, ""},
		{"existed, with a cancelled service", "existing", "1 canceled → inProgress", before, []api.Service{inProgress}, "deactivate 1"},
		{"registered, and activated again at once", "created", "1 error → active", at, []api.Service{service(1, api.StatusActive, "active")}, "deactivate 1, delete 0"},
		{"existed", "existing", "", before, []api.Service{inProgress}, ""},
		{"without an answer", "unknown", "", at, nil, "refused 0 no answer came in the run"},
		{"refused", "failed", "", at, nil, ""},
	} {
		f, server := newFixture(t, allExtensions)
		s := f.Add(numbered(1))
		s.CreatedAt, s.Services = c.created, c.now
		p := undoImport(t, server, sheet.ReportLine{Line: 2, Document: numbered(1), Result: c.result, Services: c.reported})
		var got []string
		for _, a := range p.Actions {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d %s", a.Kind, a.ProductID, a.Reason)))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	_, server := newFixture(t, allExtensions)
	if p := undoImport(t, server, sheet.ReportLine{Line: 2, Document: numbered(1), Result: "created", Services: "1 inProgress"}); len(p.Actions) > 0 || p.Unchanged != 1 {
		t.Errorf("of a subscriber who is gone: got %+v, want nothing planned", p.Actions)
	}
}

// The last request of a killed undo may delete a subscriber between two requests of the undo that
// resumes it: the subscriber is gone then.
// The id of a run that was forgotten is used again: an undo of that one does not end the new one's period.
func TestAnUndoOfAForgottenRunEndsNoPeriod(t *testing.T) {
	at := time.Now()
	undo := func(after time.Duration) (u run.Info) {
		u.Kind, u.Options, u.Started = "undo", "F-1", at.Add(after)
		return u
	}
	i := run.Info{Updated: at.Add(time.Minute)}
	i.ID, i.Started = "F-1", at
	if got := i.Created([]run.Info{undo(-time.Hour), undo(2 * time.Second)}); !got.To.Equal(at.Add(2 * time.Second)) {
		t.Errorf("got the end %s after the start", got.To.Sub(at))
	}
}

func TestASubscriberWhoIsDeletedMeanwhileIsGone(t *testing.T) {
	f, server := newFixture(t, allExtensions+", "+api.ExtHistory)
	line := sheet.ReportLine{Line: 2, Document: numbered(1), Result: "created"}
	gone := func(w http.ResponseWriter) bool {
		delete(f.Subscribers, numbered(1))
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		return true
	}
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		return r.Path == api.HistoryPath(numbered(1)) && gone(w)
	}
	f.Add(numbered(1))
	if p := undoImport(t, server, line); len(p.Actions) > 0 || p.Unchanged != 1 {
		t.Errorf("while it is planned: got %+v, want nothing planned", p.Actions)
	}
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if r.Path == api.HistoryPath(numbered(1)) {
			_, _ = io.WriteString(w, `{"history":[]}`)
			return true
		}
		return r.Method == http.MethodDelete && gone(w)
	}
	f.Add(numbered(1))
	p := undoImport(t, server, line)
	err := p.Apply(t.Context(), server, nil, run.Options{}, func(*run.Action, run.RowResult) error { return nil })
	if err != nil || len(p.Actions) != 1 || p.Actions[0].Result != sheet.ResultDeleted {
		t.Errorf("while it is deleted: got %+v, %v, want it deleted", p.Actions, err)
	}
}

// Subscribers are deleted when the partner has confirmed the cancellations: the plan is resumed until
// then. One with a service that was activated after the plan was made stays.
func TestADeletionWaitsForThePartner(t *testing.T) {
	f, server := newFixture(t, "")
	addPeople(f, 3)
	f.Subscribers[numbered(3)].Services = append(f.Subscribers[numbered(3)].Services, f.Service(9, "active"))
	dir := t.TempDir()
	for _, c := range []struct {
		confirmed string // the document whose cancellation the partner confirms before
		want      string
	}{
		{"", "deactivate accepted, deactivate accepted, deactivate accepted, delete waiting, delete waiting, delete failed"},
		{numbered(1), "deactivate accepted, deactivate accepted, deactivate accepted, delete deleted, delete waiting, delete failed"},
		{numbered(2), "deactivate accepted, deactivate accepted, deactivate accepted, delete deleted, delete deleted, delete failed"},
	} {
		if c.confirmed != "" {
			f.Subscribers[c.confirmed].Services[0] = f.Service(1, "canceled")
		}
		p := &run.Plan{ID: "undo"}
		for _, d := range documents(3) {
			p.Actions = append(p.Actions, run.Action{Kind: run.ActionDeactivate, Document: d, ProductID: 1, Operation: api.Deactivate},
				run.Action{Kind: run.ActionDelete, Document: d, Awaits: []api.Int{1}})
		}
		j := open(t, dir)
		var got []string
		err := p.Apply(t.Context(), server, j, run.Options{}, func(a *run.Action, _ run.RowResult) error {
			got = append(got, a.Kind+" "+a.Result)
			return nil
		})
		must(t, j.Close())
		if waiting := strings.Contains(c.want, "waiting"); isFailure(err, "pending") != waiting || strings.Join(got, ", ") != c.want {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}
