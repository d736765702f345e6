package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ativa/internal/api"
)

// An address that floods with wrong or old signatures is throttled, and its events leave nothing. What
// signed events may confirm is tested with package rules.
func TestForgedPartnerEventsAreThrottledAndLeaveNothing(t *testing.T) {
	t.Parallel()
	const forged = 200
	f := newFixture(t)
	truth := suspensionConfirmed(f.suspend(1))
	var refused, throttled int
	for n := range forged {
		headers := f.sign(fmt.Sprint("forged", n), truth+" ", 0) // the signature is of another body
		if n%2 == 0 {
			headers = f.sign(fmt.Sprint("old", n), truth, -time.Hour)
		}
		if r := f.do("POST", "/partner/events", truth, headers...); r.status == http.StatusTooManyRequests {
			r.want(http.StatusTooManyRequests, api.CodeRateLimited)
			throttled++
		} else {
			r.want(http.StatusUnauthorized, api.CodeInvalidSignature)
			refused++
		}
	}
	if refused != 60 || throttled != forged-60 {
		t.Errorf("%d events were refused and %d throttled, want 60 and the rest", refused, throttled)
	}
	if kept, err := f.m.PartnerEvents(t.Context(), nil); err != nil || len(kept) != 0 {
		t.Errorf("got %+v, %v, want no event without a good signature", kept, err)
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "waitingSuspension"})
	f.advance(time.Second)
	f.do("POST", "/partner/events", truth, f.sign("true", truth, 0)...).want(http.StatusAccepted)
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "suspend"})
}
