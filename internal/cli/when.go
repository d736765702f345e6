package cli

import (
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/settings"
)

// ParseStart reads the time of a flag (cli.md, Commands): a duration from now, a time, or a
// date, which means its start. Dates and times are in the zone of now.
func ParseStart(flag, text string, now time.Time) (time.Time, error) {
	return parseFuture(flag, text, now, 0, Msg("leave out %s to do it now", flag))
}

// ParseEnd is [ParseStart] for an end: a date means the start of the next day.
func ParseEnd(flag, text string, now time.Time) (time.Time, error) {
	return parseFuture(flag, text, now, 1, Msg("leave out %s if there is no end", flag))
}

// parseFuture reads a time ahead. A date means the start of the day that is later by some days.
func parseFuture(flag, text string, now time.Time, later int, pastHint Message) (time.Time, error) {
	at, err := parseWhen(text, now, later)
	at = at.In(now.Location())
	switch {
	case err != nil:
		return at, Usage("%s: %q is not a time", flag, text).WithHint("write a time from now such as 12h or 7d, a date such as 2026-12-31, or a date and a time such as 2026-12-31T18:00")
	case !at.After(now):
		return at, Usage("%s: %q is in the past", flag, text).WithHint("%s", pastHint)
	case at.After(now.Add(api.MaxScheduleDays * 24 * time.Hour)):
		return at, Usage("%s: %q is more than %d days ahead", flag, text, api.MaxScheduleDays)
	}
	return at, nil
}

func parseWhen(text string, now time.Time, later int) (time.Time, error) {
	if span, err := settings.ParseSpan(text); err == nil {
		return now.Add(span), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day.AddDate(0, 0, later), nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Parse(time.RFC3339, text)
}

// spanFlag is the value of a flag for a length of time, as [settings.ParseSpan] reads it.
type spanFlag time.Duration

func (*spanFlag) Type() string { return "duration" }

// String returns 0 for none: help shows no such default.
func (s *spanFlag) String() string {
	if *s == 0 {
		return "0"
	}
	return time.Duration(*s).String()
}

func (s *spanFlag) Set(text string) error {
	span, err := settings.ParseSpan(text)
	*s = spanFlag(span)
	return err
}

// AddSpanFlag adds a flag for a length of time.
func AddSpanFlag(f *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	f.Var((*spanFlag)(p), name, usage)
}

// Zone returns the time zone with the name, or the one set by the key tz if name is empty.
func (e *Env) Zone(name string) (string, *time.Location, error) {
	if name == "" {
		return e.Location().String(), e.Location(), nil
	}
	zone, err := api.LoadZone(name)
	if err != nil {
		return "", nil, Usage("there is no time zone %q", name).WithHint("write it as America/Sao_Paulo, America/Manaus or UTC")
	}
	return name, zone, nil
}
