package delivery

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/provision"
)

// figures are what the worker counts for /metrics.
type figures struct{ set *metrics.Set }

func newFigures() *figures { return &figures{metrics.NewSet()} }

// count notes an attempt: delivered, failed (to be tried again) or dead.
func (f *figures) count(k provision.JobKind, s provision.JobState, took time.Duration) {
	result := map[provision.JobState]string{provision.JobDone: "delivered", provision.JobDue: "failed", provision.JobDead: "dead"}[s]
	f.set.GetOrCreateCounter(fmt.Sprintf(`ativa_deliveries_total{kind=%q,result=%q}`, k, result)).Inc()
	f.set.GetOrCreateHistogram(fmt.Sprintf(`ativa_delivery_duration_seconds{kind=%q}`, k)).Update(took.Seconds())
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
	f.set.GetOrCreateHistogram(fmt.Sprintf(`ativa_partner_request_duration_seconds{partner=%s,result=%q}`, strconv.Quote(name), result)).Update(took.Seconds())
}

// WriteMetrics writes the figures in the Prometheus text format: what was
// delivered, how long partners took, and which destinations are left alone.
func (w *Worker) WriteMetrics(to io.Writer) {
	w.figures.set.WritePrometheus(to)
	w.writeCircuits(to)
}

// writeCircuits tells which destinations are left alone, by their ids.
func (w *Worker) writeCircuits(to io.Writer) {
	for _, l := range w.lanes {
		if !l.breaks {
			continue
		}
		l.mu.Lock()
		for name, d := range l.desks {
			d.mu.Lock()
			open := 0
			if d.circuit.open() {
				open = 1
			}
			d.mu.Unlock()
			fmt.Fprintf(to, "ativa_circuit_open{kind=%q,destination=%q} %d\n", l.kind, name, open)
		}
		l.mu.Unlock()
	}
}
