package support_test

import (
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

// Steps omits what the token's scopes or the product's `can` forbid, and after a failure what cannot follow
// it; lifecycle tests the operations of each status.
func TestScopesAndProductsLimitWhatIsOffered(t *testing.T) {
	failed := after(t, "activate ok suspend broken")
	if got := operations(failed, 0); !slices.Equal(got, []api.Operation{api.Activate, api.Suspend, api.Deactivate}) {
		t.Errorf("after a suspension that failed: got %s", got)
	}
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
	o.Products[1].Active, o.Products[2].Can = false, []string{api.CanChangeTo}
	if got := o.Activations(); got != nil {
		t.Errorf("of an inactive product and one that cannot be activated: got the activations %+v, want none", got)
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
	for _, c := range []struct {
		apply []string
		want  []api.Int
	}{
		{nil, []api.Int{basic, premium, music}},
		{[]string{"activate"}, []api.Int{music}},
		{[]string{"ok", "suspend", "ok"}, []api.Int{music}},
	} {
		f.apply(c.apply...)
		o := f.overview(ana)
		must(f.t, o.CheckActivations(t.Context(), f.c))
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
