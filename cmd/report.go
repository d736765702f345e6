package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
)

func newReport(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "report", Short: "Report what was enabled in a month, for the accounts", GroupID: "many",
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
	}, newReportReconcile(e), newReportUsage(e))
}

// reportPeriod holds the flags of a report's period: a month, or two days.
type reportPeriod struct{ month, from, to, zone string }

func (o *reportPeriod) addFlags(e *cli.Env, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.month, "month", "", "the month, as 2026-11 (default: the last full month)")
	f.StringVar(&o.from, "from", "", "the first day, as 2026-11-01")
	f.StringVar(&o.to, "to", "", "the last day, included")
	f.StringVar(&o.zone, "tz", "", "time zone in which days begin and end (default: the key tz, else America/Sao_Paulo)")
	c.MarkFlagsMutuallyExclusive("month", "from")
	c.MarkFlagsMutuallyExclusive("month", "to")
	e.CompleteFlag(c, "from", cobra.NoFileCompletions)
	e.CompleteFlag(c, "to", cobra.NoFileCompletions)
}

// resolve validates the period and fills in its defaults.
func (o reportPeriod) resolve(e *cli.Env) (p client.UsagePeriod, err error) {
	var zone *time.Location
	if p.TZ, zone, err = e.Zone(o.zone); err != nil {
		return p, err
	}
	year, month, day := e.Now().In(zone).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.UTC) // a day of the zone in UTC, where each has 24 hours
	from, to, err := o.days(today)
	switch {
	case err != nil:
		return p, err
	case from.After(today):
		return p, cli.Usage("%s has not begun yet", from.Format(time.DateOnly)).WithHint("a report covers days up to today")
	case to.Before(from):
		return p, cli.Usage("the period ends before it begins").WithHint("--from is the first day and --to the last")
	case !to.Before(from.AddDate(0, 0, api.MaxUsageDays)):
		return p, cli.Usage("a report covers at most %d days", api.MaxUsageDays).WithHint("ask for one part after the other")
	}
	p.From, p.To = from.Format(time.DateOnly), to.Format(time.DateOnly)
	return p, nil
}

// days returns the first and last day of the period.
func (o reportPeriod) days(today time.Time) (from, to time.Time, err error) {
	month := today.AddDate(0, -1, 1-today.Day())
	switch {
	case (o.from == "") != (o.to == ""):
		return from, to, cli.Usage("--%s and --%s go together", "from", "to")
	case o.from != "":
		if from, err = parseDay("--from", o.from); err == nil {
			to, err = parseDay("--to", o.to)
		}
		return from, to, err
	case o.month != "":
		if month, err = time.Parse("2006-01", o.month); err != nil {
			return from, to, cli.Usage("--month: %q is no month", o.month).WithHint("write year and month, as 2026-11")
		}
	}
	return month, month.AddDate(0, 1, -1), nil
}

func parseDay(flag, text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, cli.Usage("%s: %q is no day", flag, text).WithHint("write year, month and day, as 2026-11-01")
	}
	return day, nil
}

// withReports runs fn with a client of a server that reports usage.
func withReports(ctx context.Context, e *cli.Env, fn func(context.Context, *client.Client) error) error {
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		if err := needsExtension(ctx, c, api.ExtUsage, cli.Msg("this server does not report usage")); err != nil {
			return err
		}
		return fn(ctx, c)
	})
}

// noticePeriod prints the period of a report.
func noticePeriod(e *cli.Env, u api.Usage) {
	e.Notice("usage from %s to %s, time zone %s", u.From, u.To, u.TZ)
}

// noticeIncomplete warns if the server no longer keeps the events that a report needs.
func noticeIncomplete(e *cli.Env, u api.Usage) {
	switch {
	case u.Complete:
	case u.EventsSince.IsZero():
		e.Notice("warning: the numbers are not complete: the server no longer keeps the events of this period")
	default:
		e.Notice("warning: the numbers are not complete: the server keeps events only since %s", e.NoticeTime(u.EventsSince.Time))
	}
}
