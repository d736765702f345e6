package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// The result of a row has the status that the server reported for its service.
func TestARowHasTheResultOfItsService(t *testing.T) {
	row := &sheet.Row{ImportRow: api.ImportRow{SubscriberCreate: api.SubscriberCreate{Document: "52998224725"}}}
	status, before, id, place, operation := "limitReached", "inProgress", api.Int(4), 3, "op_7"
	r := run.RowResult{Row: row, Result: run.Result{Kind: api.ResultAccepted, Services: []run.Service{
		{ProductID: 25, Status: status, StatusID: id, Previous: before, QueuePosition: place, OperationID: operation}}}}
	want := api.BatchResult{Index: 2, Document: "52998224725", Result: api.ResultAccepted,
		Status: &status, StatusID: &id, PreviousStatus: &before, QueuePosition: place, OperationID: operation}
	if diff := cmp.Diff(r.BatchResult(2), want); diff != "" {
		t.Errorf("(- got, + want):\n%s", diff)
	}
	r.Result = run.Result{Kind: api.ResultFailed, Code: "not_found", Detail: "there is none"}
	if diff := cmp.Diff(r.BatchResult(0), api.BatchResult{Document: "52998224725", Result: api.ResultFailed, Code: "not_found", Detail: "there is none"}); diff != "" {
		t.Errorf("(- got, + want):\n%s", diff)
	}
}
