package delivery

import (
	"fmt"
	"io"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/histogram"
	"ativa/internal/provision"
)

// figures are what the worker counts for /metrics.
type figures struct {
	set      *metrics.Set
	attempts *histogram.Family
	partners *histogram.Family // their answers
}

func newFigures() *figures {
	return &figures{metrics.NewSet(), histogram.New("ativa_delivery_duration_seconds"), histogram.New("ativa_partner_request_duration_seconds")}
}

// count notes an attempt: delivered, failed (to be tried again) or dead.
func (f *figures) count(k provision.JobKind, s provision.JobState, took time.Duration) {
	result := map[provision.JobState]string{provision.JobDone: "delivered", provision.JobDue: "failed", provision.JobDead: "dead"}[s]
	f.set.GetOrCreateCounter(fmt.Sprintf(`ativa_deliveries_total{kind=%q,result=%q}`, k, result)).Inc()
	f.attempts.Observe(fmt.Sprintf(`kind=%q`, k), took)
}

// partner notes how long a partner took to answer.
func (f *figures) partner(name string, err error, took time.Duration) {
	result := "accepted"
	switch {
	case isRefusal(err):
		result = "refused"
	case err != nil:
		result = "failed"
	}
	f.partners.Observe(fmt.Sprintf(`partner=%q,result=%q`, name, result), took)
}

// WriteMetrics writes the figures in the Prometheus text format: what was
// delivered, how long partners took, and which destinations are left alone.
func (w *Worker) WriteMetrics(to io.Writer) {
	w.figures.set.WritePrometheus(to)
	w.figures.attempts.WritePrometheus(to)
	w.figures.partners.WritePrometheus(to)
	w.writeCircuits(to)
}

// writeCircuits tells which destinations are left alone, by their ids.
func (w *Worker) writeCircuits(to io.Writer) {
	set := metrics.NewSet()
	for _, l := range w.lanes {
		if !l.breaks {
			continue
		}
		l.mu.Lock()
		for name, d := range l.desks {
			d.mu.Lock()
			open := 0.0
			if d.circuit.open() {
				open = 1
			}
			d.mu.Unlock()
			set.GetOrCreateGauge(fmt.Sprintf(`ativa_circuit_open{kind=%q,destination=%q}`, l.kind, name), nil).Set(open)
		}
		l.mu.Unlock()
	}
	set.WritePrometheus(to)
}
