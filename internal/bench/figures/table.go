package figures

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Tables writes what was measured: the start of the program, each engine at the
// usual size, then how each grows.
func (r *Run) Tables(out *bytes.Buffer, engines []string) {
	section(out, "Start-up", "", r.Start)
	for _, engine := range engines {
		section(out, engine, engine, r.Of(engine, 0))
	}
	for _, engine := range engines {
		r.growthTable(out, engine)
	}
}

func section(out *bytes.Buffer, title, engine string, s *Series) {
	if len(s.works) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n| work | floor | program | 95 %% below | share of the floor | aim | |\n|---|---:|---:|---:|---:|---|---|\n", title)
	for _, work := range s.works {
		at := s.times[work]
		share, want, mark := "–", "", ""
		if v := s.share(work); v > 0 {
			share = fmt.Sprintf("%.0f %%", 100*v)
		}
		if a, ok := aimOf(engine, work); ok {
			want, mark = a.String(), verdict(a.reached(s, work))
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", work, show(median(at[Floor])), show(median(at[Program])),
			show(Quantile(at[Program], 95)), share, want, mark)
	}
	for _, work := range slices.Sorted(maps.Keys(s.rates)) {
		rate := median(s.rates[work])
		want, mark := "", ""
		if least, ok := leastRate[work]; ok {
			want, mark = fmt.Sprintf("≥ %.0f", least), verdict(rate >= least)
		}
		fmt.Fprintf(out, "| %s | – | %.0f | – | – | %s | %s |\n", work, rate, want, mark)
	}
	memory(out, s)
	costs(out, s)
}

func memory(out *bytes.Buffer, s *Series) {
	if len(s.names) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| memory, at most; sizes | median | aim | |\n|---|---:|---|---|\n")
	for _, name := range s.names {
		want, mark := "", ""
		size := median(s.sizes[name])
		if most, ok := mostBytes[name]; ok {
			want, mark = "≤ "+megabytes(most), verdict(size <= most)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, megabytes(size), want, mark)
	}
}

func costs(out *bytes.Buffer, s *Series) {
	if len(s.prices) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| processor time of one subscriber, call or delivery | server | database | command line |\n|---|---:|---:|---:|\n")
	for _, work := range s.prices {
		at := s.costs[work]
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", work, show(median(at[Server])), show(median(at[Database])), show(median(at[CommandLine])))
	}
}

func verdict(reached bool) string {
	if reached {
		return "reached"
	}
	return "**missed**"
}

func megabytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// show rounds to three digits; nothing was measured at 0.
func show(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	unit := time.Nanosecond
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// growthTable shows how the works of one engine grow with the number of
// subscribers: time, and the share of the floor behind it.
func (r *Run) growthTable(out *bytes.Buffer, engine string) {
	var sizes []int
	for _, at := range r.order {
		if at.engine == engine && at.rows > 0 {
			sizes = append(sizes, at.rows)
		}
	}
	if len(sizes) == 0 {
		return
	}
	slices.Sort(sizes)
	fmt.Fprintf(out, "\n## Growth on %s\n\nOne turn each; the share of the floor stands in brackets.\n\n| subscribers |", engine)
	for _, n := range sizes {
		fmt.Fprintf(out, " %d |", n)
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---:|", len(sizes)))
	first := r.Of(engine, sizes[0])
	line := func(name string, cell func(*Series) string) {
		fmt.Fprintf(out, "| %s |", name)
		for _, n := range sizes {
			fmt.Fprintf(out, " %s |", cell(r.Of(engine, n)))
		}
		fmt.Fprintln(out)
	}
	for _, work := range first.works {
		if strings.HasPrefix(work, "search, ") && work != AllSearches && !strings.Contains(work, "first") {
			continue
		}
		line(work, func(s *Series) string {
			text := show(median(s.times[work][Program]))
			if share := s.share(work); share > 0 {
				text += fmt.Sprintf(" (%.0f %%)", 100*share)
			}
			return text
		})
	}
	if len(first.times[AllSearches][Program]) > 0 {
		line(AllSearches+", 95 % below", func(s *Series) string { return show(Quantile(s.times[AllSearches][Program], 95)) })
	}
	for _, name := range first.names {
		line(name, func(s *Series) string { return megabytes(median(s.sizes[name])) })
	}
	for _, rate := range slices.Sorted(maps.Keys(first.rates)) {
		line(rate, func(s *Series) string { return fmt.Sprintf("%.0f", median(s.rates[rate])) })
	}
	for _, work := range first.prices {
		line("processor time of one: "+work, func(s *Series) string {
			at := s.costs[work]
			return show((median(at[Server]) + median(at[Database])).Round(10 * time.Nanosecond))
		})
	}
}

// works are what a provider has done, in the words of docs/scaling.md.
var works = []struct {
	work, unit  string
	aDay        int    // how many a provider of 1 million subscribers has done
	what, count string // of them; "" when it is not asked for
}{
	{work: Import, unit: "subscriber of an import, with services, operations, history and e-mails"},
	{PlainList, "subscriber of a list that is read whole", 24e6, "the list read whole, every hour", "24 million subscribers"},
	{Suspension, "document of a list of suspensions", 40_000, "suspensions and reactivations at the end of a month", "40,000 documents"},
	{Registrations, "call that registers one subscriber", 2_000, "registrations, one a call", "2,000"},
	{Reads, "call that reads one subscriber", 432_000, "reads, one a call, 5 a second", "432,000"},
	{Delivery, "delivery of the outbox, without what its receiver takes", 45_000, "deliveries", "45,000"},
}

// Scaling writes the tables of docs/scaling.md: what a unit of each work costs,
// what a provider of 1 million subscribers therefore needs a day, and what one
// database of so many subscribers did a second. Rows is the size of the turns.
func (r *Run) Scaling(out *bytes.Buffer, rows int) {
	sqlite, postgres := r.Of(SQLite, 0), r.Of(PostgreSQL, 0)
	fmt.Fprintf(out, "\nProcessor time of one unit, *measured* with %d subscribers of 1.3 services:\n", rows)
	out.WriteString("\n| one … | SQLite: server | PostgreSQL: server | PostgreSQL: database |\n|---|---:|---:|---:|\n")
	for _, w := range works {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", w.unit, show(sqlite.cost(w.work, Server)), show(postgres.cost(w.work, Server)), show(postgres.cost(w.work, Database)))
	}

	out.WriteString("\n*Measured*, too:\n\n| | SQLite | PostgreSQL |\n|---|---:|---:|\n")
	line := func(what string, cell func(*Series) string) {
		fmt.Fprintf(out, "| %s | %s | %s |\n", what, cell(sqlite), cell(postgres))
	}
	imported := func(work string, rows int) func(*Series) string {
		return func(s *Series) string { return perSecond(rows, median(s.times[work][Program])) }
	}
	called := func(work string) func(*Series) string {
		return func(s *Series) string { return perSecond(int(median(s.rates[AtOnce(work)])), time.Second) }
	}
	size := func(name string) func(*Series) string {
		return func(s *Series) string { return megabytes(median(s.sizes[name])) }
	}
	line("subscribers imported a second", imported(Import, rows))
	line("the same of two providers at the same time", imported(ImportForTwo, 2*rows))
	line("the same of two providers by two servers", imported(ImportByTwo, 2*rows))
	line(fmt.Sprintf("reads a second, one a call, %d clients", Clients), called(Reads))
	line(fmt.Sprintf("registrations a second, one a call, %d clients", Clients), called(Registrations))
	line("database, for a subscriber just imported", size(BytesImported))
	line("database, for each suspension (operation, history, partner job)", size(BytesSuspended))
	line("memory of the server during an import, at most", size(MemoryImporting))

	out.WriteString("\n### What a provider needs\n\n*Computed* for 1 million subscribers on PostgreSQL, from the first table:\n")
	out.WriteString("\n| a day | units | processor time, servers and database |\n|---|---:|---:|\n")
	var all time.Duration
	for _, w := range works {
		if w.aDay == 0 {
			continue
		}
		takes := time.Duration(w.aDay) * (postgres.cost(w.work, Server) + postgres.cost(w.work, Database))
		all += takes
		fmt.Fprintf(out, "| %s | %s | %s |\n", w.what, w.count, seconds(takes))
	}
	fmt.Fprintf(out, "| **together** | | **%s of the 86400 s that one core has** |\n\n", seconds(all))
}

// cost is the median processor time of one unit.
func (s *Series) cost(work, whose string) time.Duration { return median(s.costs[work][whose]) }

// perSecond is how many there were a second, to two digits; "–" of none.
func perSecond(n int, in time.Duration) string {
	if n == 0 || in == 0 {
		return "–"
	}
	rate := int(float64(n) / in.Seconds())
	unit := 1
	for unit*100 <= rate {
		unit *= 10
	}
	return fmt.Sprint((rate + unit/2) / unit * unit)
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
