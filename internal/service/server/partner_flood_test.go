package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A partner floods and lies: events with wrong or old signatures, for operations that nobody
// requested or of another kind, repetitions, and contradictions. An unsigned event leaves nothing, an
// unrequested operation is never confirmed, and the first true event decides.
func TestAPartnerThatFloodsAndLiesConfirmsNothingThatWasNotRequested(t *testing.T) {
	t.Parallel()
	const forged, unknown = 200, 20
	f := newFixture(t)
	op, quiet := f.suspend(1), f.suspend(2)
	truth := suspensionConfirmed(op)
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
	f.advance(time.Second)
	kept := func() []domain.PartnerEvent {
		t.Helper()
		all, err := f.m.PartnerEvents(t.Context(), nil)
		f.must(err)
		return all
	}
	if n := len(kept()); n != 0 {
		t.Errorf("%d events without a good signature were kept", n)
	}
	for n := range unknown {
		body := suspensionConfirmed(op + domain.OperationID(1000+n))
		for range 2 { // the repetition stores nothing
			f.do("POST", "/partner/events", body, f.sign(fmt.Sprint("unknown", n), body, 0)...).want(http.StatusAccepted)
		}
	}
	for n, kind := range []string{"activation.confirmed", "cancellation.confirmed", "reactivation.failed", "change.confirmed"} {
		body := fmt.Sprintf(`{"type":"service.%s","operation_id":%q}`, kind, op)
		f.do("POST", "/partner/events", body, f.sign(fmt.Sprint("kind", n), body, 0)...).want(http.StatusAccepted)
	}
	for n := range 2 {
		f.do("GET", "/subscribers/"+doc(n+1), "").want(200).has(map[string]string{"subscriber.services.0.status": "waitingSuspension"})
	}
	if n := len(kept()); n != unknown+4 {
		t.Errorf("got %d events, want one for each id: %d", n, unknown+4)
	}
	failed := fmt.Sprintf(`{"type":"service.suspension.failed","operation_id":%q,"reason":"no"}`, op)
	for n := range 20 { // contradictions after the true event
		body := truth
		if n%2 == 1 {
			body = failed
		}
		f.do("POST", "/partner/events", body, f.sign(fmt.Sprint("twice", n), body, 0)...).want(http.StatusAccepted)
		f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "suspend"})
	}
	body := suspensionConfirmed(quiet) // another operation of the same partner continues
	f.do("POST", "/partner/events", body, f.sign("quiet", body, 0)...).want(http.StatusAccepted)
	f.do("GET", "/subscribers/"+doc(2), "").want(200).has(map[string]string{"subscriber.services.0.status": "suspend"})
}
