package cmd

import (
	"context"
	"fmt"
	"io"
	"time"
)

// figuresWithin bounds how long /metrics waits for the database.
const figuresWithin = 2 * time.Second

// writeFigures adds to /metrics what is owed and what waits. A database that
// does not answer is a figure, too.
func (s *service) writeFigures(w io.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), figuresWithin)
	defer cancel()
	fmt.Fprintf(w, "ativa_store_writes_waiting %d\n", s.store.Waiting())
	f, err := s.store.Figures(ctx)
	if err != nil {
		fmt.Fprintf(w, "ativa_store_up 0\n")
		return
	}
	fmt.Fprintf(w, "ativa_store_up 1\nativa_services_queued %d\nativa_operations_waiting %d\n", f.Queued, f.Operations)
	now := s.manager.Now()
	for _, o := range f.Outbox {
		fmt.Fprintf(w, "ativa_outbox_jobs{kind=%q,state=\"open\"} %d\n", o.Kind, o.Open)
		fmt.Fprintf(w, "ativa_outbox_jobs{kind=%q,state=\"dead\"} %d\n", o.Kind, o.Dead)
		fmt.Fprintf(w, "ativa_outbox_late_seconds{kind=%q} %g\n", o.Kind, o.Late(now).Seconds())
	}
}
