package delivery_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/delivery"
	"ativa/internal/provision"
)

func TestFiguresTellOfAgeCountsLatencyAndCircuits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, _ := called(t, provision.Options{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n > 1 {
				wait(2 * time.Second)
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		mailer := &post{fail: func(delivery.Letter) error { return &delivery.Failure{Err: errors.New("down"), Down: true} }}
		w.options.Mailer = mailer
		w.register(w.p, 8, 1)
		wait(time.Minute)
		w.start()
		worker := w.worker
		wait(4 * time.Second)
		var b bytes.Buffer
		worker.WriteMetrics(&b)
		got := b.String()
		for _, want := range []string{
			`ativa_deliveries_total{kind="partner",result="delivered"} 2`,
			`ativa_deliveries_total{kind="partner",result="failed"} 6`,
			`ativa_deliveries_total{kind="email",result="failed"} 5`,
			`ativa_partner_request_duration_seconds_count{partner="parceiro",result="accepted"} 2`,
			`ativa_partner_request_duration_seconds_sum{partner="parceiro",result="failed"} 12`,
			`ativa_outbox_open{kind="email"} 8`,
			`ativa_outbox_open{kind="callback"} 0`,
			`ativa_outbox_open{kind="partner"} 6`,
			`ativa_outbox_oldest_seconds{kind="email"} 64`,
			`ativa_circuit_open{kind="email",destination=""} 1`,
			`ativa_circuit_open{kind="partner",destination="1"} 1`,
		} {
			if !strings.Contains(got, want+"\n") {
				t.Errorf("lacks %s", want)
			}
		}
		w.stop()
		w.register(w.p, 1, 1)
		wait(90 * time.Second)
		b.Reset()
		worker.WriteMetrics(&b)
		if !strings.Contains(b.String(), `ativa_outbox_age_seconds{kind="partner"} 9`) {
			t.Errorf("want the age of what is due and not taken in:\n%s", b.String())
		}
		if t.Failed() {
			t.Log(got)
		}
	})
}
