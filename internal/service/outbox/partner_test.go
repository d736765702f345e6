package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// partnerRequest is the part of a partner request that tests look at.
type partnerRequest struct {
	Type      string
	Operation string `json:"operation_id"`
	At        string `json:"occurred_at"`
	Data      struct {
		Subscriber, Service map[string]any
		Previous            int `json:"previous_product_id"`
	}
}

func decodePartnerRequest(t *testing.T, body string) partnerRequest {
	t.Helper()
	var a partnerRequest
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// newHTTPPartnerFixture returns a fixture whose partner has the driver http and
// is reached through a network in memory.
func newHTTPPartnerFixture(t *testing.T, options servicetest.Options, answer func(int, http.ResponseWriter, *http.Request)) (*fixture, *webhookReceiver, *network) {
	t.Helper()
	net, h := newNetwork(), &webhookReceiver{t: t, respond: answer}
	partner := rules.Partner{Name: "parceiro", Driver: rules.DriverHTTP, URL: net.serve(t, "partner.example", h)}
	f := newFixture(t, partner)
	f.managerOptions = options
	f.options.Transport = dialling(net.Dial)
	partners, err := f.manager.Partners(context.Background())
	f.must(err)
	h.secret = partners[0].Secret
	f.must(f.store.Close())
	f.open()
	return f, h, net
}

func TestResponsesOfAPartner(t *testing.T) {
	const accepted, again, refused = rules.JobDone, rules.JobDue, rules.JobDead
	for status, want := range map[int]rules.JobState{
		200: accepted, 201: accepted, 202: accepted, 204: accepted, 299: accepted,
		301: again, 302: again, 307: again, 308: again, 304: again,
		401: again, 403: again, 404: again, 405: again, 407: again, 408: again, 421: again, 425: again, 429: again,
		400: refused, 402: refused, 406: refused, 409: refused, 410: refused, 413: refused, 415: refused, 422: refused, 451: refused,
		500: again, 501: again, 502: again, 503: again, 504: again, 599: again,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", "http://partner.example/other")
					w.WriteHeader(status)
				})
				f.start()
				d := f.register(f.defaultProvider, 1, 1)[0]
				synctest.Wait()
				if n := len(h.messages()); n != 1 {
					t.Fatalf("got %d requests at first, want 1", n)
				}
				advance(8 * time.Second)
				calls, status := 1, rules.InProgress
				switch want {
				case again:
					calls = 2
				case refused:
					status = rules.InError
				}
				if n := len(h.messages()); n != calls {
					t.Errorf("got %d requests, want %d", n, calls)
				}
				f.wantStatus(f.defaultProvider, d, status)
				if n := len(f.jobs(rules.PartnerJob, want)); n != 1 {
					t.Errorf("got %d jobs %s, want 1", n, want)
				}
				if want == refused && f.lastReason(f.defaultProvider, d) != rules.ReasonRefused {
					t.Errorf("got the reason %q", f.lastReason(f.defaultProvider, d))
				}
			})
		})
	}
}

func TestAPartnerIsToldTheOperation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{}, nil)
		f.start()
		d := f.register(f.defaultProvider, 1, 1)[0]
		advance(time.Second)
		got := h.messages()[0]
		a := decodePartnerRequest(t, got.body)
		if a.Operation != got.id || a.Operation != f.service(f.defaultProvider, d).Operation.String() || a.Type != "service.activation.requested" {
			t.Errorf("got %s with the id %s", got.body, got.id)
		}
		if len(a.Data.Subscriber) != 4 || len(a.Data.Service) != 7 || a.Data.Subscriber["document"] != d || a.At == "" {
			t.Errorf("got %s, want four fields of the subscriber and seven of the service", got.body)
		}
		f.wantStatus(f.defaultProvider, d, rules.InProgress)
	})
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 0 {
				w.Header().Set("Retry-After", "600")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		f.start()
		f.register(f.defaultProvider, 1, 1)
		advance(time.Minute)
		f.register(f.defaultProvider, 5, 1) // others of the same partner wait too
		advance(8 * time.Minute)
		if n := len(h.messages()); n != 1 {
			t.Errorf("got %d requests before the time was over, want 1", n)
		}
		advance(3 * time.Minute)
		if n := len(h.messages()); n != 7 {
			t.Errorf("got %d requests after it, want all 7", n)
		}
	})
}

// A partner that asks for a pause and fails once more after it is called again.
func TestAPartnerThatFailsAfterItsPauseIsCalledAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			switch n {
			case 0:
				w.Header().Set("Retry-After", "10")
				w.WriteHeader(http.StatusTooManyRequests)
			case 1:
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		f.start()
		f.register(f.defaultProvider, 1, 1)
		advance(time.Minute)
		f.register(f.defaultProvider, 2, 1)
		advance(15 * time.Minute)
		if n := len(f.jobs(rules.PartnerJob, rules.JobDone)); n != 3 {
			t.Errorf("got %d of 3 requests delivered after %d calls", n, len(h.messages()))
		}
	})
}

func TestADeadPartnerIsLeftAloneAndDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var alive atomic.Bool
		f, h, net := newHTTPPartnerFixture(t, servicetest.Options{}, func(_ int, _ http.ResponseWriter, r *http.Request) {
			if !alive.Load() {
				<-r.Context().Done()
			}
		})
		good := &webhookReceiver{t: t}
		good.secret = f.createProducts(rules.Partner{Name: "outro", Driver: rules.DriverHTTP, URL: net.serve(t, "good.example", good)}, 11).Secret
		f.start()
		f.register(f.defaultProvider, 500, 1)
		for range 30 {
			before, began := len(good.messages()), time.Now()
			f.register(f.defaultProvider, 1, 11)
			advance(2 * time.Second)
			got := good.messages()
			if len(got) != before+1 || got[before].at.Sub(began) >= time.Second {
				t.Fatalf("the request to the other partner did not arrive within a second")
			}
		}
		advance(7 * time.Minute)
		if n := len(h.messages()); n < 8 || n > 25 {
			t.Errorf("the dead partner got %d requests in 8 minutes, want a few", n)
		}
		alive.Store(true)
		advance(10 * time.Minute)
		if n := len(f.jobs(rules.PartnerJob, rules.JobDue, rules.JobLeased)); n != 0 {
			t.Errorf("%d requests are still owed to the partner that is back", n)
		}
		if n := len(countByID(h.messages())); n != 500 {
			t.Errorf("the partner got %d operations, want 500", n)
		}
	})
}

func countByID(all []received) map[string]int {
	ids := map[string]int{}
	for _, m := range all {
		ids[m.id]++
	}
	return ids
}

func TestWithoutConfirmationThePartnerIsAskedAgainAndThenItIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{ConfirmTimeout: 10 * time.Second, MaxAttempts: 3}, nil)
		f.start()
		d := f.registerActive(f.defaultProvider, 1, 1)[0]
		advance(time.Minute) // the activation has no deadline
		f.request(f.defaultProvider, rules.RequestSuspend, 1, d)
		began := time.Now()
		advance(3 * time.Minute)
		var at []string
		for _, m := range h.messages() {
			if strings.Contains(m.body, "suspension") {
				at = append(at, m.at.Sub(began).Round(time.Second).String())
				if m.id != f.service(f.defaultProvider, d).Operation.String() {
					t.Errorf("asked with the id %s, want that of the operation", m.id)
				}
			}
		}
		if got := strings.Join(at, " "); got != "0s 10s 30s" && got != "0s 11s 32s" && got != "0s 11s 31s" {
			t.Errorf("asked at %s, want at once, after 10 s and after 20 s more", got)
		}
		f.wantStatus(f.defaultProvider, d, rules.InError)
		if got := f.lastReason(f.defaultProvider, d); got != "no confirmation" {
			t.Errorf("got the reason %q", got)
		}
		operations, err := f.manager.ListOperations(context.Background(), rules.OperationFilter{States: []rules.OperationState{rules.OperationTimedOut}})
		if err != nil || len(operations) != 1 || operations[0].Attempts != 3 {
			t.Errorf("got %+v, %v, want one that timed out after 3", operations, err)
		}
		// a late confirmation still applies
		f.confirm(d)
		f.wantStatus(f.defaultProvider, d, rules.Suspended)
	})
}

func (f *fixture) confirm(document string) {
	f.t.Helper()
	_, err := f.manager.Confirm(context.Background(), []rules.Confirmation{{Operation: f.service(f.defaultProvider, document).Operation, Confirmed: true, Actor: rules.ActorPartner}})
	f.must(err)
}

func TestARequestReplacesTheOneBeforeThatIsStillTried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{ConfirmTimeout: time.Minute, MaxAttempts: 3}, statuses(200, 503))
		f.start()
		d := f.registerActive(f.defaultProvider, 1, 1)[0]
		advance(time.Second)
		f.request(f.defaultProvider, rules.RequestSuspend, 1, d)
		advance(90 * time.Second)
		all, err := f.manager.SubscriberDeliveries(context.Background(), f.defaultProvider.ID, cpf.Document(d))
		f.must(err)
		waiting := 0 // of the two asks the first is obsolete, whether or not a server has met it since
		for _, d := range all {
			if d.StateAt(time.Now()) == rules.DeliveryWaiting {
				waiting++
			}
		}
		if waiting != 1 {
			t.Errorf("%d requests for one operation wait, want 1", waiting)
		}
		f.confirm(d)
		calls := len(h.messages())
		advance(10 * time.Minute) // all three asks would be over
		if n := len(h.messages()); n != calls {
			t.Errorf("the partner was asked %d times after it confirmed", n-calls)
		}
	})
}
