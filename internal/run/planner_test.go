package run_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// kinds returns the actions of a plan in a short form: kind, product and previous product, the products of
// a registration, those that a cancellation awaits, and why an action is refused.
func kinds(p *run.Plan) string {
	var all []string
	for _, a := range p.Actions {
		text := a.Kind
		if a.Operation != "" && string(a.Operation) != a.Kind {
			text += "(" + string(a.Operation) + ")"
		}
		for _, product := range []api.Int{a.ProductID, a.PreviousProductID} {
			if product != 0 {
				text += fmt.Sprint(" ", product)
			}
		}
		if a.Kind == run.ActionCreate && len(a.Row.ProductsIDs) > 0 {
			text += fmt.Sprint(" with ", a.Row.ProductsIDs)
		}
		if len(a.Awaits) > 0 {
			text += fmt.Sprint(" after ", a.Awaits)
		}
		if a.Kind == run.ActionRefused {
			text += ": " + a.ReasonMessage().String()
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// services returns services as in "1 active, 2 suspend".
func services(f *apitest.Server, text string) (all []api.Service) {
	for one := range strings.SplitSeq(text, ", ") {
		id, status, _ := strings.Cut(one, " ")
		if product, err := strconv.Atoi(id); err == nil {
			all = append(all, f.Service(api.Int(product), status))
		}
	}
	return all
}

// The status and the products that a row asks for and the services of its subscriber determine the
// actions. Their reasons can be translated, even those of a saved plan.
func TestARowBecomesActions(t *testing.T) {
	const (
		isNew       = "new" // in place of services: there is no such subscriber
		doesNotHave = ": the subscriber does not have it, so it cannot become "
		lacksOne    = ": this server has no suspension for lack of payment"
	)
	add := run.Planner{HasProducts: true}
	replace := run.Planner{HasProducts: true, AllowDeactivate: true}
	type row struct {
		has, status string
		asks        []api.Int
		planner     run.Planner
		want        string
	}
	one, two, both := []api.Int{1}, []api.Int{2}, []api.Int{1, 2}
	for extensions, rows := range map[string][]row{allExtensions: {
		{"1 active", "", one, replace, ""},
		{"1 active", "active", one, replace, ""},
		{"1 active", "suspend", one, replace, "suspend 1"},
		{"1 active", "overdue", one, replace, "suspend(overdue) 1"},
		{"1 active", "canceled", one, replace, "deactivate 1"},
		{"1 error", "active", one, replace, "activate 1"},
		{"1 overdue", "active", one, replace, "reactivate(settle) 1"},
		{"1 overdue", "suspend", one, replace, "refused 1: it is overdue, which cannot become suspend now"},
		{"1 waitingCancellation", "canceled", one, replace, ""},
		{"1 canceled", "", one, replace, "activate 1"},
		{"1 canceled", "canceled", one, replace, ""},
		// A product is not activated only to be suspended: the subscriber would get the e-mail, and could
		// enable the service.
		{"1 suspend", "suspend", both, add, "refused 2" + doesNotHave + "suspend"},
		{"1 overdue", "overdue", both, add, "refused 2" + doesNotHave + "overdue"},
		{isNew, "suspend", both, add, "create, refused 1" + doesNotHave + "suspend, refused 2" + doesNotHave + "suspend"},
		{isNew, "overdue", one, add, "create, refused 1" + doesNotHave + "overdue"},
		{isNew, "", one, add, "create with [1]"},
		{isNew, "canceled", one, add, "create"},
		{"1 active, 2 active", "", []api.Int{2, 1}, replace, ""},
		{"1 active", "", both, add, "activate 2"},
		{"1 active", "", two, add, "change 2 1"},
		{"1 active", "", []api.Int{6}, replace, "activate 6, deactivate 1 after [6]"}, // from 5 on they cannot be changed
		{"6 active", "", one, replace, "activate 1, deactivate 6 after [1]"},
		{"1 active, 6 active", "", []api.Int{2, 7}, replace, "change 2 1, activate 7, deactivate 6 after [2 7]"},
		{"1 active", "", []api.Int{2, 3}, add, "change 2 1, activate 3"}, // each service is changed once
		{"1 active, 2 active", "", one, replace, "deactivate 2 after [1]"},
		{"1 active, 2 active", "", one, add, "refused 2: the file lacks the product; --allow-deactivate cancels it"},
		{"1 active", "canceled", one, add, "refused 1: the file says canceled; --allow-deactivate cancels it"},
		{"1 active, 2 active", "", nil, run.Planner{AllowDeactivate: true}, ""},
	}, "": { // a server without the operations for lack of payment
		{"1 active", "overdue", one, replace, "refused 1" + lacksOne},
		{"1 overdue", "active", one, replace, "refused 1" + lacksOne},
	}} {
		for _, c := range rows {
			f, server := newFixture(t, extensions)
			row := file(numbered(1))[0]
			if c.has != isNew {
				f.Add(numbered(1)).Services = services(f, c.has)
			}
			row.Status, row.ProductsIDs, c.planner.Client = c.status, c.asks, server
			p := planWith(t, c.planner, row)
			if got := kinds(p); got != c.want || (p.Unchanged == 1) != (got == "") || p.Changes()+p.Count(run.ActionRefused) != len(p.Actions) {
				t.Errorf("%s, asked for %v %s: got %q and %d unchanged, want %q", c.has, c.asks, c.status, got, p.Unchanged, c.want)
			}
			text, err := json.Marshal(p)
			saved := new(run.Plan)
			if must(t, errors.Join(err, json.Unmarshal(text, saved))); kinds(saved) != c.want {
				t.Errorf("got %q saved, want %q", kinds(saved), c.want)
			}
			for _, a := range saved.Actions {
				if reason := a.ReasonMessage(); a.Line != row.Line || a.Kind == run.ActionRefused && reason.Text(lang.Portuguese) == reason.String() {
					t.Errorf("got %+v, want the line of the row and a reason that is translated", a)
				}
			}
		}
	}
}

// Each request of a plan fails once. A plan without its answer would cancel and activate what can be changed,
// and one of a part of the file would cancel what the rest of it holds.
func TestAPlanNeedsEveryAnswer(t *testing.T) {
	f, _ := newFixture(t, allExtensions+", "+api.ExtValidate)
	f.Add(numbered(1), 1)
	f.Add(numbered(2), 1)
	row := rowsWith(f, 0, numbered(1))[0]
	row.ProductsIDs = []api.Int{2}
	for failing := 1; ; failing++ {
		requests := 0
		server := apitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests++; requests == failing {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			f.ServeHTTP(w, r)
		}), client.Options{Retry: apitest.Once()})
		planner := run.Planner{Client: server, HasProducts: true, AllowDeactivate: true, Products: changeableProducts()}
		plan := &run.Plan{ID: "plan"}
		err := planner.Plan(t.Context(), seq([]*sheet.Row{row}), plan)
		if failing > requests {
			if must(t, err); kinds(plan) != "change 2 1, deactivate 1" || requests < 3 {
				t.Errorf("got %q after %d requests", kinds(plan), requests)
			}
			failing = 0 // none fails any more
			cut, undo := errors.New("cut short"), &run.UndoPlanner{Client: server}
			err := planner.Plan(t.Context(), func(yield func(*sheet.Row, error) bool) { yield(nil, cut) }, plan)
			undoErr := undo.Plan(t.Context(), func(yield func(sheet.ReportLine, error) bool) { yield(sheet.ReportLine{}, cut) }, plan)
			if !errors.Is(err, cut) || !errors.Is(undoErr, cut) {
				t.Errorf("got %v of a file and %v of a report, want %v", err, undoErr, cut)
			}
			return
		}
		if err == nil {
			t.Errorf("request %d failed: got the plan %q, want an error", failing, kinds(plan))
		}
	}
}

// Subscribers that the file lacks are cancelled only if the file has products and the user
// allows it, in order of documents, so that the same file makes the same plan.
func TestMissingSubscribersAreCounted(t *testing.T) {
	for _, c := range []struct {
		planner run.Planner
		want    string
	}{
		{run.Planner{HasProducts: true, AllowDeactivate: true}, "create" + strings.Repeat(", deactivate 1", 41) + ", deactivate 2"},
		{run.Planner{HasProducts: true}, "create"},
		{run.Planner{AllowDeactivate: true}, "create"},
	} {
		f, server := newFixture(t, allExtensions)
		for n := range 40 {
			f.Add(numbered((n*17)%40+1), 1)
		}
		f.Add(numbered(41), 1, 2, 3).Services[2].StatusID = api.StatusCanceled
		f.Add(numbered(42))
		c.planner.Client = server
		p := planWith(t, c.planner, file(numbered(43))...)
		if got := kinds(p); got != c.want || p.Missing != 41 || p.Subscribers != 42 || p.Unchanged != 0 {
			t.Errorf("got %q, %d missing of %d, %d unchanged, want %q, 41 of 42, 0", got, p.Missing, p.Subscribers, p.Unchanged, c.want)
		}
		byDocument := func(a, b run.Action) int {
			return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), strings.Compare(a.Document, b.Document))
		}
		if !slices.IsSortedFunc(p.Actions[1:], byDocument) {
			t.Errorf("got %+v, want cancellations in order of documents", p.Actions)
		}
	}
}

// An update changes only fields that differ and have a value in the row.
func TestDifferencesBecomeAnUpdate(t *testing.T) {
	for _, c := range []struct {
		change func(r *sheet.Row)
		want   string // the body of the request
	}{
		{func(*sheet.Row) {}, ""},
		{func(r *sheet.Row) { r.Name = "Novo" }, `{"name":"Novo"}`},
		{func(r *sheet.Row) { r.Email = "novo@example.com" }, `{"email":"novo@example.com"}`},
		{func(r *sheet.Row) { r.Phone = "+5511987654322" }, `{"phone":"+5511987654322"}`},
		{func(r *sheet.Row) { r.Phone = "+55 (11) 98765-4321" }, ""},
		{func(r *sheet.Row) { r.InternetSpeedID = api.Some[api.Int](9) }, `{"internet_speed_id":9}`},
		{func(r *sheet.Row) { r.InternetSpeedID = api.Some[api.Int](api.DefaultInternetSpeed) }, ""},
		{func(r *sheet.Row) { r.CustomerPlan = "Fibra 500" }, `{"customer_plan":"Fibra 500"}`},
		{func(r *sheet.Row) { r.CustomerPlan = "" }, ""},
	} {
		f, server := newFixture(t, allExtensions)
		s := f.Add(numbered(1), 1)
		s.Email, s.Phone, s.CustomerPlan, s.InternetSpeedID = "ana@example.com", "+5511987654321", "Fibra 300", 8
		row := rowsWith(f, 1, numbered(1))[0]
		row.Email, row.Phone, row.CustomerPlan, row.InternetSpeedID = s.Email, s.Phone, s.CustomerPlan, api.Some(s.InternetSpeedID)
		c.change(row)
		apply(t, plan(t, server, row), server)
		got := ""
		for _, r := range f.Requests {
			got += string(r.Body)
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// The planner asks a server with dry runs once for each pair of products whether one may replace
// the other. A service suspended since the list was read does not rule out the products: the other
// subscribers are still changed.
func TestAChangeIsCheckedOnce(t *testing.T) {
	for _, c := range []struct {
		name, code string
		refused    []string // subscribers
		questions  int
		want       string
	}{
		{"accepted", "", nil, 1, "change 2 1, change 2 1, change 2 1"},
		{"refused", api.CodeActionNotAllowed, documents(3), 1, "activate 2, activate 2, activate 2, deactivate 1 after [2], deactivate 1 after [2], deactivate 1 after [2]"},
		{"refused for one subscriber", api.CodeServiceNotActive, documents(1), 2, "change 2 1, change 2 1, activate 2, deactivate 1 after [2]"},
	} {
		f, server := newFixture(t, allExtensions+", "+api.ExtValidate)
		addPeople(f, 3)
		f.Fails = func(r apitest.Request, document string) string {
			if r.Is("change") && slices.Contains(c.refused, document) {
				return c.code
			}
			return ""
		}
		p := plan(t, server, rowsWith(f, 2, documents(3)...)...)
		asked := slices.DeleteFunc(slices.Clone(f.Requests), func(r apitest.Request) bool { return !strings.HasSuffix(r.Path, "/change/validate") })
		if got := kinds(p); got != c.want || len(asked) != c.questions {
			t.Errorf("%s: got %q after %d questions, want %q after %d", c.name, got, len(asked), c.want, c.questions)
		}
	}
}

// The subscriber of an invalid row is left unchanged. If its document cannot be read, no
// missing subscriber is cancelled.
func TestAnInvalidRowOfAPlanIsLeftOut(t *testing.T) {
	for document, want := range map[string]string{numbered(4): "deactivate 1, deactivate 1, invalid", "": "invalid"} {
		f, server := newFixture(t, allExtensions)
		addPeople(f, 4)
		invalid := file(document)[0]
		invalid.Problems = []sheet.Problem{{Line: invalid.Line, Code: sheet.CodeTotalRow}}
		p := plan(t, server, rowsWith(f, 1, numbered(1))[0], invalid)
		if got := kinds(p); got != want || p.LeavesMissing() != (document == "") {
			t.Errorf("document %q: got %q, and missing ones stay: %t; want %q", document, got, p.LeavesMissing(), want)
		}
	}
}
