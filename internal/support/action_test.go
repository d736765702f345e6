package support_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
	"ativa/internal/service/domain"
	"ativa/internal/support"
)

// In every status and after every failure, the steps are exactly the operations that the
// server accepts with an effect.
func TestWhatIsOfferedIsWhatTheServerDoes(t *testing.T) {
	for _, c := range []struct{ status, path string }{
		{"inProgress", "activate"},
		{"limitReached", "full activate"},
		{"canceledWithoutActivation", "full activate deactivate"},
		{"active", "activate ok"},
		{"waitingSuspension", "activate ok suspend"},
		{"suspend", "activate ok suspend ok"},
		{"reactivated", "activate ok suspend ok activate"},
		{"waitingSuspensionDueToOverdue", "activate ok overdue"},
		{"overdue", "activate ok overdue ok"},
		{"changed", "activate ok change"},
		{"waitingCancellation", "activate ok deactivate"},
		{"canceled", "activate ok deactivate ok"},
		{"error", "activate broken"},
		{"error", "activate ok suspend broken"},
		{"error", "activate ok suspend ok activate broken"},
		{"error", "activate ok overdue broken"},
		{"error", "activate ok change broken"},
		{"error", "activate ok deactivate broken"},
	} {
		t.Run(c.path, func(t *testing.T) {
			f := newFixture(t)
			f.apply(strings.Fields(c.path)...)
			o := f.overview(ana)
			s := o.Subscriber.Services[0]
			if s.Status != c.status {
				t.Fatalf("got to %s, want %s", s.Status, c.status)
			}
			var want []api.Operation
			for _, a := range []api.Operation{api.Activate, api.Suspend, api.Overdue, api.Settle, api.Change, lifecycle.Resend, api.Deactivate} {
				if f.accepts(a, s) && (a != api.Suspend || c.path != "activate ok deactivate broken") { // a cancellation excludes a suspension
					want = append(want, a)
				}
			}
			if got := operations(o, 0); !slices.Equal(got, want) {
				t.Errorf("offered %v, the server does %v", got, want)
			}
		})
	}
}

// accepts reports whether the server accepts the action, by a dry run or, for a resend,
// by doing it.
func (f *fixture) accepts(a api.Operation, s api.Service) bool {
	f.t.Helper()
	switch a {
	case lifecycle.Resend:
		r, err := f.c.ResendActivationEmail(f.t.Context(), ana, "")
		return err == nil && r.Value.Results[0].Result == api.ResultSent
	case api.Change:
		to := api.Int(premium)
		if s.ProductID == premium {
			to = basic
		}
		r, err := f.c.ValidateChange(f.t.Context(), api.ChangeRequest{ProductID: to, PreviousProductID: s.ProductID, Document: ana})
		return err == nil && r.Value.Result.Result == api.ResultAccepted
	}
	r, err := f.c.ValidateProvision(f.t.Context(), a, s.ProductID, []string{ana})
	f.must(err)
	return r.Value.Results[0].Result == api.ResultAccepted
}

// Steps omits what the token's scopes or the product's `can` forbid.
func TestScopesAndProductsLimitWhatIsOffered(t *testing.T) {
	o := after(t, "activate ok")
	o.Scopes = []api.Scope{api.ScopeRead, api.ScopeManage}
	if steps := operations(o, 0); !slices.Equal(steps, []api.Operation{lifecycle.Resend}) {
		t.Errorf("with the scope manage: got %+v, want the resend alone", steps)
	}
	if got := o.Activations(); got != nil {
		t.Errorf("with the scope manage: got the activations %+v, want none", got)
	}
	o.Scopes = nil
	if got := o.Activations(); len(got) != 2 || got[0].Product.ID != premium {
		t.Errorf("got the activations %+v, want those of the other two products", got)
	}
	o.Products[0].Can = []string{api.CanActivate}
	if steps := operations(o, 0); !slices.Equal(steps, []api.Operation{lifecycle.Resend}) {
		t.Errorf("of a product that can do nothing else: got %+v, want the resend alone", steps)
	}
}

func TestAnOperationWithoutAProductMeansTheServicesToWhichItApplies(t *testing.T) {
	o := after(t, "activate ok")
	o.Subscriber.Services = append(o.Subscriber.Services, api.Service{ProductID: music, StatusID: api.StatusSuspend})
	for op, want := range map[api.Operation][]api.Int{api.Suspend: {basic}, api.Activate: {music}, api.Settle: {basic, music}} {
		var got []api.Int
		for _, p := range o.Meant(op, 0) {
			got = append(got, p.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", op, got, want)
		}
	}
}

// Activations omits refused products and those of a family with a live service.
func TestActivationsAreThoseThatSucceed(t *testing.T) {
	f := newFixture(t)
	for i, c := range []struct {
		apply []string
		want  []api.Int
	}{
		{nil, []api.Int{basic, premium, music}},
		{[]string{"activate"}, []api.Int{music}},
		{[]string{"ok", "suspend", "ok"}, []api.Int{music}},
		{nil, []api.Int{music}}, // with six more products
	} {
		f.apply(c.apply...)
		if i == 3 {
			for id := range 6 {
				f.must(f.m.CreateProduct(t.Context(), domain.Product{ID: 11 + id, Name: fmt.Sprint("Play ", id), Code: fmt.Sprint("play-", id),
					Family: "play", Active: true, Can: domain.CanAll, Partner: f.partner}))
			}
		}
		o := f.overview(ana)
		f.must(o.CheckActivations(t.Context(), f.c))
		var got []api.Int
		for _, s := range o.Activations() {
			got = append(got, s.Product.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %v: products %v, want %v", c.apply, got, c.want)
		}
	}
}

// A recent suspension can be undone as soon as the server accepts it.
func TestUndoIsOfferedWhenItSucceeds(t *testing.T) {
	for _, c := range []struct {
		made   api.Operation
		apply  []string
		wanted api.Operation // empty for none
	}{
		{api.Suspend, []string{"suspend"}, ""},
		{api.Suspend, []string{"suspend", "ok"}, api.Activate},
		{api.Suspend, []string{"suspend", "ok", "activate"}, ""},
		{api.Overdue, []string{"overdue"}, api.Settle},
		{api.Overdue, []string{"overdue", "ok"}, api.Settle},
	} {
		f := newFixture(t)
		f.apply("activate", "ok")
		f.apply(c.apply...)
		s, possible := f.overview(ana).UndoSuspension(0, c.made)
		if possible != (c.wanted != "") || s.Operation != c.wanted || possible && s.TakesBack != c.made {
			t.Errorf("%v: %+v, %v, want %q", c.apply, s, possible, c.wanted)
		}
		if possible {
			if o, err := support.Perform(t.Context(), f.c, s); err != nil || o.Result.Result == api.ResultFailed {
				t.Errorf("%v: %+v, %v", c.apply, o.Result, err)
			}
		}
	}
}
