package server

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/api"
	"ativa/internal/service/rules"
)

func (s *Server) live(c *requestContext) error {
	return c.writeJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

func (s *Server) ready(c *requestContext) error {
	select {
	case <-s.stopping:
		return &httpError{code: api.CodeUnavailable, detail: "the server is stopping", retryAfter: time.Second}
	default:
	}
	if err := s.o.Ready(c.r.Context()); err != nil {
		e := &httpError{code: api.CodeUnavailable, detail: "the server is not ready", retryAfter: time.Second, err: fmt.Errorf("readiness: %w", err)}
		if named, ok := errors.AsType[*rules.Error](err); ok {
			e.detail = named.Message
		}
		return e
	}
	return c.writeJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

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

const metricsType = "text/plain; version=0.0.4; charset=utf-8"

func (s *Server) writeMetrics(c *requestContext) error {
	return c.send(http.StatusOK, metricsType, s.metricsText())
}

// MetricsHandler serves only /metrics, for a listener that only the operator can reach.
func (s *Server) MetricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+api.PathMetrics, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", metricsType)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(s.metricsText()) // an error means that the client is gone
	})
	return mux
}

// metricsText returns the metrics in the Prometheus text format.
func (s *Server) metricsText() []byte {
	var b bytes.Buffer
	s.metrics.WritePrometheus(&b)
	s.durations.WritePrometheus(&b)
	s.o.Metrics(&b)
	metrics.WriteProcessMetrics(&b)
	return withHelp(b.Bytes())
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

// descriptions are the HELP texts of the metrics. Process metrics are described by their names.
var descriptions = [...]struct{ metric, text string }{
	{"ativa_build_info", "Which program runs; always 1."},
	{"ativa_certificate_expiry_timestamp_seconds", "When the TLS certificate ends, in seconds since 1970."},
	{"ativa_store_up", "Whether the database answers within two seconds."},
	{"ativa_store_writes_waiting", "Writes of this server that wait for their turn."},
	{"ativa_http_requests_total", "Requests by route and status."},
	{"ativa_http_request_duration_seconds", "How long requests took."},
	{"ativa_outbox_jobs", "Deliveries that are open (not done) or dead (given up), of the whole database."},
	{"ativa_outbox_late_seconds", "How long the first due delivery has waited to be taken, of the whole database."},
	{"ativa_deliveries_total", "Attempts to deliver of this server."},
	{"ativa_mail_refusals_total", "E-mails that the mail server refused, by what the refusal concerns: the address, this e-mail alone, or the server."},
	{"ativa_delivery_age_seconds", "Time from the request of a delivery until it was sent or given up, by kind and state."},
	{"ativa_delivery_duration_seconds", "How long attempts to deliver took."},
	{"ativa_partner_request_duration_seconds", "How long partners took to answer."},
	{"ativa_circuit_open", "1 while a partner or the mail server is left alone because it fails."},
	{"ativa_feed_push_duration_seconds", "How long pushing a batch of events to a feed callback took."},
	{"ativa_feed_disabled", "1 while a feed callback is disabled: by an operator, after seven days of failures, or because retention removed its events."},
	{"ativa_feed_events_behind", "Events that the receiver of a feed callback has not accepted yet."},
	{"ativa_feed_seconds_behind", "How long ago the first event occurred that the receiver of a feed callback has not accepted yet."},
	{"ativa_services_queued", "Activations that wait below a limit, of the whole database."},
	{"ativa_operations_waiting", "Operations that a partner has to confirm, of the whole database."},
	{"ativa_schedules_waiting", "Operations that are scheduled for later, of the whole database."},
	{"ativa_schedules_late_seconds", "How long the first scheduled operation has been due, of the whole database."},
}

func help(name string) string {
	for _, d := range descriptions {
		if d.metric == name {
			return d.text
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// logRequest logs and counts the request. It logs the template of the route, never the path, which
// contains documents and search terms.
func (c *requestContext) logRequest() {
	route := "(none)"
	if c.route != nil {
		route = c.route.path
	}
	took := time.Since(c.start)
	c.s.count(c.r.Method, route, c.status, took)
	refused := c.status == http.StatusUnauthorized || c.status == http.StatusTooManyRequests
	if refused && c.route != nil && c.route.open { // who tries secrets of providers and partners (decisions.md 17)
		c.s.m.CountRefused(addressKey(c.s.client(c.r)), c.r.Method+" "+route)
	}
	level := slog.LevelDebug
	switch {
	case c.status >= http.StatusInternalServerError, c.code == "aborted":
		level = slog.LevelError
	case c.code != "":
		level = slog.LevelInfo
	}
	ctx := c.r.Context()
	if !c.s.o.Log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("method", method(c.r.Method)), slog.String("route", route), slog.Int("status", c.status),
		slog.Duration("took", took), slog.String("request_id", c.id),
	}
	if c.provider != 0 {
		attributes = append(attributes, slog.Int64("provider", int64(c.provider)))
	}
	if c.code != "" {
		attributes = append(attributes, slog.String("code", c.code))
	}
	if refused { // for firewalls, for firewalls
		attributes = append(attributes, slog.String("address", c.s.client(c.r)))
	}
	if level == slog.LevelError && c.cause != nil {
		attributes = append(attributes, slog.String("cause", rules.LogText(c.cause)))
	}
	c.s.o.Log.LogAttrs(ctx, level, "request", attributes...)
}
