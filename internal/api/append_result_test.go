package api_test

import (
	"testing"

	"ativa/internal/api"
)

func TestAppendedResultsAreWhatTheStandardLibraryWrites(t *testing.T) {
	one, status, id := 1, "limitReached", api.StatusLimitReached
	errs := []api.FieldError{
		{Pointer: "/a\"b", Field: "email", Code: "invalid_email", Detail: "<é\n>"},
		{Field: "document", Code: "c", Detail: "d"},
	}
	imports := []api.ImportResponse{
		{Response: "success"},
		{Response: "partial", ImportOutcome: api.ImportOutcome{
			Summary: api.ImportSummary{Total: 5, Created: 1, Existing: 2, Duplicate: 3, Failed: 4},
			Results: api.List[api.ImportResult]{
				{Index: 0, Document: "a\u2028b", Result: "created", Services: api.List[api.ImportedService]{
					{ProductID: 25, Status: status, StatusID: id, QueuePosition: 7}, {ProductID: 26, Status: "inProgress", StatusID: 10}}},
				{Index: 1, Result: "existing", Differs: []string{"email", "phone"}},
				{Index: 2, Result: "duplicate", DuplicateOf: &one},
				{Index: 3, Result: "failed", Errors: errs},
			}}},
	}
	for _, a := range imports {
		if got, want := string(a.AppendJSON(nil)), encode(t, a); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	batches := []api.BatchResponse{
		{Response: "success", BatchOutcome: api.BatchOutcome{Operation: api.Settle}},
		{Response: "partial", BatchOutcome: api.BatchOutcome{
			Operation: api.Activate, ProductID: 25, Summary: api.BatchSummary{Total: 3, Accepted: 1, Unchanged: 2, Failed: 3},
			Results: api.List[api.BatchResult]{
				{Result: "failed", Code: "service_not_found", Detail: "\"x\""},
				{Index: 1, Result: "accepted", Status: &status, StatusID: &id, PreviousStatus: &status, QueuePosition: 2},
			}}},
	}
	for _, a := range batches {
		if got, want := string(a.AppendJSON(nil)), encode(t, a); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
