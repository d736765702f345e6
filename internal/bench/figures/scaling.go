package figures

import (
	"bytes"
	"fmt"
	"time"
)

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
	imported := func(work string) func(*Series) string {
		return func(s *Series) string { return perSecond(rows, median(s.times[work][Program])) }
	}
	called := func(work string) func(*Series) string {
		return func(s *Series) string { return perSecond(int(median(s.rates[AtOnce(work)])), time.Second) }
	}
	size := func(name string) func(*Series) string {
		return func(s *Series) string { return megabytes(median(s.sizes[name])) }
	}
	line("subscribers imported a second", imported(Import))
	line("the same by two servers", imported(ImportByTwo))
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
