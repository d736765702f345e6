package run_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// A server that follows api.md alone has no code for a subscriber who is gone.
func TestAnUnknownSubscriberDoesNotEndAResendOnAnotherServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "11144477735") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	c, err := client.New(client.Options{Server: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(yield func(*sheet.Row, error) bool) {
		for n, document := range []string{"11144477735", "52998224725"} {
			row := &sheet.Row{Line: n + 1}
			row.Document = document
			if !yield(row, nil) {
				return
			}
		}
	}
	var got []string
	err = run.Run(t.Context(), &run.Resend{Client: c, All: true}, rows, nil, run.Options{Rows: 1, InFlight: 1}, func(r run.RowResult) error {
		got = append(got, r.Kind)
		return nil
	})
	if err != nil || len(got) != 2 || got[0] != api.ResultFailed || got[1] != api.ResultSent {
		t.Errorf("got %q, %v, want the first refused and the second sent", got, err)
	}
}
