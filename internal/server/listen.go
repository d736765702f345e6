package server

import (
	"log/slog"
	"net/http"
	"time"
)

// Limits of a connection (reliability.md). A long answer, such as the plain
// list, gives itself more time as long as it gets on.
const (
	headerWithin   = 10 * time.Second
	idleWithin     = 2 * time.Minute
	maxHeaderBytes = 32 << 10
)

// HTTP returns an [http.Server] for a handler with a time-out for each part of
// an exchange. Its Shutdown also lets those go who wait for events.
func HTTP(h http.Handler, addr string, log *slog.Logger) *http.Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleWithin,
		MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if d, ok := h.(interface{ Promote() }); ok {
		srv.RegisterOnShutdown(d.Promote)
	}
	return srv
}
