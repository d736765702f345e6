package delivery

import (
	"fmt"
	"io"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/histogram"
	"ativa/internal/provision"
)

// workerMetrics are what the worker counts for /metrics.
type workerMetrics struct {
	set      *metrics.Set
	attempts *histogram.Family
	partners *histogram.Family // their answers
}

func newWorkerMetrics() *workerMetrics {
	return &workerMetrics{metrics.NewSet(), histogram.New("ativa_delivery_duration_seconds"), histogram.New("ativa_partner_request_duration_seconds")}
}

// observeAttempt notes an attempt: delivered, failed (to be tried again) or dead.
func (f *workerMetrics) observeAttempt(k provision.JobKind, s provision.JobState, took time.Duration) {
	result := map[provision.JobState]string{provision.JobDone: "delivered", provision.JobDue: "failed", provision.JobDead: "dead"}[s]
	f.set.GetOrCreateCounter(fmt.Sprintf(`ativa_deliveries_total{kind=%q,result=%q}`, k, result)).Inc()
	f.attempts.Observe(fmt.Sprintf(`kind=%q`, k), took)
}

// observePartner notes how long a partner took to answer.
func (f *workerMetrics) observePartner(name string, err error, took time.Duration) {
	result := "accepted"
	switch {
	case isPermanent(err):
		result = "refused"
	case err != nil:
		result = "failed"
	}
	f.partners.Observe(fmt.Sprintf(`partner=%q,result=%q`, name, result), took)
}

// WriteMetrics writes the figures in the Prometheus text format: what was
// delivered, how long partners took, and which destinations are left alone.
func (w *Worker) WriteMetrics(to io.Writer) {
	w.metrics.set.WritePrometheus(to)
	w.metrics.attempts.WritePrometheus(to)
	w.metrics.partners.WritePrometheus(to)
	w.writeCircuits(to)
}

// writeCircuits tells which destinations are left alone, by their ids.
func (w *Worker) writeCircuits(to io.Writer) {
	set := metrics.NewSet()
	for _, l := range w.kindWorkers {
		if !l.useCircuitBreaker {
			continue
		}
		l.mu.Lock()
		for name, d := range l.queues {
			d.mu.Lock()
			open := 0.0
			if d.circuit.isOpen() {
				open = 1
			}
			d.mu.Unlock()
			set.GetOrCreateGauge(fmt.Sprintf(`ativa_circuit_open{kind=%q,destination=%q}`, l.kind, name), nil).Set(open)
		}
		l.mu.Unlock()
	}
	set.WritePrometheus(to)
}
