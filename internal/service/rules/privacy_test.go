package rules_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// reasons returns all stored reasons: of operations, histories and partner events.
func (fx *fixture) reasons() (all []string) {
	fx.t.Helper()
	operations, err := fx.m.ListOperations(fx.ctx, domain.OperationFilter{})
	fx.must(err)
	for _, o := range operations {
		all = append(all, o.Reason)
	}
	events, _, err := fx.m.Events(fx.ctx, fx.p.ID, 0, 500)
	fx.must(err)
	for _, e := range events {
		all = append(all, e.Reason)
	}
	reported, err := fx.m.PartnerEvents(fx.ctx, nil)
	fx.must(err)
	for _, e := range reported {
		all = append(all, e.Reason)
	}
	return all
}

// wantNoReasons checks that an erased subscriber has left no reason.
func (fx *fixture) wantNoReasons() {
	fx.t.Helper()
	for _, got := range fx.reasons() {
		if got != "" {
			fx.t.Errorf("the reason %q is kept", got)
		}
	}
}

// The reason of a partner or operator is stored without the subscriber's name and number, and deleted
// with the subscriber (decisions.md 8, Privacy).
func TestReasonsAreKeptWithoutPersonalDataAndErased(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	reason := "o ASSINANTE (" + document(1).Format() + ") recusou"
	const kept = "o *** (***) recusou"

	fx.do(domain.RequestSuspend, playBasic, 1)
	failed := domain.PartnerEvent{Partner: fx.partner.ID, ID: "msg_1", Operation: fx.service(1, playBasic).Operation, Kind: "suspension", Reason: reason}
	fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, failed)))
	fx.do(domain.RequestDeactivate, playBasic, 1)
	fx.must(fx.m.Resolve(fx.ctx, fx.service(1, playBasic).Operation, false, reason))
	failed.ID, failed.Operation = "msg_2", fx.service(1, playBasic).Operation+1
	fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, failed))) // unmatched until the next operation
	failed.Kind, failed.ID = "cancellation", "msg_3"
	fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, failed)))
	fx.do(domain.RequestDeactivate, playBasic, 1)
	fx.must(errorOf(fx.m.ReplayPartnerEvents(fx.ctx)))
	n := 0
	for _, got := range fx.reasons() {
		if got == kept {
			n++
		} else if strings.Contains(got, "recusou") {
			t.Errorf("a reason is kept as %q, want %q", got, kept)
		}
	}
	if n < 6 {
		t.Errorf("got %q, want the reason of 3 operations and as many events", fx.reasons())
	}

	fx.do(domain.RequestDeactivate, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))
	late := domain.PartnerEvent{Partner: fx.partner.ID, ID: "msg_4", Operation: failed.Operation, Kind: "cancellation", Reason: reason}
	fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, late)))
	fx.wantNoReasons()
}

// The reason for which a partner failed an operation that another has replaced is deleted with its
// subscriber, even if retention has deleted the events of that operation.
func TestTheReasonOfASupersededOperationIsErased(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	late := fx.suspending(1, "msg_1")
	late.Confirmed, late.Reason = false, "moved to Recife"
	parked := late
	parked.ID, parked.Kind = "msg_2", "activation" // of another kind than its operation
	fx.do(domain.RequestDeactivate, playBasic, 1)
	for _, event := range []domain.PartnerEvent{late, parked} {
		fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, event)))
	}
	fx.now = fx.now.Add(48 * time.Hour)
	fx.must(fx.store.Purge(fx.ctx, domain.RetentionPeriods{History: 24 * time.Hour}.Cutoffs(fx.now)))
	fx.confirm(1, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))
	fx.wantNoReasons()
}
