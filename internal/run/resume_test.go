package run_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/run"
)

// task is a run over the documents 1 to 6.
type task struct {
	begin func(f *apitest.Server) // sets what the server has before
	batch int                     // rows of a request
	steps bool                    // a row takes several requests
	send  func(ctx context.Context, c *client.Client, j *run.Journal, o run.Options, each func(run.RowResult) error) error
}

// sending returns how to send rows. Each asks for the product 7, with a name of its own.
func sending(job func(c *client.Client) run.Job) func(context.Context, *client.Client, *run.Journal, run.Options, func(run.RowResult) error) error {
	return func(ctx context.Context, c *client.Client, j *run.Journal, o run.Options, each func(run.RowResult) error) error {
		rows := file(documents(6)...)
		for _, row := range rows {
			row.Name, row.ProductsIDs = "Novo "+row.Document, []api.Int{7}
		}
		return run.Run(ctx, job(c), seq(rows), j, o, each)
	}
}

// registered adds the first n subscribers, the last one first.
func registered(n int, products ...api.Int) func(*apitest.Server) {
	return func(f *apitest.Server) {
		for _, d := range slices.Backward(documents(n)) {
			f.Add(d, products...)
		}
	}
}

func tasks() map[string]task {
	suspend := sending(func(c *client.Client) run.Job {
		return &run.Provision{Client: c, Operation: api.Suspend, Product: 7}
	})
	return map[string]task{
		"import": {registered(3, 7), 2, false, sending(func(c *client.Client) run.Job { return &run.Import{Client: c} })},
		"import of existing ones": {registered(4), 3, true, sending(func(c *client.Client) run.Job {
			return &run.Import{Client: c, UpdateExisting: true, ActivateExisting: true}
		})},
		"suspend": {registered(6, 7), 2, false, suspend},
		"suspend, a row is refused": {func(f *apitest.Server) {
			registered(6, 7)(f)
			f.Refuse = func(r apitest.Request) (int, string) {
				if slices.Contains(r.Documents, numbered(5)) {
					return http.StatusUnprocessableEntity, "no"
				}
				return 0, ""
			}
		}, 6, false, suspend},
		"resend": {registered(6, 7), 1, false, sending(func(c *client.Client) run.Job { return &run.Resend{Client: c, All: true} })},
		"plan": {func(f *apitest.Server) {
			registered(4, 7)(f)
			f.Add(numbered(5))
		}, 2, false, sendPlan},
	}
}

// sendPlan applies a plan.
func sendPlan(ctx context.Context, c *client.Client, j *run.Journal, o run.Options, each func(run.RowResult) error) error {
	row := &api.ImportRow{SubscriberCreate: api.SubscriberCreate{Name: "Novo", Document: numbered(6)}, ProductsIDs: []api.Int{7}}
	p := run.Plan{ID: "plan", Actions: []run.Action{
		{Kind: run.ActionCreate, Document: numbered(6), Row: row},
		{Kind: run.ActionUpdate, Document: numbered(1), Row: row, Fields: []string{api.FieldName}},
		{Kind: run.ActionChange, Document: numbered(2), ProductID: 8, PreviousProductID: 7},
		{Kind: run.ActionActivate, Document: numbered(3), ProductID: 8, Operation: api.Activate},
		{Kind: run.ActionSuspend, Document: numbered(4), ProductID: 7, Operation: api.Suspend},
		{Kind: run.ActionDelete, Document: numbered(5)},
	}}
	return p.Apply(ctx, c, j, o, func(_ *run.Action, r run.RowResult) error { return each(r) })
}

// ending ends a run at its n-th write, at the n-th step of its writes, or at the n-th record of its
// journal.
type ending struct {
	set        func(e *ending)
	interrupts bool // by Ctrl-C
	answered   bool // every request is answered, and nothing further is sent
	dead       bool // no record is written from then on

	n       int
	f       *apitest.Server
	disk    faultyFile
	stop    context.CancelFunc
	reached bool // it has come so far
}

// is reports whether this is the n-th time, and then interrupts the run.
func (e *ending) is(n int) bool {
	if n != e.n {
		return false
	}
	if e.reached = true; e.interrupts {
		e.stop()
	}
	return true
}

var endings = map[string]ending{
	"Ctrl-C": {interrupts: true, answered: true, set: func(e *ending) {
		e.f.Drop = func(r apitest.Request) bool { return e.is(r.N) && false }
	}},
	"the request is lost":             {set: func(e *ending) { e.f.Drop = func(r apitest.Request) bool { return e.is(r.N) } }},
	"the answer is lost":              {set: loseAnswer},
	"the answer is lost after Ctrl-C": {set: loseAnswer, interrupts: true},
	"the token is forbidden it": {answered: true, set: func(e *ending) {
		refuse := e.f.Refuse
		e.f.Refuse = func(r apitest.Request) (int, string) {
			if e.is(r.N) || e.reached {
				return http.StatusForbidden, ""
			}
			if refuse == nil {
				return 0, ""
			}
			return refuse(r)
		}
	}},
	"the server breaks off":              {set: breakOff},
	"the server breaks off after Ctrl-C": {set: breakOff, interrupts: true},
	"the process dies before a record":   {dead: true, set: func(e *ending) { e.disk.write = e.stopWriting(0) }},
	"the process dies within a record":   {dead: true, set: func(e *ending) { e.disk.write = e.stopWriting(0.9) }},
	"the disk is full for a moment":      {set: func(e *ending) { e.disk.write = e.stopWriting(0.5) }},
	"the disk fails": {dead: true, set: func(e *ending) {
		e.disk.sync = func(call int) error { return map[bool]error{true: syscall.EIO}[e.is(call)] }
	}},
}

func loseAnswer(e *ending) { e.f.Lose = func(r apitest.Request) bool { return e.is(r.N) } }

// breakOff ends a request at a step. A server with idempotency keys does all of it or nothing.
func breakOff(e *ending) {
	step := 0
	e.f.BreakOff = func() bool {
		step++
		return e.f.Extensions == "" && e.is(step)
	}
}

// stopWriting returns how much reaches the disk: a part of the n-th record, and nothing later if the
// process is dead.
func (e *ending) stopWriting(part float64) func(call, n int) (int, error) {
	return func(call, n int) (int, error) {
		switch {
		case e.is(call):
			return int(float64(n) * part), syscall.ENOSPC
		case e.reached && e.dead:
			return 0, syscall.ENOSPC
		}
		return n, nil
	}
}

// taskServer is a server that notes each effect of an operation.
type taskServer struct {
	*apitest.Server
	client     *client.Client
	operations map[string]string // by document
}

func newTaskServer(t *testing.T, k task, extensions string) *taskServer {
	f, c := newFixture(t, extensions)
	s := &taskServer{f, c, map[string]string{}}
	f.Fails = func(r apitest.Request, document string) string {
		if !r.Is("activate") { // the services show it
			s.operations[document] += fmt.Sprint(" ", path.Base(r.Path), r.Product)
		}
		return ""
	}
	k.begin(f)
	return s
}

// effects returns what the server has and did of each document. A second registration has no effect, and
// statuses are changed elsewhere, too.
func (s *taskServer) effects() map[string]string {
	all := maps.Clone(s.operations)
	for d, one := range s.Subscribers {
		all[d] += " " + one.Name
		for _, service := range one.Services {
			all[d] += fmt.Sprint(" ", service.ProductID)
		}
	}
	for _, r := range s.CarriedOut {
		switch {
		case r.Method == http.MethodPut:
			all[cpf.OnlyDigits(path.Base(r.Path))] += " update"
		case strings.HasPrefix(r.Path, api.PathResend):
			all[r.Documents[0]] += " resend"
		}
	}
	return all
}

// run runs the task with the journal of the directory, on a disk that may fail.
func (k task) run(ctx context.Context, t *testing.T, s *taskServer, dir string, disk *faultyFile) (map[string]run.RowResult, *run.Journal, error) {
	t.Helper()
	o := run.Options{Rows: k.batch, InFlight: 1, Idempotency: s.Extensions != ""}
	var err error
	if !o.Idempotency {
		o.Existing, err = run.ReadDocuments(t.Context(), s.client)
		must(t, err)
	}
	j := openFaulty(t, dir, disk)
	all := map[string]run.RowResult{}
	err = k.send(ctx, s.client, j, o, func(r run.RowResult) error {
		all[r.Row.Document] = r
		return nil
	})
	return all, j, err
}

// However a run ends, its results are what the server did, and the next run does exactly the rest:
// nothing is lost and nothing done twice, also of rows that were changed elsewhere meanwhile.
func TestTheNextRunDoesExactlyTheRest(t *testing.T) {
	for task, k := range tasks() {
		for mode, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
			whole := newTaskServer(t, k, extensions)
			before := whole.effects()
			_, j, err := k.run(t.Context(), t, whole, t.TempDir(), new(faultyFile))
			must(t, errors.Join(err, j.Close()))
			for name, end := range endings {
				t.Run(task+" "+mode+", "+name, func(t *testing.T) {
					t.Parallel()
					for end.n = 1; k.endsAt(t, end, extensions, before, whole.effects()); end.n++ {
					}
				})
			}
		}
	}
}

// endsAt ends a run and runs it again. It reports whether the run came to the end at all. before and
// want are the effects of nothing and of the whole run.
func (k task) endsAt(t *testing.T, e ending, extensions string, before, want map[string]string) bool {
	s := newTaskServer(t, k, extensions)
	refuse := s.Refuse
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e.f, e.stop = s.Server, stop
	e.set(&e)
	dir := t.TempDir()
	got, j, err := k.run(ctx, t, s, dir, &e.disk)
	done, refused, unknown := countResults(got)
	if len(got) != 6 || (err == nil) != (done+refused == 6) || e.answered && !k.steps && unknown > 0 {
		t.Errorf("at %d: got %v and %d rows, %d done, %d refused, %d unknown", e.n, err, len(got), done, refused, unknown)
	}
	if more := len(s.Requests) - e.n; e.answered && e.reached && more > 0 && (k.batch > 1 || more > 3) { // single rows are sent at once
		t.Errorf("at %d: got %d further requests", e.n, more)
	}
	info, failed := run.JournalDir{Path: dir}.Get(j.ID)
	if e.answered && k.batch < 3 && (failed != nil || info.Done != done+refused || info.Unanswered > 0) {
		t.Errorf("at %d: got %+v, %v, want %d rows done", e.n, info, failed, done+refused)
	}
	if !e.reached {
		e.disk.write, e.disk.sync = nil, nil
	}
	report := run.Report{Path: "report.csv"}
	if noted := j.NoteReport(report); (noted == nil) == (e.dead && e.reached) {
		t.Errorf("at %d: noting the report: got %v", e.n, noted)
	}
	must(t, j.Close())
	s.Lock()
	s.Drop, s.Lose, s.BreakOff, s.Refuse = nil, nil, nil, refuse
	now := s.effects()
	for d, r := range got {
		isDone := r.Err == nil && r.Kind != api.ResultFailed
		if r.IsNotSent() && now[d] != before[d] || isDone && now[d] != want[d] {
			t.Errorf("at %d: %s has %q, and its result is %+v", e.n, d, now[d], r.Result)
		}
		if isDone && s.operations[d] == " suspend7" {
			s.Subscribers[d].Services[0] = s.Service(7, "active") // elsewhere
		}
	}
	s.Unlock()
	got, j, err = k.run(t.Context(), t, s, dir, new(faultyFile))
	must(t, j.Close())
	_, _, unknown = countResults(got)
	info, failed = run.JournalDir{Path: dir}.Get(j.ID)
	noted := info.Report == report
	if err != nil || failed != nil || info.Done != 6 || info.Unanswered+unknown != 0 || noted == (e.dead && e.reached) {
		t.Errorf("at %d, again: got %v, %v, %+v", e.n, err, failed, info)
	}
	now = s.effects()
	for d, r := range got {
		if r.Code == "no_answer" && !strings.Contains(now[d], "resend") { // whether an e-mail was sent cannot be read
			now[d] += " resend"
		}
	}
	if diff := cmp.Diff(now, want); diff != "" {
		t.Errorf("at %d, again: (- got, + want)\n%s", e.n, diff)
	}
	return e.reached
}
