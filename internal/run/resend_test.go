package run_test

import (
	"net/http"
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/run"
)

// A server that follows only api.md has no code for a deleted subscriber.
func TestAnUnknownSubscriberDoesNotEndAResendOnAnotherServer(t *testing.T) {
	f, server := newFixture(t, "")
	f.Refuse = func(r apitest.Request) (int, string) {
		if slices.Contains(r.Documents, numbered(1)) {
			return http.StatusNotFound, ""
		}
		return 0, ""
	}
	var got []string
	err := run.Run(t.Context(), &run.Resend{Client: server, All: true}, seq(file(documents(2)...)), nil, run.Options{Rows: 1, InFlight: 1}, func(r run.RowResult) error {
		got = append(got, r.Kind)
		return nil
	})
	if err != nil || len(got) != 2 || got[0] != api.ResultFailed || got[1] != api.ResultSent {
		t.Errorf("got %q, %v, want the first refused and the second sent", got, err)
	}
}
