package support_test

import (
	"net/http"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/support"
)

// errorOf returns the error of a call whose result does not matter.
func errorOf[T any](_ T, err error) error { return err }

// A request that fails is no empty result: nobody is reported missing, no service uncounted, and
// nothing is offered whose refusal could not be read.
func TestAFailedRequestIsNoResult(t *testing.T) {
	up := map[string]string{
		"/products":           `{"content_supplier_products":[]}`,
		"/subscribers/" + ana: `{"subscriber":{"name":"Ana","document":"` + ana + `","services":[{"content_supplier_product_id":1,"status":"limitReached","status_id":6}]}}`,
	}
	c := apitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, works := up[r.URL.Path]
		if !works {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(body))
	}), client.Options{Retry: apitest.Once()})
	card, err := support.ReadOverview(t.Context(), c, &support.Catalog{}, ana, time.Now())
	must(t, err)
	card.Catalog = &support.Catalog{Validates: true, Products: []api.Product{{ID: 2, Active: true, Can: []string{api.CanActivate}}}}
	for name, err := range map[string]error{
		"a search":         errorOf(support.Find(t.Context(), c, "ana", 2)),
		"a CPF":            errorOf(support.Find(t.Context(), c, "111.444.777-35", 2)),
		"the extensions":   errorOf(support.ReadCatalog(t.Context(), c)),
		"a place in queue": errorOf(support.ReadOverview(t.Context(), c, &support.Catalog{Validates: true}, ana, time.Now())),
		"activations":      card.CheckActivations(t.Context(), c),
	} {
		if client.KindOf(err) != client.KindUnavailable {
			t.Errorf("%s: got %v, want that the server is unavailable", name, err)
		}
	}
	if _, _, err := support.CountCancelable(t.Context(), c, 1, func(string) bool { return true }); client.KindOf(err) != client.KindUnavailable {
		t.Errorf("services to cancel: got %v, want that the server is unavailable", err)
	}
}
