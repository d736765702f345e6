package reports

import (
	"sort"
	"time"

	"ativa/internal/service/domain"
)

// maxUsageDays is the maximum length of a period of usage (decisions.md 14).
const maxUsageDays = 366

// UsagePeriod is the period of a report: whole days of a time zone.
type UsagePeriod struct {
	// days holds the first moment of each day, and of the day after the last.
	days []time.Time
	now  time.Time // the report ends then
}

// UsagePeriod returns the period between two days such as 2026-11-01, both included. A nil zone
// means that the requested zone does not exist. It returns ValidationFailed with every invalid
// field.
func (r *Reports) UsagePeriod(from, to string, zone *time.Location) (UsagePeriod, error) {
	var bad domain.FieldErrors
	first, isFirst := parseDay(&bad, "from", from)
	last, isLast := parseDay(&bad, "to", to)
	p := UsagePeriod{now: r.clock.Now()}
	if zone == nil {
		bad.Add("tz", "invalid", "must be the IANA name of a time zone, such as America/Sao_Paulo")
		zone = time.UTC
	}
	switch {
	case !isFirst:
	case startOfDay(first, zone).After(p.now):
		bad.Add("from", "invalid", "must not be in the future")
	case !isLast:
	case last.Before(first):
		bad.Add("to", "invalid", "must not be before from")
	case !last.Before(first.AddDate(0, 0, maxUsageDays)):
		bad.Add("to", "invalid", "must be at most 366 days in all")
	}
	if len(bad) > 0 {
		return p, &domain.Error{Code: domain.ValidationFailed, Message: "the period is not valid", Fields: bad}
	}
	for day := first; !day.After(last.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		p.days = append(p.days, startOfDay(day, zone))
	}
	return p, nil
}

// parseDay parses a required day. If it is missing or invalid, parseDay adds to bad and returns
// false.
func parseDay(bad *domain.FieldErrors, field, text string) (day time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case text == "":
		bad.Add(field, "required", "required")
	case err != nil:
		bad.Add(field, "invalid", "must be a day, such as 2026-11-01")
	}
	return day, err == nil
}

// startOfDay returns the first moment of a date in a zone. Where clocks are put
// forward at midnight, as in Brazil until 2019, it is not midnight.
func startOfDay(date time.Time, zone *time.Location) time.Time {
	year, month, day := date.Date()
	before := time.Date(year, month, day-1, 12, 0, 0, 0, zone)
	const seconds = 48 * 60 * 60
	n := sort.Search(seconds, func(n int) bool {
		y, m, d := before.Add(time.Duration(n) * time.Second).Date()
		return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(date)
	})
	return before.Add(time.Duration(n) * time.Second)
}

func (p *UsagePeriod) start() time.Time { return p.days[0] }

func (p *UsagePeriod) end() time.Time { return p.days[len(p.days)-1] }

// day returns the index of the day of the period that contains t.
func (p *UsagePeriod) day(t time.Time) int {
	return sort.Search(len(p.days)-1, func(i int) bool { return p.days[i+1].After(t) })
}
