package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"sync"
	"time"
)

// log writes the line of the request and counts it: the template of the
// route, never the path, which holds documents and search terms.
func (x *exchange) log() {
	route := "(none)"
	if x.route != nil {
		route = x.route.path
	}
	took := time.Since(x.start)
	x.s.count(x.r.Method, route, x.status, took)
	level := slog.LevelDebug
	switch {
	case x.status >= http.StatusInternalServerError, x.code == "aborted":
		level = slog.LevelError
	case x.code != "":
		level = slog.LevelInfo
	}
	ctx := x.r.Context()
	if !x.s.o.Log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("method", method(x.r.Method)), slog.String("route", route), slog.Int("status", x.status),
		slog.Duration("took", took), slog.String("request_id", x.id),
	}
	if x.provider != 0 {
		attributes = append(attributes, slog.Int64("provider", int64(x.provider)))
	}
	if x.code != "" {
		attributes = append(attributes, slog.String("code", x.code))
	}
	if level == slog.LevelError && x.cause != nil {
		attributes = append(attributes, slog.String("cause", mask(causes(x.cause))))
	}
	x.s.o.Log.LogAttrs(ctx, level, "request", attributes...)
}

// causes is the error with what lies under it, which its text may leave out.
func causes(err error) string {
	text := err.Error()
	if under := errors.Unwrap(err); under != nil {
		text = fmt.Sprintf("%s: %v", text, under)
	}
	return text
}

// personal finds documents, phones, e-mail addresses and tokens.
var personal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\w.+-]+@[\w.-]+|\b(ativa_|atb_|whsec_)[\w+/=-]+|\d[\d. ()/-]{8,}\d`)
})

// mask takes personal data and secrets out of a text.
func mask(s string) string { return personal().ReplaceAllString(s, "***") }

func stack() []byte { return debug.Stack() }
