package outbox_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
)

func TestMetricsOfAttemptsLatencyAndCircuits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newHTTPPartnerFixture(t, servicetest.Options{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n > 1 {
				advance(2 * time.Second)
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		mailer := &recordingMailer{fail: func(outbox.ActivationEmail) error {
			return &outbox.DeliveryError{Err: errors.New("down"), DestinationDown: true}
		}}
		f.options.Mailer = mailer
		f.register(f.defaultProvider, 8, 1)
		f.start()
		advance(4 * time.Second)
		var b bytes.Buffer
		f.worker.WriteMetrics(&b)
		got := b.String()
		for _, want := range []string{
			`ativa_deliveries_total{kind="partner",result="delivered"} 2`,
			`ativa_deliveries_total{kind="partner",result="failed"} 6`,
			`ativa_deliveries_total{kind="email",result="failed"} 5`,
			`ativa_partner_request_duration_seconds_count{partner="parceiro",result="accepted"} 2`,
			`ativa_partner_request_duration_seconds_sum{partner="parceiro",result="failed"} 12`,
			`ativa_delivery_age_seconds_count{kind="partner",state="sent"} 2`,
			`ativa_circuit_open{kind="email",destination=""} 1`,
			`ativa_circuit_open{kind="partner",destination="1"} 1`,
		} {
			if !strings.Contains(got, want+"\n") {
				t.Errorf("%s is missing in\n%s", want, got)
			}
		}
	})
}
