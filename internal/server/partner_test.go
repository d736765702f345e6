package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// suspending is the operation of a suspension that waits for the partner.
func (w *world) suspending(n int) provision.OperationID {
	w.t.Helper()
	w.activate(n, basic)
	w.do("POST", "/provision/suspend", batch(basic, n)).want(200)
	s, err := w.m.Subscriber(w.t.Context(), w.p.ID, cpf.Document(doc(n)))
	w.must(err)
	return s.Services[0].Operation
}

func suspended(op provision.OperationID) string {
	return fmt.Sprintf(`{"type":"service.suspension.confirmed","operation_id":%q}`, op)
}

// An event is stored, answered, and then applied: what cannot be applied at
// the moment is applied later, once, and keeps no other event waiting.
func TestAPartnersEventIsStoredBeforeItIsApplied(t *testing.T) {
	w := newWorld(t)
	first, second := suspended(w.suspending(1)), suspended(w.suspending(2))
	w.store.update = func(context.Context) error { return errors.New("the disk is gone") }
	w.do("POST", "/partner/events", first, w.sign("m1", first, 0)...).want(202).has(map[string]string{"result": "accepted"})
	w.do("POST", "/partner/events", second, w.sign("m2", second, 0)...).want(202).has(map[string]string{"result": "accepted"})
	w.do("POST", "/partner/events", first, w.sign("m1", first, 0)...).want(202).has(map[string]string{"result": "duplicate"})
	w.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "waitingSuspension"})

	calls := 0
	w.store.update = func(context.Context) error {
		if calls++; calls == 1 {
			return errors.New("the first still fails")
		}
		return nil
	}
	if n, err := w.m.ApplyPartnerEvents(t.Context()); n != 1 || err == nil {
		t.Errorf("got %d applied, %v, want the second and the error of the first", n, err)
	}
	w.do("GET", "/subscribers/"+doc(2), "").has(map[string]string{"subscriber.services.0.status": "suspend"})
	if n, err := w.m.ApplyPartnerEvents(t.Context()); n != 1 || err != nil {
		t.Errorf("got %d applied, %v, want the first", n, err)
	}
	w.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "suspend"})
	if n, err := w.m.ApplyPartnerEvents(t.Context()); n != 0 || err != nil {
		t.Errorf("got %d applied, %v, want nothing left", n, err)
	}
}

// A partner cannot confirm what another was asked for, though it knows the id.
func TestAPartnerConfirmsNothingOfAnother(t *testing.T) {
	w := newWorld(t)
	op := w.suspending(1)
	var err error
	mine := w.partner
	w.partner, err = w.m.CreatePartner(t.Context(), provision.Partner{Name: "outro", Driver: provision.DriverManual})
	w.must(err)
	body := suspended(op)
	w.do("POST", "/partner/events", body, w.sign("m1", body, 0)...).want(202).has(map[string]string{"result": "accepted"})
	w.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "waitingSuspension"})
	parked, err := w.m.PartnerEvents(t.Context(), []provision.PartnerEventState{provision.PartnerEventUnmatched})
	if err != nil || len(parked) != 1 || parked[0].Partner != w.partner.ID {
		t.Errorf("got %+v, %v, want it parked", parked, err)
	}
	w.partner = mine // whose ids of messages are its own
	w.do("POST", "/partner/events", body, w.sign("m1", body, 0)...).want(202).has(map[string]string{"result": "accepted"})
	w.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "suspend"})
}
