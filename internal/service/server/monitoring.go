package server

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

func (s *Server) live(c *requestContext) error {
	return c.writeSuccess()
}

func (s *Server) ready(c *requestContext) error {
	select {
	case <-s.stopping:
		return unavailable("the server is stopping", nil)
	default:
	}
	if err := s.o.Ready(c.r.Context()); err != nil {
		detail := "the server is not ready"
		if named, ok := errors.AsType[*domain.Error](err); ok {
			detail = named.Message
		}
		return unavailable(detail, fmt.Errorf("readiness: %w", err))
	}
	return c.writeSuccess()
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
	return b.Bytes()
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
	if refused && c.route != nil && c.route.open { // for the operator's record (decisions.md 17)
		c.s.record.CountRefused(addressKey(c.s.client(c.r)), c.r.Method+" "+route)
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
	if c.Provider != 0 {
		attributes = append(attributes, slog.Int64("provider", int64(c.Provider)))
	}
	if c.code != "" {
		attributes = append(attributes, slog.String("code", c.code))
	}
	if refused { // for firewalls
		attributes = append(attributes, slog.String("address", c.s.client(c.r)))
	}
	if level == slog.LevelError && c.cause != nil {
		attributes = append(attributes, slog.String("cause", domain.LogText(c.cause)))
	}
	c.s.o.Log.LogAttrs(ctx, level, "request", attributes...)
}
