package rules_test

import (
	"runtime"
	"slices"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func row(n int, products ...int) rules.Registration {
	return rules.Registration{Fields: fields(n), Products: products}
}

func TestEachRowOfAnImportIsReportedByItself(t *testing.T) {
	fx := newFixture(t, 100)
	fx.register(1, 1)
	fx.register(10, 10)
	changed := row(1, playBasic)
	changed.Email, changed.Plan = domain.Some("novo@example.com.br"), domain.Some("Outro")
	bad := row(2)
	bad.Document, bad.Phone = domain.Some("529.982.247-24"), domain.Optional[string]{}
	other := row(3, playBasic)
	other.Name = domain.Some("Outro nome")
	rows := []rules.Registration{changed, bad, row(3, playBasic, music, playBasic), row(3, music, playBasic), other,
		row(4, 99), row(5, inactive), row(6, suspendOnly), row(7, playBasic, playPremium), row(8), row(9, ungranted), row(10, playBasic)}
	results, err := fx.m.Import(fx.ctx, fx.call(), rows)
	fx.must(err)
	want := []struct {
		kind rules.ResultKind
		code domain.Code
	}{
		{rules.ResultExisting, ""}, {rules.ResultFailed, "invalid_check_digit"}, {rules.ResultCreated, ""},
		{rules.ResultDuplicate, ""}, {rules.ResultFailed, domain.DuplicateInRequest},
		{rules.ResultFailed, domain.UnknownProduct}, {rules.ResultFailed, domain.ProductInactive},
		{rules.ResultFailed, domain.ActionNotAllowed}, {rules.ResultFailed, domain.FamilyConflict},
		{rules.ResultCreated, ""}, {rules.ResultFailed, domain.UnknownProduct}, {rules.ResultExisting, ""},
	}
	for i, r := range results {
		if r.Kind != want[i].kind || want[i].code != "" && r.Errors[0].Code != want[i].code {
			t.Errorf("row %d: got %+v, want %s %s", i, r, want[i].kind, want[i].code)
		}
	}
	if got := results[0].Differs; !slices.Equal(got, []string{"email", "customer_plan"}) || len(results[11].Differs) > 0 {
		t.Errorf("got differs %q and %q, want email and customer_plan, and nothing", got, results[11].Differs)
	}
	if got := results[3].DuplicateOf; got != 2 {
		t.Errorf("got duplicate of %d, want 2", got)
	}
	if got := len(results[2].Services); got != 2 {
		t.Errorf("got %d services, want 2: a repeated product is dropped", got)
	}
	if got := results[1]; len(got.Errors) != 2 || got.Document != "52998224724" {
		t.Errorf("got %+v, want every error of the row and the digits of its document", got)
	}
	wantCode(t, errorOf(fx.m.Subscriber(fx.ctx, fx.p.ID, document(4))), domain.SubscriberNotFound) // failed because of its product
	if got, mailed := fx.provider(), len(fx.mails()); got.ActiveTokens != 2 || mailed != 1 {
		t.Errorf("got %d counted and e-mails to %d, want the services of the third row alone: nothing is activated for those who exist", got.ActiveTokens, mailed)
	}
}

// Comparing each duplicate with a row of a hundred thousand products must not block other writes.
func TestALargeRowThatOthersRepeatIsReadOnce(t *testing.T) {
	fx := newFixture(t, 100)
	rows := []rules.Registration{row(1, slices.Repeat([]int{playBasic}, 100_000)...)}
	for range 100 {
		rows = append(rows, row(1, playBasic))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	results, err := fx.m.Import(fx.ctx, fx.call(), rows)
	runtime.ReadMemStats(&after)
	fx.must(err)
	if got := results[100].Kind; got != rules.ResultDuplicate {
		t.Errorf("got %s, want a duplicate", got)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 50 {
		t.Errorf("the import took %d MiB", got)
	}
}

func TestInvalidRequestsAreRefusedAsAWhole(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, alone)
	fx.register(3, 3, playBasic)
	imports := func(rows int) error {
		_, err := fx.m.Import(fx.ctx, fx.call(), make([]rules.Registration, rows))
		return err
	}
	batch := func(req domain.Request, product int, documents ...string) error {
		_, err := fx.m.Provision(fx.ctx, fx.call(), req, product, documents)
		return err
	}
	change := func(n, from, to int) error {
		_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(n), from, to)
		return err
	}
	for i, c := range []struct {
		got  error
		want domain.Code
	}{
		{imports(0), domain.ValidationFailed},
		{batch(domain.RequestSuspend, playBasic), domain.ValidationFailed},
		{batch(domain.RequestActivate, 99, doc(1)), domain.UnknownProduct},
		{batch(domain.RequestActivate, ungranted, doc(1)), domain.UnknownProduct},
		{batch(domain.RequestSuspend, 99, doc(1)), domain.UnknownProduct},
		{batch(domain.RequestActivate, inactive, doc(1)), domain.ProductInactive},
		{batch(domain.RequestActivate, suspendOnly, doc(1)), domain.ActionNotAllowed},
		{batch(domain.RequestDeactivate, suspendOnly, doc(1)), domain.ActionNotAllowed},
		{change(1, playBasic, 99), domain.UnknownProduct},
		{change(1, playBasic, ungranted), domain.UnknownProduct},
		{change(1, playBasic, playBasic), domain.SameProduct},
		{change(1, playBasic, inactive), domain.ProductInactive},
		{change(1, playBasic, suspendOnly), domain.ActionNotAllowed},
		{change(1, playBasic, music), domain.NotReplaceable},
		{change(2, alone, music), domain.NotReplaceable},
		{change(9, playBasic, playPremium), domain.SubscriberNotFound},
		{change(1, music, playBasic), domain.ServiceNotFound},
		{change(3, playBasic, playPremium), domain.ServiceNotActive},
	} {
		if !domain.IsCode(c.got, c.want) {
			t.Errorf("request %d: got %v, want %s", i, c.got, c.want)
		}
	}
}

// A product that may still be reactivated is activated no more, not even where an activation failed.
func TestAFailedActivationOfAClosedProductIsNotRetried(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	fx.confirm(1, playBasic, false)
	fx.must(errorOf(fx.m.UpdateProduct(fx.ctx, playBasic, func(p *domain.Product) error { p.Can &^= domain.CanActivate; return nil })))
	if r := fx.do(domain.RequestActivate, playBasic, 1); r.Code != domain.ActionNotAllowed || r.Status != domain.InError {
		t.Errorf("got %+v, want it refused", r)
	}
}

// An import of existing subscribers uses no numbers and writes nothing.
func TestAnImportOfExistingSubscribersTakesNoNumbers(t *testing.T) {
	fx := newFixture(t, 100)
	fx.register(1, 3)
	before := fx.provider()
	results, err := fx.m.Import(fx.ctx, fx.call(), []rules.Registration{row(1), row(2), row(3)})
	fx.must(err)
	if got := fx.provider(); results[2].Kind != rules.ResultExisting || got != before {
		t.Errorf("got %s and %+v, want existing and %+v as before", results[2].Kind, got, before)
	}
}

// Deliveries of a request for a few subscribers are urgent. Deliveries of an import, or of an
// activation that waited for a higher limit, are not.
func TestDeliveriesThatSomebodyWaitsForAreUrgent(t *testing.T) {
	fx := newFixture(t, 52)
	fx.register(1, 50, 1)
	fx.register(51, 53, 1) // the last is queued
	fx.must(errorOf(fx.m.SetLimit(fx.ctx, fx.p.Name, 100)))
	fx.must(fx.m.Promote(domain.WithBulk(fx.ctx)))
	emails, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{Kinds: []domain.DeliveryKind{domain.EmailDelivery}})
	fx.must(err)
	if len(emails) != 53 {
		t.Errorf("%d e-mails are due, want 53", len(emails))
	}
	for _, d := range emails {
		if want := d.Document == doc(51) || d.Document == doc(52); d.Urgent != want {
			t.Errorf("%s: urgent is %t, want %t", d.Document, d.Urgent, want)
		}
	}
}
