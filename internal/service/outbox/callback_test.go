package outbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
)

var manual = domain.Partner{Name: "parceiro", Driver: domain.DriverManual}

// setCallback registers a receiver as a provider's callback.
func (f *fixture) setCallback(p domain.Provider, url string) []byte {
	f.t.Helper()
	c, err := f.manager.SetCallback(context.Background(), p.Name, url, true)
	f.must(err)
	return c.Secret
}

func TestACallbackIsFiredByResendAloneOncePerToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, net := newFixture(t, manual), newNetwork()
		f.options.Transport = dialling(net.Dial)
		h := &webhookReceiver{t: t}
		h.secret = f.setCallback(f.defaultProvider, net.serve(t, "azul.example", h))
		f.start()
		d := f.register(f.defaultProvider, 1, 1)[0]
		f.request(f.defaultProvider, domain.RequestDeactivate, 1, f.registerActive(f.defaultProvider, 1, 1)...)
		advance(time.Minute)
		if n := len(h.messages()); n != 0 {
			t.Fatalf("got %d callbacks before a resend, want none", n)
		}
		f.resend(f.defaultProvider, d)
		synctest.Wait()
		got := h.messages()
		if len(got) != 1 {
			t.Fatalf("got %d callbacks, want 1 for the one token", len(got))
		}
		wantCallbackBody(t, got[0], d)
		advance(time.Minute)
		if n := len(h.messages()); n != 1 {
			t.Errorf("got %d callbacks, want 1", n)
		}
	})
}

func wantCallbackBody(t *testing.T, got received, document string) {
	t.Helper()
	var body struct {
		ID, Type  string
		CreatedAt string `json:"created_at"`
		Data      struct {
			Subscriber, Service map[string]any
			URL                 string `json:"activation_url"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	if body.ID != got.id || body.Type != "activation.resent" || body.CreatedAt == "" || body.Data.Subscriber["document"] != document {
		t.Errorf("got %s with the id %s", got.body, got.id)
	}
	if len(body.Data.Subscriber) != 7 || len(body.Data.Service) != 7 {
		t.Errorf("got %s, want six fields with created_at, and seven of the service", got.body)
	}
	if !strings.HasPrefix(body.Data.URL, publicURL+"/activate/") || len(body.Data.URL) != len(publicURL)+len("/activate/")+43 {
		t.Errorf("got the link %s", body.Data.URL)
	}
}

func TestCallbacksFollowTheScheduleAndAreThenDeadAndReplayable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		net := newNetwork()
		h := &webhookReceiver{t: t, respond: statuses(500)}
		url := net.serve(t, "azul.example", h)
		d := newClaimed(1, domain.CallbackJob)
		d.Destination.Callback = domain.Callback{URL: url, Secret: []byte("secret"), AllowPrivate: true, Enabled: true}
		h.secret = d.Destination.Callback.Secret
		o := &fakeOutbox{deliveries: []domain.ClaimedDelivery{d}}
		runWorker(t, o, optionsFor(net), 100*time.Hour)
		got := h.messages()
		want := []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		if len(got) != len(want) {
			t.Fatalf("got %d attempts, want %d", len(got), len(want))
		}
		for i := 1; i < len(want); i++ {
			waited := got[i].at.Sub(got[i-1].at)
			if waited < want[i] || waited > want[i]*11/10+2*time.Second {
				t.Errorf("attempt %d after %s, want %s and a little", i+1, waited, want[i])
			}
			if got[i].id != got[0].id {
				t.Errorf("attempt %d has the id %s, the first %s", i+1, got[i].id, got[0].id)
			}
		}
		if o.deliveries[0].State != domain.JobDead || !strings.Contains(o.deliveries[0].LastError, "HTTP 500") {
			t.Errorf("got %s, %q, want dead with the answer", o.deliveries[0].State, o.deliveries[0].LastError)
		}
	})
}

func TestReplayedCallbacksArriveAndFailuresAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, net := newFixture(t, manual), newNetwork()
		f.options.Transport = dialling(net.Dial)
		h := &webhookReceiver{t: t, respond: statuses(503, 503, 200)}
		h.secret = f.setCallback(f.defaultProvider, net.serve(t, "azul.example", h))
		f.start()
		d := f.register(f.defaultProvider, 1, 1)[0]
		f.resend(f.defaultProvider, d)
		advance(8 * time.Second)
		c, err := f.manager.Callback(context.Background(), f.defaultProvider.Name)
		f.must(err)
		if c.Failures != 2 {
			t.Errorf("got %d failures in a row, want 2", c.Failures)
		}
		dead := f.jobs(domain.CallbackJob, domain.JobDue)[0]
		dead.State = domain.JobDead
		f.must(f.store.FinishJobs(context.Background(), []domain.Job{dead.Job}, nil))
		replayed, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.Name)
		f.must(err)
		synctest.Wait()
		if got := h.messages(); len(replayed) != 1 || len(got) != 3 || got[2].id != got[0].id {
			t.Errorf("replayed %d, got %d messages", len(replayed), len(got))
		}
		if c, err = f.manager.Callback(context.Background(), f.defaultProvider.Name); err != nil || c.Failures != 0 {
			t.Errorf("got %d failures after a success, %v", c.Failures, err)
		}
		if done := f.jobs(domain.CallbackJob, domain.JobDone); len(done) != 1 {
			t.Errorf("got %d callbacks done, want 1", len(done))
		}
		_, err = f.manager.Retry(context.Background(), []domain.JobID{dead.ID})
		if code := codeOf(err); code != domain.NotWaiting {
			t.Errorf("a delivered one again: got %v", err)
		}
	})
}
