package operator

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/cli"
	"ativa/internal/histogram"
	"ativa/internal/service/domain"
)

// metricsTimeout is how long /metrics waits for the database.
const metricsTimeout = 2 * time.Second

// writeServiceMetrics adds to /metrics the build, the certificate's expiry, and the queued,
// undelivered and waiting work. If the database does not answer, ativa_store_up is 0.
func (s *Service) writeServiceMetrics(w io.Writer) {
	set := metrics.NewSet()
	defer set.WritePrometheus(w)
	gauge := func(value float64, name string, labels ...any) {
		set.GetOrCreateGauge(fmt.Sprintf(name, labels...), nil).Set(value)
	}
	gauge(1, `ativa_build_info{version=%q,commit=%q,goversion=%q}`, cli.Version, cli.Commit, runtime.Version())
	if s.certificate != nil {
		gauge(float64(s.certificate.NotAfter().Unix()), "ativa_certificate_expiry_timestamp_seconds")
	}
	gauge(float64(s.Store.WaitingWrites()), "ativa_store_writes_waiting")
	ctx, cancel := context.WithTimeout(context.Background(), metricsTimeout)
	defer cancel()
	f, err := s.Store.Stats(ctx)
	if err != nil {
		gauge(0, "ativa_store_up")
		return
	}
	gauge(1, "ativa_store_up")
	gauge(float64(f.Queued), "ativa_services_queued")
	gauge(float64(f.Operations), "ativa_operations_waiting")
	now := s.Rules.Now()
	gauge(float64(f.Schedules), "ativa_schedules_waiting")
	gauge(domain.Lateness(f.NextAt, now).Seconds(), "ativa_schedules_late_seconds")
	for _, o := range f.Outbox {
		gauge(float64(o.Open), `ativa_outbox_jobs{kind=%q,state="open"}`, o.Kind)
		gauge(float64(o.Dead), `ativa_outbox_jobs{kind=%q,state="dead"}`, o.Kind)
		gauge(domain.Lateness(o.Oldest, now).Seconds(), `ativa_outbox_late_seconds{kind=%q}`, o.Kind)
	}
	callbacks, err := s.Store.FeedCallbacks(ctx)
	if err != nil {
		return
	}
	for _, c := range callbacks {
		disabled, provider := 1.0, histogram.Quote(c.ProviderName)
		if c.Enabled {
			disabled = 0
		}
		gauge(disabled, `ativa_feed_disabled{provider=%s}`, provider)
		gauge(float64(c.EventsBehind()), `ativa_feed_events_behind{provider=%s}`, provider)
		gauge(domain.Lateness(c.WaitingSince, now).Seconds(), `ativa_feed_seconds_behind{provider=%s}`, provider)
	}
}
