package run_test

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// kinds returns the actions of a plan in a short form: kind, product and the
// previous product.
func kinds(p *run.Plan) string {
	var all []string
	for _, a := range p.Actions {
		text := a.Kind
		if a.Operation != "" && string(a.Operation) != a.Kind {
			text += "(" + string(a.Operation) + ")"
		}
		for _, product := range []api.Int{a.ProductID, a.PreviousProductID} {
			if product != 0 {
				text += " " + string(rune('0'+product))
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// planStatus plans a row that asks for a status of a service with another one.
func planStatus(t *testing.T, extensions string, now api.Int, asked string) *run.Plan {
	t.Helper()
	f, server := newFixture(t, extensions)
	s := &f.Add(numbered(1), 1).Services[0]
	s.StatusID, s.Status = now, "now"
	row := rowsWith(f, 1, numbered(1))[0]
	row.Status = asked
	return plan(t, server, row)
}

// The current status and the requested status determine the action.
func TestAStatusBecomesAnAction(t *testing.T) {
	for _, c := range []struct {
		now  api.Int
		want map[string]string // action by the status that the row asks for
	}{
		{api.StatusActive, map[string]string{"": "", "active": "", "suspend": "suspend 1", "overdue": "suspend(overdue) 1", "canceled": "deactivate 1"}},
		{api.StatusError, map[string]string{"": "", "active": "activate 1", "suspend": "refused 1", "overdue": "refused 1", "canceled": "deactivate 1"}},
		{api.StatusOverdue, map[string]string{"": "", "active": "reactivate(settle) 1", "suspend": "refused 1", "overdue": "", "canceled": "deactivate 1"}},
		{api.StatusWaitingCancellation, map[string]string{"": "", "active": "refused 1", "suspend": "refused 1", "overdue": "refused 1", "canceled": ""}},
		{api.StatusCanceled, map[string]string{"": "activate 1", "active": "activate 1", "canceled": ""}},
	} {
		for asked, want := range c.want {
			p := planStatus(t, allExtensions, c.now, asked)
			if got := kinds(p); got != want {
				t.Errorf("status %d and %q requested: got %q, want %q", c.now, asked, got, want)
			}
			if unchanged := want == ""; (p.Unchanged == 1) != unchanged || (p.Changes() == 0) != (unchanged || strings.HasPrefix(want, "refused")) {
				t.Errorf("status %d and %q requested: got %d unchanged and %d changes", c.now, asked, p.Unchanged, p.Changes())
			}
			for _, a := range p.Actions {
				if a.Kind == run.ActionRefused && (a.Reason != "it is now, which cannot become "+asked+" now" || a.Line != 2) {
					t.Errorf("got %+v, want why and where", a)
				}
			}
		}
	}
}

// A product is not activated only to be suspended: the subscriber would get the e-mail, and could
// enable the service.
func TestWhatShallBeSuspendedIsNotActivated(t *testing.T) {
	for _, status := range []string{"suspend", "overdue"} {
		for known, want := range map[bool]string{true: "refused 2", false: "create, refused 1, refused 2"} {
			f, server := newFixture(t, allExtensions)
			if known {
				s := &f.Add(numbered(1), 1).Services[0]
				s.StatusID, s.Status = map[string]api.Int{"suspend": api.StatusSuspend, "overdue": api.StatusOverdue}[status], status
			}
			row := file(numbered(1))[0]
			row.Status, row.ProductsIDs = status, []api.Int{1, 2}
			p := planWith(t, run.Planner{Client: server, HasProducts: true}, row)
			if got := kinds(p); got != want {
				t.Errorf("%s, known %v: got %q, want %q", status, known, got, want)
			}
			for _, a := range p.Actions {
				if a.Kind == run.ActionCreate && len(a.Row.ProductsIDs) > 0 {
					t.Errorf("%s: it is registered with %v", status, a.Row.ProductsIDs)
				}
				if a.Kind == run.ActionRefused && a.Reason != "the subscriber does not have it, so it cannot become "+status {
					t.Errorf("%s: got the reason %q", status, a.Reason)
				}
			}
		}
	}
}

// A server without the operations for lack of payment is not asked for them.
func TestAServerWithoutOverdueRefusesItInThePlan(t *testing.T) {
	for current, asked := range map[api.Int]string{api.StatusActive: "overdue", api.StatusSuspend: "overdue", api.StatusOverdue: "active"} {
		p := planStatus(t, "", current, asked)
		if got := kinds(p); got != "refused 1" || p.Actions[0].Reason != "this server has no suspension for lack of payment" {
			t.Errorf("status %d and %q requested: got %q, %+v, want a refusal", current, asked, got, p.Actions)
		}
	}
}

// The products of the row and of the subscriber determine the actions.
func TestProductsBecomeActions(t *testing.T) {
	for _, c := range []struct {
		name      string
		has, asks []api.Int
		planner   run.Planner
		want      string
	}{
		{"the same", []api.Int{1, 2}, []api.Int{2, 1}, run.Planner{HasProducts: true, AllowDeactivate: true}, ""},
		{"one more", []api.Int{1}, []api.Int{1, 2}, run.Planner{HasProducts: true}, "activate 2"},
		{"another", []api.Int{1}, []api.Int{2}, run.Planner{HasProducts: true}, "change 2 1"},
		{"another that cannot be changed", []api.Int{1}, []api.Int{6}, run.Planner{HasProducts: true, AllowDeactivate: true}, "activate 6, deactivate 1"},
		{"from one that cannot be changed", []api.Int{6}, []api.Int{1}, run.Planner{HasProducts: true, AllowDeactivate: true}, "activate 1, deactivate 6"},
		{"two others, one of them can be changed", []api.Int{1, 6}, []api.Int{2, 7}, run.Planner{HasProducts: true, AllowDeactivate: true}, "change 2 1, activate 7, deactivate 6"},
		{"each service is changed once", []api.Int{1}, []api.Int{2, 3}, run.Planner{HasProducts: true}, "change 2 1, activate 3"},
		{"one less", []api.Int{1, 2}, []api.Int{1}, run.Planner{HasProducts: true, AllowDeactivate: true}, "deactivate 2"},
		{"one less, without permission", []api.Int{1, 2}, []api.Int{1}, run.Planner{HasProducts: true}, "refused 2"},
		{"no column of products", []api.Int{1, 2}, nil, run.Planner{AllowDeactivate: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, server := newFixture(t, allExtensions)
			f.Add(numbered(1), c.has...)
			row := rowsWith(f, 0, numbered(1))[0]
			row.ProductsIDs = c.asks
			c.planner.Client = server
			p := planWith(t, c.planner, row)
			if got := kinds(p); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, a := range p.Actions {
				if a.Kind == run.ActionRefused && a.Reason != "the file lacks the product; --allow-deactivate cancels it" {
					t.Errorf("got the reason %q", a.Reason)
				}
				if a.Kind == run.ActionDeactivate && !slices.Equal(a.Awaits, c.asks) {
					t.Errorf("a cancellation awaits %v, want %v", a.Awaits, c.asks)
				}
			}
		})
	}
}

// Each request of a plan fails once. A plan without its answer would cancel and activate what can be changed.
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
		inOrder := slices.IsSortedFunc(p.Actions[1:], func(a, b run.Action) int {
			return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), strings.Compare(a.Document, b.Document))
		})
		if !inOrder {
			t.Errorf("got %+v, want cancellations in order of documents", p.Actions)
		}
	}
}

// A new subscriber that the file cancels is registered without services.
func TestANewSubscriberIsCreated(t *testing.T) {
	_, server := newFixture(t, allExtensions)
	rows := file(numbered(1), numbered(2))
	rows[0].ProductsIDs, rows[1].ProductsIDs = []api.Int{1}, []api.Int{1}
	rows[1].Status = "canceled"
	p := planWith(t, run.Planner{Client: server, HasProducts: true}, rows...)
	if got := kinds(p); got != "create, create" || len(p.Actions[0].Row.ProductsIDs) != 1 || len(p.Actions[1].Row.ProductsIDs) != 0 || len(rows[1].ProductsIDs) != 1 {
		t.Errorf("got %q, %+v", got, p.Actions)
	}
}

// An update changes only fields that differ and have a value in the row.
func TestDifferencesBecomeAnUpdate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *sheet.Row)
		want   []string
	}{
		{"nothing", func(*sheet.Row) {}, nil},
		{"the name", func(r *sheet.Row) { r.Name = "Novo" }, []string{api.FieldName}},
		{"the e-mail", func(r *sheet.Row) { r.Email = "novo@example.com" }, []string{api.FieldEmail}},
		{"the phone", func(r *sheet.Row) { r.Phone = "+5511987654322" }, []string{api.FieldPhone}},
		{"the same phone in another form", func(r *sheet.Row) { r.Phone = "+55 (11) 98765-4321" }, nil},
		{"the speed", func(r *sheet.Row) { r.InternetSpeedID = api.Some[api.Int](9) }, []string{api.FieldInternetSpeedID}},
		{"the default speed", func(r *sheet.Row) { r.InternetSpeedID = api.Some[api.Int](api.DefaultInternetSpeed) }, nil},
		{"the plan", func(r *sheet.Row) { r.CustomerPlan = "Fibra 500" }, []string{api.FieldCustomerPlan}},
		{"no plan", func(r *sheet.Row) { r.CustomerPlan = "" }, nil},
	} {
		f, server := newFixture(t, allExtensions)
		s := f.Add(numbered(1), 1)
		s.Email, s.Phone, s.CustomerPlan, s.InternetSpeedID = "ana@example.com", "+5511987654321", "Fibra 300", 8
		row := rowsWith(f, 1, numbered(1))[0]
		row.Email, row.Phone, row.CustomerPlan, row.InternetSpeedID = s.Email, s.Phone, s.CustomerPlan, api.Some(s.InternetSpeedID)
		c.change(row)
		p := planWith(t, run.Planner{Client: server, HasProducts: true}, row)
		var got []string
		for _, a := range p.Actions {
			got = append(got, a.Fields...)
		}
		before := *s
		apply(t, p, server)
		changed := map[string]bool{api.FieldName: s.Name != before.Name, api.FieldEmail: s.Email != before.Email, api.FieldPhone: s.Phone != before.Phone,
			api.FieldInternetSpeedID: s.InternetSpeedID != before.InternetSpeedID, api.FieldCustomerPlan: s.CustomerPlan != before.CustomerPlan}
		maps.DeleteFunc(changed, func(_ string, is bool) bool { return !is })
		if !slices.Equal(got, c.want) || !slices.Equal(slices.Collect(maps.Keys(changed)), c.want) {
			t.Errorf("%s: got %v planned and %v changed, want %v", c.name, got, changed, c.want)
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
		{"refused", api.CodeActionNotAllowed, documents(3), 1, "activate 2, activate 2, activate 2, deactivate 1, deactivate 1, deactivate 1"},
		{"refused for one subscriber", api.CodeServiceNotActive, documents(1), 2, "change 2 1, change 2 1, activate 2, deactivate 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
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
				t.Errorf("got %q after %d questions, want %q after %d", got, len(asked), c.want, c.questions)
			}
		})
	}
}

// The subscriber of an invalid row is left unchanged. If its document cannot be read, no
// missing subscriber is cancelled.
func TestAnInvalidRowOfAPlanIsLeftOut(t *testing.T) {
	for _, readable := range []bool{true, false} {
		f, server := newFixture(t, allExtensions)
		addPeople(f, 3)
		f.Add("52998224725", 1)
		rows := rowsWith(f, 1, numbered(1))
		invalid := invalidRow(t, readable)
		p := plan(t, server, rows[0], invalid)
		want := "deactivate 1, deactivate 1, invalid"
		if !readable {
			want = "invalid"
		}
		if got := kinds(p); got != want {
			t.Errorf("document readable %t: got %q, want %q", readable, got, want)
		}
		if p.LeavesMissing() == readable {
			t.Errorf("document readable %t: got LeavesMissing %t", readable, p.LeavesMissing())
		}
	}
}

// invalidRow returns a row with a wrong e-mail address, and a wrong document unless readable is
// set.
func invalidRow(t *testing.T, readable bool) *sheet.Row {
	t.Helper()
	document := "529.982.247-25"
	if !readable {
		document = "529.982.247-26"
	}
	f, err := sheet.OpenReader(strings.NewReader("Nome;E-mail;CPF;Telefone\nAna;ana;"+document+";(11) 98765-4321\n"), sheet.Options{Profile: sheet.Sync})
	must(t, err)
	defer f.Close()
	if _, err := f.Check(t.Context(), sheet.Catalog{}); err != nil {
		t.Fatal(err)
	}
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		return row
	}
	t.Fatal("the file has no row")
	return nil
}
