package reports_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
)

func TestAnInvalidPeriodNamesEveryWrongField(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	r := reports.New(nil, func() time.Time { return now })
	for _, c := range []struct {
		from, to string
		zone     *time.Location
		want     string
	}{
		{"", "", time.UTC, "from required, to required"},
		{"2026-02-30", "31.01.2026", nil, "from invalid, to invalid, tz invalid"},
		{"2026-01-02", "2026-01-01", time.UTC, "to invalid"},
		{"2025-01-01", "2026-01-02", time.UTC, "to invalid"}, // 367 days
		{"2026-02-01", "2026-02-01", time.UTC, "from invalid"},
		{"2026-1-1", "2026-01-01", time.UTC, "from invalid"},
		{"0001-01-01", "2026-01-01", time.UTC, "to invalid"}, // the day of the zero [time.Time]
		{"2026-01-01", "0001-01-01", time.UTC, "to invalid"},
	} {
		_, err := r.UsagePeriod(c.from, c.to, c.zone)
		refused, ok := errors.AsType[*domain.Error](err)
		if !ok || refused.Code != domain.ValidationFailed {
			t.Errorf("%+v: got %v, want a refusal", c, err)
			continue
		}
		var got []string
		for _, f := range refused.Fields {
			got = append(got, f.Field+" "+string(f.Code))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	for _, ok := range [][2]string{{"0001-01-01", "0001-01-02"}, {"2025-01-01", "2026-01-01"}, {"2026-01-31", "2026-12-31"}, {"2026-01-31", "2026-01-31"}} {
		if _, err := r.UsagePeriod(ok[0], ok[1], time.UTC); err != nil {
			t.Errorf("%v: got %v, want no error", ok, err)
		}
	}
	now = time.Date(2026, 2, 1, 2, 0, 0, 0, time.UTC) // it is still January in São Paulo
	saoPaulo, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.UsagePeriod("2026-02-01", "2026-02-01", saoPaulo); err == nil {
		t.Error("tomorrow is not refused")
	}
}
