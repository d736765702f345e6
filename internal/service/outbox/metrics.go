package outbox

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/histogram"
	"ativa/internal/service/domain"
)

// workerMetrics holds the worker's counters and histograms for /metrics.
type workerMetrics struct {
	set      *metrics.Set
	attempts *histogram.Family
	partners *histogram.Family // requests to partners
	ages     *histogram.Family // from request to end of a delivery
	feed     *histogram.Family // requests to feed callbacks
}

func newWorkerMetrics() *workerMetrics {
	return &workerMetrics{metrics.NewSet(), histogram.New("ativa_delivery_duration_seconds"), histogram.New("ativa_partner_request_duration_seconds"),
		histogram.NewAges("ativa_delivery_age_seconds"),
		histogram.New("ativa_feed_push_duration_seconds")}
}

// observeAttempt records an attempt by the state of its delivery: delivered, failed (another attempt
// follows) or dead. After the last attempt it also records the age, the time since the delivery was created.
func (m *workerMetrics) observeAttempt(j domain.Delivery, took, age time.Duration) {
	result, end := "failed", domain.DeliveryState("")
	switch j.State {
	case domain.OutboxDone:
		result, end = "delivered", domain.DeliverySent
	case domain.OutboxDead:
		result, end = "dead", domain.DeliveryFailed
	}
	m.set.GetOrCreateCounter(fmt.Sprintf(`ativa_deliveries_total{kind=%q,result=%q}`, j.Kind, result)).Inc()
	m.attempts.Observe(fmt.Sprintf(`kind=%q`, j.Kind), took)
	if end != "" {
		m.ages.Observe(fmt.Sprintf(`kind=%q,state=%q`, j.Kind, end), max(age, 0))
	}
}

// observeRefusal counts a refusal by the mail server by what it concerns.
func (m *workerMetrics) observeRefusal(r *refusal) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`ativa_mail_refusals_total{concern=%q}`, r.concern)).Inc()
}

// observePartner records the duration and the result of a request to a partner.
func (m *workerMetrics) observePartner(name string, err error, took time.Duration) {
	result := "accepted"
	switch {
	case isPermanent(err):
		result = "refused"
	case err != nil:
		result = "failed"
	}
	m.partners.Observe(fmt.Sprintf(`partner=%s,result=%q`, histogram.Quote(name), result), took)
}

// observeFeedPush records the duration and the result of a request to a feed callback.
func (m *workerMetrics) observeFeedPush(err error, took time.Duration) {
	result := "ok"
	if err != nil {
		result = "failed"
	}
	m.feed.Observe(fmt.Sprintf(`result=%q`, result), took)
}

// setCircuit sets whether the circuit breaker of a destination is open. There is one mail server,
// which has no id.
func (m *workerMetrics) setCircuit(k domain.DeliveryKind, destination int64, open bool) {
	id, value := "", 0.0
	if k != domain.EmailDelivery {
		id = strconv.FormatInt(destination, 10)
	}
	if open {
		value = 1
	}
	m.set.GetOrCreateGauge(fmt.Sprintf(`ativa_circuit_open{kind=%q,destination=%q}`, k, id), nil).Set(value)
}

// WriteMetrics writes the metrics of deliveries, of requests to partners and feed
// callbacks and of circuit breakers in the Prometheus text format.
func (w *Worker) WriteMetrics(to io.Writer) {
	w.metrics.set.WritePrometheus(to)
	for _, h := range []*histogram.Family{w.metrics.attempts, w.metrics.partners, w.metrics.ages, w.metrics.feed} {
		h.WritePrometheus(to)
	}
}
