package support_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/support"
)

// slowServer answers each request after a second, but fails those whose path ends with fails.
type slowServer struct{ fails string }

func (s slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second)
	if s.fails != "" && strings.HasSuffix(r.URL.Path, s.fails) {
		return nil, errors.New("cut")
	}
	body := `{"history":[],"deliveries":[],"schedules":[],"results":[],"result":{},"response":"success"}`
	if r.URL.Path == "/subscribers/"+ana {
		body = `{"subscriber":{"name":"Ana","document":"` + ana + `","services":[` + strings.Repeat(`{"content_supplier_product_id":1,"status":"active","status_id":1},`, 6) +
			`{"content_supplier_product_id":2,"status":"active","status_id":1}]}}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// A card that lacks what could not be read would say that there is none.
func TestACardNeedsEveryAnswer(t *testing.T) {
	for _, path := range []string{ana, "/history", "/deliveries", "/schedule"} {
		synctest.Test(t, func(t *testing.T) {
			c := apitest.Client(t, client.Options{Server: "http://localhost", Tokens: apitest.Token("b"), Retry: apitest.Once(),
				Transport: func(*http.Transport) http.RoundTripper { return slowServer{fails: path} }})
			k := &support.Catalog{History: true, Deliveries: true, Schedule: true}
			if _, err := support.ReadOverview(t.Context(), c, k, ana, time.Now()); err == nil {
				t.Errorf("%s failed: got a card, want an error", path)
			}
		})
	}
}

// However many services a subscriber has, a card waits for four answers, one after the other: the
// subscriber, what is reported about it, the changes and the activations that the server refuses.
func TestACardWaitsForFourAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := apitest.Client(t, client.Options{Server: "http://localhost", Tokens: apitest.Token("b"), Transport: func(*http.Transport) http.RoundTripper { return slowServer{} }})
		k := &support.Catalog{History: true, Deliveries: true, Schedule: true, Validates: true}
		for id := range api.Int(4) {
			k.Products = append(k.Products, api.Product{ID: id + 1, Active: true, Can: []string{api.CanActivate, api.CanChangeTo, api.CanChangeFrom}})
		}
		begin := time.Now()
		o, err := support.ReadOverview(t.Context(), c, k, ana, begin)
		must(t, errors.Join(err, o.CheckChanges(t.Context(), c), o.CheckActivations(t.Context(), c)))
		if got := time.Since(begin); got != 4*time.Second || len(o.Subscriber.Services) != 7 {
			t.Errorf("read %d services in %v, want 7 in 4s", len(o.Subscriber.Services), got)
		}
	})
}
