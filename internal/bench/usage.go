//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"ativa/internal/bench/figures"
)

// eventsOfService are the events that every service gets in the year before now, in
// this order: it is activated, suspended and reactivated. The order of the services is another
// than that in which they were created, as it is where people click.
const (
	eventsOfService = 5
	pastEvents      = `UPDATE event SET at = at - 366 * 86400000000;
INSERT INTO event (id, at, type, subscriber_id, service_id, product_id, previous_id, status_id, trigger, actor, reason, operation_id)
SELECT 8796093022208 * (v.id / 8796093022208) + p.last_event + e.n, p.created_at - 365 * 86400000000 + e.n * (365 * 86400000000 / e.of), 1,
	v.id / 4096, v.id, v.product_id, e.before, e.after, 'confirmed', 'partner', '', v.operation_id
FROM (
	SELECT id, before, after, ROW_NUMBER() OVER (ORDER BY step, (id / 4096 * 7919) % 1000003, id) AS n, COUNT(*) OVER () AS of
	FROM service, (
		SELECT 1 AS step, 10 AS before, 1 AS after
		UNION ALL SELECT 2, 1, 14
		UNION ALL SELECT 3, 14, 4
		UNION ALL SELECT 4, 4, 12
		UNION ALL SELECT 5, 12, 1
	) steps
) e
JOIN service v ON v.id = e.id
JOIN provider p ON p.id = v.id / 8796093022208;
UPDATE provider SET last_event = last_event + (SELECT COUNT(*) FROM service) * 5`
)

// usage measures the report of a year in which every service was activated,
// suspended and reactivated, by product and by token.
func (s *site) usage(ctx context.Context) error {
	if err := s.rewrite(ctx, pastEvents); err != nil {
		return err
	}
	if err := s.restart(ctx); err != nil {
		return err
	}
	now := time.Now().UTC()
	path := fmt.Sprintf("/reports/usage?from=%s&to=%s", now.AddDate(0, 0, -365).Format(time.DateOnly), now.Format(time.DateOnly))
	began, events := time.Now(), 0
	err := s.spent(figures.UsageEvent, func() (_ int, err error) {
		events, err = s.eventsReported(ctx, path)
		return events, err
	})
	if err != nil {
		return err
	}
	took := time.Since(began)
	million := func(d time.Duration) time.Duration {
		return time.Duration(float64(d) / float64(events) * 1e6)
	}
	s.figures.Time(figures.Usage, figures.Program, million(took))
	server := s.servers[0]
	before, err := server.forgetPeak()
	if err != nil {
		return err
	}
	got, err := s.user.get(ctx, path+"&detail=tokens")
	if err != nil {
		return err
	}
	s.figures.Time(figures.UsageOfTokens, figures.Program, million(got.all))
	_, peak := server.memory()
	s.figures.Bytes("usage, growth of the server", max(0, peak-before))
	return nil
}

// eventsReported reads a report and returns how many events it is about.
func (s *site) eventsReported(ctx context.Context, path string) (events int, err error) {
	res, err := s.user.do(ctx, http.MethodGet, path, "")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var report struct {
		Products []struct {
			Ended int `json:"ended"`
		} `json:"products"`
	}
	if err := json.NewDecoder(res.Body).Decode(&report); err != nil {
		return 0, err
	}
	for _, p := range report.Products {
		events += p.Ended * eventsOfService
	}
	if events == 0 {
		return 0, fmt.Errorf("GET %s: %s, and nothing was enabled", path, res.Status)
	}
	return events, nil
}
