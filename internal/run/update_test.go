package run_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// An update of a known subscriber takes each field that differs from the row, and no other.
func TestAnUpdateTakesTheFieldsThatDiffer(t *testing.T) {
	row := file(numbered(1))[0]
	row.Name, row.Email, row.Phone, row.CustomerPlan, row.InternetSpeedID = "Ana Lima", "ana@example.com", "+5511987654321", "Fibra 500", api.Some(api.Int(8))
	values := map[string]any{
		api.FieldName: row.Name, api.FieldEmail: row.Email, api.FieldPhone: row.Phone, api.FieldCustomerPlan: row.CustomerPlan, api.FieldInternetSpeedID: 8.0,
	}
	for field, value := range values {
		t.Run(field, func(t *testing.T) {
			var sent map[string]any
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set(api.HeaderExtensions, allExtensions)
				var answer any = api.SubscriberResponse{Response: api.ResponseSuccess}
				if r.Method == http.MethodPut {
					if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
						t.Error(err)
					}
				} else {
					answer = map[string]any{"response": "success", "summary": map[string]int{"total": 1, "existing": 1},
						"results": []api.ImportResult{{Document: row.Document, Result: api.ResultExisting, Differs: []string{field}}}}
				}
				if err := json.NewEncoder(w).Encode(answer); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			c, err := client.New(client.Options{Server: server.URL, Tokens: token{}, Retry: client.RetryPolicy{MaxAttempts: 1}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(t, &run.Import{Client: c, Idempotency: true, UpdateExisting: true}, []*sheet.Row{row}, run.Options{Idempotency: true})
			if err != nil || !got[row.Document].Updated {
				t.Errorf("got %+v, %v, want the subscriber updated", got[row.Document].Result, err)
			}
			if diff := cmp.Diff(map[string]any{field: value}, sent); diff != "" {
				t.Errorf("the update is (-want +got)\n%s", diff)
			}
		})
	}
}
