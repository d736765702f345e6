package outbox

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A 2xx accepts a request, and a 4xx refuses it for good, unless it is about access or timing. A partner
// that refuses a request is not down.
func TestA4xxOfAPartnerRefusesForGood(t *testing.T) {
	const accepted, again, refused = "accepted", "again", "refused"
	status := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer s.Close()
	for want, statuses := range map[string][]int{
		accepted: {200, 202, 299},
		again:    {301, 304, 307, 401, 403, 404, 405, 407, 408, 421, 425, 429, 500, 503, 599},
		refused:  {400, 402, 409, 422, 451},
	} {
		for _, status = range statuses {
			message := webhookMessage{url: s.URL, secret: []byte("secret"), id: "op_1", sentAt: time.Now()}
			err := classifyPartnerError(postWebhook(t.Context(), newWebhookClients(nil).partners, message))
			got := again
			switch {
			case err == nil:
				got = accepted
			case isPermanent(err):
				got = refused
			}
			if failed, ok := errors.AsType[*DeliveryError](err); ok && failed.DestinationDown != (want == again) {
				t.Errorf("%d: the partner counts as down: %t", status, failed.DestinationDown)
			}
			if got != want {
				t.Errorf("%d: got %s, want %s: %v", status, got, want, err)
			}
		}
	}
}
