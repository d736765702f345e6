package operator

import (
	"io"
	"log/slog"
)

// newLog returns a logger that writes lines of text or JSON.
func newLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
