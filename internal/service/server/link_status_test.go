package server_test

import (
	"fmt"
	"strings"
	"testing"

	"ativa/internal/api"
)

// The page of a link is correct in each status of its service, in both languages. During a change, or
// while an activation is queued, it says to try again later.
func TestALinkDuringAChangeDoesNotSayCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, limit(1))
	active, later := [2]string{"Serviço já ativo", "Service already active"}, [2]string{"Ativação indisponível agora", "Activation not possible right now"}
	suspended, closed := [2]string{"Serviço suspenso", "Service suspended"}, [2]string{"Ativação indisponível", "Activation unavailable"}
	var link string
	// is checks the status of subscriber n's service and the page of the link.
	is := func(n int, status string, want [2]string, code int) {
		t.Helper()
		f.do("GET", "/subscribers/"+doc(n), "").has(map[string]string{"subscriber.services.0.status": status})
		for _, method := range []string{"GET", "POST"} {
			if method == "POST" && status == "inProgress" {
				continue // it would activate
			}
			r := f.do(method, "/activate/"+link, "", "Authorization").want(code)
			english := f.do(method, "/activate/"+link, "", "Accept-Language: en").want(code)
			if got := [2]string{title(r), title(english)}; got != want {
				t.Errorf("%s, %s: got %q, want %q", status, method, got, want)
			}
			if want == later && (strings.Contains(string(r.body), "cancelad") || !strings.Contains(string(r.body), "mais tarde")) {
				t.Errorf("%s, %s: the page speaks of a cancellation, or not of trying later", status, method)
			}
		}
		f.do("GET", "/subscribers/"+doc(n), "").has(map[string]string{"subscriber.services.0.status": status})
	}
	request := func(operation, body string) { t.Helper(); f.do("POST", "/provision/"+operation, body).want(200) }
	change := func(from, to int) string {
		return fmt.Sprintf(`{"product_id":%d,"previous_product_id":%d,"document":%q}`, to, from, doc(1))
	}
	resend := func(n int) {
		t.Helper()
		f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(n)+`"}`).want(200)
	}

	f.activate(1, basic)
	resend(1)
	link = f.links()[doc(1)]
	is(1, "active", active, 200)
	request("change", change(basic, premium))
	is(1, "changed", later, 410)
	f.do("GET", "/activate/"+link, "", "Accept: application/json").want(410, api.CodeLinkInvalid)
	f.confirm(1)
	is(1, "active", active, 200)
	request("change", change(premium, basic))
	f.confirmWith(1, false)
	is(1, "error", later, 410) // the change failed
	request("activate", batch(premium, 1))
	is(1, "reactivated", later, 410)
	f.confirm(1)
	request("suspend", batch(premium, 1))
	is(1, "waitingSuspension", suspended, 410)
	f.confirm(1)
	is(1, "suspend", suspended, 410)
	request("activate", batch(premium, 1))
	f.confirm(1)
	request("overdue", batch(premium, 1))
	is(1, "waitingSuspensionDueToOverdue", suspended, 410)
	f.confirm(1)
	is(1, "overdue", suspended, 410)
	request("deactivate", batch(premium, 1))
	is(1, "waitingCancellation", closed, 410)
	f.confirm(1)
	is(1, "canceled", closed, 410)

	f.register(2, 2, basic)
	link = f.links()[doc(2)]
	is(2, "inProgress", [2]string{"Ative o seu serviço", "Activate your service"}, 200)
	f.confirmWith(2, false)
	is(2, "error", closed, 410)
	f.register(3, 3, basic) // takes the place
	resend(2)
	is(2, "limitReached", later, 410)
	request("deactivate", batch(basic, 2))
	is(2, "canceledWithoutActivation", closed, 410)
}
