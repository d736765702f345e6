package provision_test

import (
	"slices"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

func row(n int, products ...int) provision.Registration {
	return provision.Registration{Fields: fields(n), Products: products}
}

func TestEachRowOfAnImportIsReportedByItself(t *testing.T) {
	w := newWorld(t, 100)
	w.register(1, 1, playBasic)
	changed := row(1, playBasic)
	changed.Email, changed.Plan = provision.Some("novo@example.com.br"), provision.Some("Outro")
	bad := row(2)
	bad.Document, bad.Phone = provision.Some("123"), provision.OptionalText{}
	other := row(3, playBasic)
	other.Name = provision.Some("Outro nome")
	rows := []provision.Registration{changed, bad, row(3, playBasic, music, playBasic), row(3, music, playBasic), other,
		row(4, 99), row(5, inactive), row(6, suspendOnly), row(7, playBasic, playPremium), row(8), row(9, ungranted)}
	results, err := w.m.Import(w.ctx, w.call(), rows)
	w.must(err)
	want := []struct {
		kind provision.ImportKind
		code provision.Code
	}{
		{provision.ImportExisting, ""}, {provision.ImportFailed, "invalid_length"}, {provision.ImportCreated, ""},
		{provision.ImportDuplicate, ""}, {provision.ImportFailed, provision.DuplicateInRequest},
		{provision.ImportFailed, provision.UnknownProduct}, {provision.ImportFailed, provision.ProductInactive},
		{provision.ImportFailed, provision.ActionNotAllowed}, {provision.ImportFailed, provision.FamilyConflict},
		{provision.ImportCreated, ""}, {provision.ImportFailed, provision.UnknownProduct},
	}
	for i, r := range results {
		if r.Kind != want[i].kind || want[i].code != "" && r.Errors[0].Code != want[i].code {
			t.Errorf("row %d: got %+v, want %s %s", i, r, want[i].kind, want[i].code)
		}
	}
	if got := results[0].Differs; !slices.Equal(got, []string{"email", "customer_plan"}) {
		t.Errorf("got differs %q, want email and customer_plan", got)
	}
	if got := results[3].DuplicateOf; got != 2 {
		t.Errorf("got duplicate of %d, want 2", got)
	}
	if got := len(results[2].Services); got != 2 {
		t.Errorf("got %d services, want 2: a repeated product is dropped", got)
	}
	if got := len(results[1].Errors); got != 2 {
		t.Errorf("got %d errors, want every one of the row", got)
	}
}

func TestAFailedRowCreatesNothing(t *testing.T) {
	w := newWorld(t, 100)
	_, err := w.m.Import(w.ctx, w.call(), []provision.Registration{row(1, playBasic, 99)})
	w.must(err)
	_, err = w.m.Subscriber(w.ctx, w.p.ID, document(1))
	wantCode(t, err, provision.SubscriberNotFound)
	if got := w.provider(); got.Counted != 0 {
		t.Errorf("got %d counted, want 0", got.Counted)
	}
}

func TestAnImportActivatesNothingForExistingSubscribers(t *testing.T) {
	w := newWorld(t, 100)
	w.register(1, 1)
	results, err := w.m.Import(w.ctx, w.call(), []provision.Registration{row(1, playBasic)})
	w.must(err)
	if results[0].Kind != provision.ImportExisting || len(results[0].Differs) != 0 {
		t.Errorf("got %+v, want existing without differences", results[0])
	}
	w.wantStatus(1, playBasic, provision.NoService)
	if links := w.mails(); len(links) != 0 {
		t.Errorf("got %d e-mails, want none", len(links))
	}
}

func TestTheSizeOfARequestIsBounded(t *testing.T) {
	w := newWorld(t, 1)
	_, err := w.m.Import(w.ctx, w.call(), make([]provision.Registration, provision.MaxItems+1))
	wantCode(t, err, provision.TooManyItems)
	rows := make([]provision.Registration, provision.MaxItems)
	for n := range rows {
		rows[n] = row(n + 1)
	}
	results, err := w.m.Import(w.ctx, w.call(), rows)
	if err != nil || len(results) != provision.MaxItems || results[provision.MaxItems-1].Kind != provision.ImportCreated {
		t.Errorf("the largest import: got %d results, %v", len(results), err)
	}
	_, err = w.m.Provision(w.ctx, w.call(), provision.RequestSuspend, playBasic, make([]string, provision.MaxItems))
	w.must(err)
	_, err = w.m.Import(w.ctx, w.call(), nil)
	wantCode(t, err, provision.ValidationFailed)
	_, err = w.m.Provision(w.ctx, w.call(), provision.RequestSuspend, playBasic, make([]string, provision.MaxItems+1))
	wantCode(t, err, provision.TooManyItems)
	_, err = w.m.Provision(w.ctx, w.call(), provision.RequestSuspend, playBasic, nil)
	wantCode(t, err, provision.ValidationFailed)
}

func TestWhatABatchRequestIsRefusedForAsAWhole(t *testing.T) {
	w := newWorld(t, 10)
	for _, c := range []struct {
		req     provision.Request
		product int
		want    provision.Code
	}{
		{provision.RequestActivate, 99, provision.UnknownProduct},
		{provision.RequestActivate, ungranted, provision.UnknownProduct},
		{provision.RequestSuspend, 99, provision.UnknownProduct},
		{provision.RequestActivate, inactive, provision.ProductInactive},
		{provision.RequestActivate, suspendOnly, provision.ActionNotAllowed},
		{provision.RequestDeactivate, suspendOnly, provision.ActionNotAllowed},
	} {
		_, err := w.m.Provision(w.ctx, w.call(), c.req, c.product, []string{doc(1)})
		wantCode(t, err, c.want)
	}
}

func TestEachDocumentOfABatchIsItsOwnUnit(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 2)
	formatted := cpf.Document(doc(2)).Format()
	results, err := w.m.Provision(w.ctx, w.call(), provision.RequestActivate, playBasic,
		[]string{doc(1), "123", doc(3), formatted, doc(1)})
	w.must(err)
	want := []provision.Result{
		{Document: doc(1), Kind: provision.ResultAccepted, Status: provision.InProgress},
		{Document: "123", Kind: provision.ResultFailed, Code: "invalid_length"},
		{Document: doc(3), Kind: provision.ResultFailed, Code: provision.SubscriberNotFound},
		{Document: doc(2), Kind: provision.ResultAccepted, Status: provision.InProgress},
		{Document: doc(1), Kind: provision.ResultUnchanged, Status: provision.InProgress},
	}
	for i, r := range results {
		if r.Document != want[i].Document || r.Kind != want[i].Kind || r.Status != want[i].Status || r.Code != want[i].Code {
			t.Errorf("element %d: got %+v, want %+v", i, r, want[i])
		}
	}
	if links := w.mails(); len(links) != 2 {
		t.Errorf("got %d e-mails, want 2", len(links))
	}
}

// An import of subscribers who all exist already takes no numbers, so that
// nothing of the provider changes and nothing is written.
func TestAnImportOfExistingSubscribersTakesNoNumbers(t *testing.T) {
	w := newWorld(t, 100)
	rows := []provision.Registration{row(1), row(2), row(3)}
	results, err := w.m.Import(w.ctx, w.call(), rows)
	w.must(err)
	before := w.provider()
	for range 3 {
		results, err = w.m.Import(w.ctx, w.call(), rows)
		w.must(err)
	}
	if got := w.provider(); results[2].Kind != provision.ImportExisting || got != before {
		t.Errorf("got %+v after importing the same again, want %+v as before", got, before)
	}
	if _, err = w.m.Import(w.ctx, w.call(), append(rows, row(4))); err != nil {
		t.Fatal(err)
	}
	if got := w.provider(); got == before {
		t.Error("a new subscriber takes no number")
	}
}
