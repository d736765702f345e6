package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"

	"github.com/VictoriaMetrics/metrics"
)

// live shows that the process serves requests.
func (s *Server) live(c *requestContext) error {
	return c.writeJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

// ready shows whether requests can be served.
func (s *Server) ready(c *requestContext) error {
	select {
	case <-s.stopping:
		return &httpError{code: api.CodeUnavailable, detail: "the server is stopping", retryAfter: time.Second}
	default:
	}
	if err := s.o.Ready(c.r.Context()); err != nil {
		e := &httpError{code: api.CodeUnavailable, detail: "the server is not ready", retryAfter: time.Second, err: fmt.Errorf("readiness: %w", err)}
		if named, ok := errors.AsType[*provision.Error](err); ok {
			e.detail = named.Message
		}
		return e
	}
	return c.writeJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

// count adds the request to the metrics.
func (s *Server) count(verb, route string, status int, took time.Duration) {
	labels := `method="` + method(verb) + `",route="` + route
	s.metrics.GetOrCreateCounter(`ativa_http_requests_total{` + labels + `",status="` + strconv.Itoa(status) + `"}`).Inc()
	s.durations.Observe(labels+`"`, took)
}

// method keeps unknown methods out of the log and the metrics.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions:
		return m
	}
	return "OTHER"
}

// writeMetrics sends the metrics in the Prometheus text format.
func (s *Server) writeMetrics(c *requestContext) error {
	var b bytes.Buffer
	s.metrics.WritePrometheus(&b)
	s.durations.WritePrometheus(&b)
	s.o.Metrics(&b)
	metrics.WriteProcessMetrics(&b)
	c.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = c.Write(withHelp(b.Bytes()))
	return nil
}

// withHelp fills in the HELP lines, which the library leaves empty.
func withHelp(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for line := range bytes.Lines(text) {
		if family, ok := bytes.CutPrefix(line, []byte("# HELP ")); ok {
			name := string(bytes.TrimSpace(family))
			line = []byte("# HELP " + name + " " + help(name) + "\n")
		}
		out = append(out, line...)
	}
	return out
}

// help describes a metric. Those of the process are described by their names.
func help(name string) string {
	switch name {
	case "ativa_build_info":
		return "Which program runs; always 1."
	case "ativa_store_up":
		return "Whether the database answers within two seconds."
	case "ativa_store_writes_waiting":
		return "Writes of this server that wait for their turn."
	case "ativa_http_requests_total":
		return "Requests by route and status."
	case "ativa_http_request_duration_seconds":
		return "How long requests took."
	case "ativa_outbox_jobs":
		return "Deliveries that are open (not done) or dead (given up), of the whole database."
	case "ativa_outbox_late_seconds":
		return "How long the first due delivery has waited to be taken, of the whole database."
	case "ativa_deliveries_total":
		return "Attempts to deliver of this server."
	case "ativa_delivery_age_seconds":
		return "Time from the request of a delivery until it was sent or given up, by kind and state."
	case "ativa_delivery_duration_seconds":
		return "How long attempts to deliver took."
	case "ativa_partner_request_duration_seconds":
		return "How long partners took to answer."
	case "ativa_circuit_open":
		return "1 while a partner or the mail server is left alone because it fails."
	case "ativa_feed_push_duration_seconds":
		return "How long pushing a batch of events to a feed callback took."
	case "ativa_feed_disabled":
		return "1 while a feed callback is disabled: by an operator, after seven days of failures, or because retention removed its events."
	case "ativa_feed_events_behind":
		return "Events that the receiver of a feed callback has not accepted yet."
	case "ativa_feed_seconds_behind":
		return "How long ago the first event occurred that the receiver of a feed callback has not accepted yet."
	case "ativa_services_queued":
		return "Activations that wait below a limit, of the whole database."
	case "ativa_operations_waiting":
		return "Operations that a partner has to confirm, of the whole database."
	}
	return strings.ReplaceAll(name, "_", " ")
}
