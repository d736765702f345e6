package provision_test

import (
	"testing"

	"ativa/internal/provision"
)

func TestConfirmationsOfUnknownOperationsAreUnmatched(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	op := w.service(1, playBasic).Operation
	for name, c := range map[string]provision.Confirmation{
		"unknown operation": {Operation: op + 1000, Confirmed: true},
		"unknown provider":  {Operation: 77, Confirmed: true},
		"another partner":   {Operation: op, Partner: w.partner.ID + 1, Confirmed: true},
		"another kind":      {Operation: op, Kind: "cancellation", Confirmed: true},
	} {
		states, err := w.m.Confirm(w.ctx, []provision.Confirmation{c})
		w.must(err)
		if states[0] != provision.ReportUnmatched {
			t.Errorf("%s: got %d, want unmatched", name, states[0])
		}
	}
	w.wantStatus(1, playBasic, provision.WaitingSuspension)
}

func TestAReportIsStoredOnceAndParkedWhenUnknown(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	r := provision.Report{Partner: w.partner.ID, ID: "msg_1", Operation: w.service(1, playBasic).Operation, Kind: "suspension", Confirmed: true}
	for _, want := range []bool{false, true} {
		if duplicate, err := w.m.Receive(w.ctx, r); err != nil || duplicate != want {
			t.Fatalf("got duplicate %v, %v, want %v", duplicate, err, want)
		}
	}
	w.wantStatus(1, playBasic, provision.Suspended)
	r.ID, r.Operation = "msg_2", r.Operation+1
	_, err := w.m.Receive(w.ctx, r)
	w.must(err)
	parked, err := w.store.Reports(w.ctx, []provision.ReportState{provision.ReportUnmatched}, 10)
	if err != nil || len(parked) != 1 || parked[0].ID != "msg_2" {
		t.Fatalf("parked: got %+v, %v, want msg_2", parked, err)
	}
	w.do(provision.RequestDeactivate, playBasic, 1) // takes the operation id that was unknown
	r.Kind = "cancellation"
	if n, err := w.m.ReplayReports(w.ctx); err != nil || n != 0 {
		t.Errorf("replay of another kind: got %d, %v, want 0", n, err)
	}
}
