package outbox_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// urlSecret is part of the URL of each receiver.
const urlSecret = "s3cr3t"

// newReceiver makes a receiver that gives the answers.
func newReceiver(f *fixture, host string, answers []string) (h *webhookReceiver, url string) {
	h = &webhookReceiver{t: f.t}
	h.respond = func(n int, w http.ResponseWriter, r *http.Request) {
		switch answers[min(n, len(answers)-1)] {
		case acceptsLate:
			advance(10 * time.Second)
		case refusesForGood:
			w.WriteHeader(http.StatusUnprocessableEntity)
		case hangs:
			<-r.Context().Done()
		case "hangs up":
			panic(http.ErrAbortHandler)
		case "is away":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "redirects": // to itself, where it would be counted
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "answers without end":
			w.WriteHeader(http.StatusInternalServerError)
			for err := error(nil); err == nil; {
				_, err = io.WriteString(w, strings.Repeat("x", 1000))
			}
		case "trickles":
			w.WriteHeader(http.StatusInternalServerError)
			for err := error(nil); err == nil && r.Context().Err() == nil; advance(time.Second) {
				_, err = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
	return h, f.serve(host, h) + "?key=" + urlSecret
}

func (h *webhookReceiver) attemptTimes() (at []time.Time) {
	for _, m := range h.messages() {
		at = append(at, m.at)
	}
	return at
}

// openWeb makes two receivers, each with a provider and a product; register sets them up and returns
// their next message.
func openWeb(f *fixture, answers []string, register func(h *webhookReceiver, url string, p domain.Provider, product int) func() dueMessage) (all []destination) {
	for i, host := range []string{"one.example", "two.example"} {
		h, url := newReceiver(f, host, answers)
		addDelivery := register(h, url, f.createProvider(strings.TrimSuffix(host, ".example")), 11+i)
		all = append(all, destination{addDelivery, h.attemptTimes, h.messages})
		answers = []string{accepts}
	}
	return all
}

// addDelivery returns the message of a new subscriber's delivery.
func (f *fixture) addDelivery(p domain.Provider, kind domain.DeliveryKind, product int) dueMessage {
	document := f.register(p, 1, product)[0]
	return dueMessage{
		mark: document,
		state: func() (domain.DeliveryState, string) {
			d, state := f.newestDelivery(p, document, kind)
			return state, d.LastError
		},
		service: func() (domain.Status, string) { return f.service(p, document).Status, f.lastReason(p, document) },
	}
}

func openPartners(f *fixture, answers ...string) []destination {
	return openWeb(f, answers, func(h *webhookReceiver, url string, p domain.Provider, product int) func() dueMessage {
		h.secret = f.createProducts(domain.Partner{Name: p.Name, Driver: domain.DriverHTTP, URL: url}, product).Secret
		return func() dueMessage { return f.addDelivery(p, domain.PartnerDelivery, product) }
	})
}

func openCallbacks(f *fixture, answers ...string) []destination {
	return openWeb(f, answers, func(h *webhookReceiver, url string, p domain.Provider, _ int) func() dueMessage {
		h.secret = f.setCallback(p, url)
		return func() dueMessage {
			o := f.addDelivery(p, domain.CallbackDelivery, 1)
			f.resend(p, o.mark)
			return o
		}
	})
}

func openFeeds(f *fixture, answers ...string) []destination {
	return openWeb(f, answers, func(h *webhookReceiver, url string, p domain.Provider, _ int) func() dueMessage {
		h.secret = f.setFeedCallback(p, url, false)
		return func() dueMessage {
			return dueMessage{mark: f.register(p, 1, 1)[0], state: func() (domain.DeliveryState, string) {
				c := f.feedCallback(p)
				switch {
				case !c.Enabled:
					return domain.DeliveryFailed, c.LastError
				case c.EventsBehind() > 0:
					return domain.DeliveryWaiting, c.LastError
				}
				return domain.DeliverySent, c.LastError
			}}
		}
	})
}

// openMail makes a mail server: one destination.
func openMail(f *fixture, answers ...string) []destination {
	m := f.serveMail()
	m.answer(answers)
	return []destination{{
		addDelivery: func() dueMessage {
			o := f.addDelivery(f.defaultProvider, domain.EmailDelivery, 1)
			o.mark = fmt.Sprintf("a%d@example.com.br", f.registered)
			return o
		},
		attemptTimes: func() []time.Time {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Clone(m.begun)
		},
		messages: func() (all []received) {
			for _, e := range m.arrived() {
				from, err := e.Header.AddressList("From")
				f.must(err)
				all = append(all, received{from: from[0].Name, id: e.Header.Get("Message-ID"), body: e.Header.Get("To") + e.Header.Get("Subject")})
			}
			return all
		},
	}}
}

// answer sets the answer to each e-mail.
func (m *mailServer) answer(answers []string) {
	steps := map[string]struct {
		stage   string // "": each
		takes   time.Duration
		refusal error
		hangsUp bool
	}{
		acceptsLate:                  {stage: atData, takes: 10 * time.Second},
		hangs:                        {stage: atData, takes: 10 * time.Minute, hangsUp: true},
		"takes long at each step":    {takes: 20 * time.Second},
		"refuses the address now":    {stage: atRcpt, refusal: refusing(450, 4, 2, 1)},
		refusesForGood:               {stage: atRcpt, refusal: refusing(550, 5, 1, 1)},
		"refuses the text now":       {stage: atData, refusal: refusing(451)},
		"hangs up in the text":       {stage: atData, hangsUp: true},
		"hangs up before its answer": {stage: taken, hangsUp: true},
	}
	m.at = func(stage string, n int, conn net.Conn) error {
		step, known := steps[answers[min(n, len(answers)-1)]]
		if !known || step.stage != "" && step.stage != stage {
			return nil
		}
		advance(step.takes)
		if step.hangsUp {
			conn.Close()
		}
		return step.refusal
	}
}

// newestDelivery returns the service's record of a subscriber's newest delivery of a kind.
func (f *fixture) newestDelivery(p domain.Provider, document string, kind domain.DeliveryKind) (domain.SubscriberDelivery, domain.DeliveryState) {
	f.t.Helper()
	all, err := f.manager.SubscriberDeliveries(context.Background(), p.ID, cpf.Document(document))
	f.must(err)
	for _, d := range all {
		if d.Kind == kind {
			return d, d.StateAt(f.manager.Now())
		}
	}
	f.t.Fatalf("there is no %s", kind)
	return domain.SubscriberDelivery{}, ""
}
