package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// logRequest logs and counts the request: with the template of the route, never
// with the path, which holds documents and search terms.
func (c *requestContext) logRequest() {
	route := "(none)"
	if c.route != nil {
		route = c.route.path
	}
	took := time.Since(c.start)
	c.s.count(c.r.Method, route, c.status, took)
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
	if level == slog.LevelError && c.cause != nil {
		attributes = append(attributes, slog.String("cause", mask(causes(c.cause))))
	}
	c.s.o.Log.LogAttrs(ctx, level, "request", attributes...)
}

// causes is the text of the error and of the one it wraps, which it may leave out.
func causes(err error) string {
	text := err.Error()
	if under := errors.Unwrap(err); under != nil {
		text = fmt.Sprintf("%s: %v", text, under)
	}
	return text
}

// personal matches documents, phones, e-mail addresses and tokens.
var personal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\w.+-]+@[\w.-]+|\b(ativa_|atb_|whsec_)[\w+/=-]+|\d[\d. ()/-]{8,}\d`)
})

// mask replaces personal data and secrets in a text.
func mask(s string) string { return personal().ReplaceAllString(s, "***") }
