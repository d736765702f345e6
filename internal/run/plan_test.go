package run_test

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// planWith plans rows with a planner for the products 1 to 9, whose products from 5 on cannot
// be changed.
func planWith(t *testing.T, planner run.Planner, rows ...*sheet.Row) *run.Plan {
	t.Helper()
	planner.Products = changeableProducts()
	plan := &run.Plan{ID: "plan"}
	must(t, planner.Plan(t.Context(), seq(rows), plan))
	return plan
}

// changeableProducts returns products 1 to 9. The first four can be changed to each other.
func changeableProducts() (all []api.Product) {
	for id := range api.Int(9) {
		p := api.Product{ID: id + 1}
		if p.ID < 5 {
			p.Can = api.List[string]{api.CanChangeFrom, api.CanChangeTo}
		}
		all = append(all, p)
	}
	return all
}

// plan plans rows whose products may be cancelled.
func plan(t *testing.T, c *client.Client, rows ...*sheet.Row) *run.Plan {
	t.Helper()
	return planWith(t, run.Planner{Client: c, HasProducts: true, AllowDeactivate: true}, rows...)
}

func apply(t *testing.T, p *run.Plan, c *client.Client) {
	t.Helper()
	must(t, p.Apply(t.Context(), c, nil, run.Options{}, func(*run.Action, run.RowResult) error { return nil }))
}

// rowsWith returns rows of subscribers that the server has, each with one product.
func rowsWith(f *apitest.Server, product api.Int, documents ...string) []*sheet.Row {
	rows := file(documents...)
	for i, d := range documents {
		rows[i].Name, rows[i].ProductsIDs = f.Subscribers[d].Name, []api.Int{product}
	}
	return rows
}

// A subscriber whose new product is refused keeps the old one, whether the dry run of the plan
// or the server refuses it.
func TestACancellationWaitsForItsReplacement(t *testing.T) {
	// The plan of a server with dry runs refuses the activation and the cancellation that awaits it.
	for extensions, refused := range map[string]int{allExtensions + ", " + api.ExtValidate: 2, allExtensions: 0} {
		f, server := newFixture(t, extensions)
		f.Add(numbered(1)).Services = services(f, "1 inProgress") // which no change can replace
		f.Add(numbered(2)).Services = services(f, "1 inProgress")
		f.Fails = func(r apitest.Request, document string) string {
			if r.Is("activate") && document == numbered(1) {
				return api.CodeOperationInProgress
			}
			return ""
		}
		p := plan(t, server, rowsWith(f, 2, numbered(1), numbered(2))...)
		if n := p.Count(run.ActionRefused); n != refused {
			t.Errorf("the plan refuses %d actions, want %d: %+v", n, refused, p.Actions)
		}
		apply(t, p, server)
		if now := f.Status(numbered(1), 1); now != "inProgress" || f.Status(numbered(1), 2) != "" {
			t.Errorf("the old service is %q and the new one %q, want inProgress and none", now, f.Status(numbered(1), 2))
		}
		if was, now := f.Status(numbered(2), 1), f.Status(numbered(2), 2); was != "waitingCancellation" || now != "inProgress" {
			t.Errorf("where the new product is accepted: got %q and %q, want waitingCancellation and inProgress", was, now)
		}
		held := p.Actions[slices.IndexFunc(p.Actions, func(a run.Action) bool { return a.Document == numbered(1) && a.ProductID == 1 })]
		if held.Code+held.Reason == "" || held.Kind != run.ActionRefused && held.Result != api.ResultFailed {
			t.Errorf("got %+v, want it refused, and why", held)
		}
	}
}

// A cancellation without a replacement waits for nothing.
func TestACancellationThatReplacesNothingIsDone(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	f.Add(numbered(1), 1, 2)
	f.Add(numbered(2), 1)
	f.Fails = func(r apitest.Request, _ string) string {
		if r.Is("deactivate") && r.Product == 1 {
			return api.CodeOperationInProgress
		}
		return ""
	}
	rows := rowsWith(f, 1, numbered(1), numbered(2))
	rows[0].Status, rows[1].ProductsIDs = "canceled", nil
	p := plan(t, server, rows...)
	apply(t, p, server)
	if was := f.Status(numbered(1), 2); was != "waitingCancellation" {
		t.Errorf("the second service is %q although only the first was refused, want waitingCancellation", was)
	}
	if n := len(f.Sent("deactivate")); n != 2 {
		t.Errorf("got %d requests, want one for each product", n)
	}
}

// A plan runs its steps in order and records the outcome of each.
func TestAPlanIsApplied(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	addPeople(f, 5)
	f.Subscribers[numbered(3)].Services = services(f, "1 suspend")
	f.Subscribers[numbered(4)].Services = services(f, "1 overdue")
	rows := rowsWith(f, 1, numbered(1), numbered(2), numbered(3), numbered(4))
	rows[0].ProductsIDs = []api.Int{2}
	rows[1].Status, rows[2].Status, rows[3].Status = "suspend", "active", "active"
	rows[1].Name = "Novo Nome"
	added := file(numbered(6))[0]
	added.Line, added.ProductsIDs = 9, []api.Int{1}
	p := plan(t, server, append(rows, added)...)
	apply(t, p, server)
	var got []string
	for _, a := range p.Actions {
		status := cmp.Or(f.Status(a.Document, 2), f.Status(a.Document, 1))
		got = append(got, strings.TrimLeft(a.Document, "0")+" "+a.Kind+" "+a.Result+": "+a.NextStatus+", "+status)
	}
	want := []string{
		"6 create created: , inProgress", "2 update accepted: , waitingSuspension", "1 change accepted: changed, changed", "3 reactivate accepted: inProgress, inProgress",
		"4 reactivate accepted: reactivated, reactivated", "2 suspend accepted: waitingSuspension, waitingSuspension", "5 deactivate accepted: waitingCancellation, waitingCancellation",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A server without idempotency keys refuses a batch because of one row and does not say
// which: the row is found, the others are created and activated.
func TestARefusedRowOfAPlanStopsNoOther(t *testing.T) {
	for name, extensions := range map[string]string{"with keys": allExtensions, "without": ""} {
		f, server := newFixture(t, extensions)
		var added, had []string
		for n := range 20 {
			added, had = append(added, numbered(n+1)), append(had, numbered(n+101))
			f.Add(numbered(n + 101))
		}
		f.Refuse = func(r apitest.Request) (int, string) {
			if slices.Contains(r.Documents, numbered(7)) || slices.Contains(r.Documents, numbered(107)) {
				return http.StatusUnprocessableEntity, "no"
			}
			return 0, ""
		}
		rows := append(file(added...), rowsWith(f, 1, had...)...)
		for i, row := range rows {
			row.Line, row.ProductsIDs = i+2, []api.Int{1}
		}
		p := plan(t, server, rows...)
		apply(t, p, server)
		for _, a := range p.Actions {
			refused := a.Document == numbered(7) || a.Document == numbered(107)
			if (a.Result == api.ResultFailed) != refused || a.Result == "" {
				t.Errorf("%s: got %+v, want it failed: %t", name, a, refused)
			}
		}
		if len(f.Subscribers) != 39 || f.Status(numbered(120), 1) != "inProgress" {
			t.Errorf("%s: got %d subscribers and the last one %q, want 39 and inProgress", name, len(f.Subscribers), f.Status(numbered(120), 1))
		}
	}
}

// Twenty thousand changes over a link of 50 milliseconds take less than a minute, so a fifth takes
// 12 seconds, even if the API takes them one by one. All steps share one limit of rows per second.
func TestAPlanIsAppliedOverASlowLink(t *testing.T) {
	for _, c := range []struct {
		takes       time.Duration
		subscribers int
		kinds       []string
		options     run.Options
		least, most time.Duration
	}{
		{50 * time.Millisecond, 4_000, []string{run.ActionUpdate}, run.Options{}, 0, 12 * time.Second},
		{50 * time.Millisecond, 4_000, []string{run.ActionSuspend}, run.Options{}, 0, 12 * time.Second},
		{0, 20, []string{run.ActionUpdate, run.ActionSuspend}, run.Options{Rows: 10, PerSec: 10}, 3 * time.Second, 3 * time.Second}, // the first ten at once
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newSlowServer(c.takes)
			p := planOn(n, c.subscribers, c.kinds...)
			client, begun := n.client(t), time.Now()
			must(t, p.Apply(t.Context(), client, nil, c.options, func(*run.Action, run.RowResult) error { return nil }))
			took, last := time.Since(begun), p.Actions[len(p.Actions)-1]
			if took < c.least || took > c.most || last.Result != api.ResultAccepted {
				t.Errorf("%q: it took %v, want %v to %v, and %+v done", c.kinds, took, c.least, c.most, last)
			}
		})
	}
}

// Failures are counted over all steps of a plan: after too many no later step is sent.
func TestTooManyFailuresEndAPlan(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	addPeople(f, 4)
	f.Fails = func(r apitest.Request, _ string) string {
		if r.Is("change") {
			return api.CodeOperationInProgress
		}
		return ""
	}
	rows := rowsWith(f, 2, numbered(1), numbered(2), numbered(3), numbered(4))
	rows[2].ProductsIDs, rows[2].Status = []api.Int{1}, "suspend"
	rows[3].ProductsIDs = nil
	p := plan(t, server, rows...)
	calls := 0
	err := p.Apply(t.Context(), server, nil, run.Options{TooMany: func(failed int) bool { return failed > 1 }}, func(*run.Action, run.RowResult) error {
		calls++
		return nil
	})
	if !errors.Is(err, run.ErrTooManyFailures) {
		t.Errorf("got %v, want an end after 2 failures", err)
	}
	if n := len(f.Sent("change")); n != 2 || len(f.Sent("suspend"))+len(f.Sent("deactivate")) != 0 {
		t.Errorf("got %d changes, suspensions %v and cancellations %v, want 2 changes alone", n, f.Sent("suspend"), f.Sent("deactivate"))
	}
	if calls != len(p.Actions) {
		t.Errorf("got %d callbacks, want one for each of %d actions", calls, len(p.Actions))
	}
}

// A plan that was damaged, or edited so that it would send something else than it shows, is
// refused as a whole.
func TestAPlanIsAppliedOnlyAsItIsShown(t *testing.T) {
	const create = `{"action":"create","document":"52998224725","row":{"name":"Ana","document":"52998224725","products_ids":[1]}}`
	const cancel = `{"action":"deactivate","document":"52998224725","product_id":1,"operation":"deactivate"}`
	plan := func(actions string) string {
		return `{"id":"plan","server":"https://example.com","context":"alfa","actions":[` + actions + `]}`
	}
	whole := plan(create + "," + cancel + `,{"action":"refused","document":""},{"action":"invalid","document":"","problems":[{"code":"required"}]}`)
	if p, err := run.ParsePlan("plan.json", []byte(whole)); err != nil || len(p.Actions) != 4 {
		t.Fatalf("got %+v, %v, want 4 actions", p, err)
	}
	for name, file := range map[string]string{
		"empty":                    ``,
		"truncated":                whole[:len(whole)/2],
		"followed by another":      whole + whole,
		"no plan":                  `{}`,
		"without actions":          `{"id":"plan","server":"https://example.com"}`,
		"an unknown field":         plan(strings.Replace(cancel, `"operation"`, `"operations"`, 1)),
		"an unknown action":        plan(strings.Replace(cancel, `"action":"deactivate"`, `"action":"explode"`, 1)),
		"a deletion":               plan(`{"action":"delete","document":"52998224725"}`),
		"a hidden cancellation":    plan(strings.Replace(cancel, `"action":"deactivate"`, `"action":"suspend"`, 1)),
		"an action without a part": plan(strings.Replace(cancel, `"product_id":1,`, ``, 1)),
		"a hidden operation":       plan(strings.Replace(create, `"row"`, `"operation":"deactivate","row"`, 1)),
		"another subscriber":       plan(strings.Replace(create, "52998224725", "11144477735", 1)),
		"no subscriber":            plan(`{"action":"create","document":"52998224725"}`),
		"an update of nothing":     plan(strings.Replace(create, "create", "update", 1)),
		"a change from nothing":    plan(`{"action":"change","document":"52998224725","product_id":1}`),
		"a wrong document":         plan(strings.Replace(cancel, "52998224725", "52998224726", 1)),
		"an invalid row":           plan(`{"action":"invalid","document":"52998224725"}`),
	} {
		if p, err := run.ParsePlan("plan.json", []byte(file)); !isFailure(err, "not_a_plan") {
			t.Errorf("%s: got %+v, %v, want not_a_plan", name, p, err)
		}
	}
}
