package figures

import (
	"fmt"
	"slices"
	"time"
)

// Who was measured.
const (
	Floor   = "floor"   // the database's own client, and grep
	Program = "program" // Ativa
)

// Whose processor time it was.
const (
	Server      = "server"
	Database    = "database" // none where it lives in the server
	CommandLine = "command line"
)

// The engines.
const (
	SQLite     = "SQLite"
	PostgreSQL = "PostgreSQL"
)

// Works and sizes that more than one place names.
const (
	Import       = "import"
	ImportForTwo = "import of two providers at the same time"
	ImportByTwo  = "the same by two servers; the floor is one server"
	// The floor writes the rows that the import left, all of them.
	ImportSameRows = "import; the floor writes the same rows"

	ImportBesideCalls = "import beside small writes; the floor is the import alone"
	ImportWithMail    = "import while e-mails go out; the floor is the import alone"
	SmallOfSame       = "small write beside an import of the same provider"
	SmallOfOther      = "small write beside an import of another provider"

	PlainList     = "plain list"
	AllSearches   = "search, all kinds" // the searches of every kind together
	Reads         = "reads of one subscriber"
	Registrations = "registrations of one subscriber"
	Suspension    = "suspend a list"
	Delivery      = "outbox, a delivery"
	Deliveries    = "outbox, deliveries a second"
	Usage         = "usage of a year, a million events"
	UsageOfTokens = "usage of a year by token, a million events"
	UsageEvent    = "usage, an event"

	BytesImported   = "database, for each subscriber"
	BytesSuspended  = "database, for each suspension"
	MemoryImporting = "import, server"
)

// Clients is how many call at once.
const Clients = 16

// AtOnce is the rate of a work that the clients do at once, one a call.
func AtOnce(work string) string { return fmt.Sprintf("%s a second, %d clients", work, Clients) }

// Slowest is the 99th percentile of a work.
func Slowest(work string) string { return work + ", 99 % below" }

// Series holds the samples of every work on one engine, in the order in which
// they came.
type Series struct {
	works  []string
	times  map[string]map[string][]time.Duration // by work and who
	names  []string
	sizes  map[string][]int64 // bytes, by name
	prices []string
	costs  map[string]map[string][]time.Duration // processor time of one unit, by work and whose
	rates  map[string][]float64                  // a second
}

func newSeries() *Series {
	return &Series{times: map[string]map[string][]time.Duration{}, sizes: map[string][]int64{},
		costs: map[string]map[string][]time.Duration{}, rates: map[string][]float64{}}
}

// Time notes how long a work took Floor or Program.
func (s *Series) Time(work, who string, d time.Duration) {
	if s.times[work] == nil {
		s.times[work] = map[string][]time.Duration{}
		s.works = append(s.works, work)
	}
	s.times[work][who] = append(s.times[work][who], d)
}

// LastTime is the latest sample of a work; 0 when there is none.
func (s *Series) LastTime(work, who string) time.Duration {
	all := s.times[work][who]
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// Bytes notes a size.
func (s *Series) Bytes(name string, n int64) {
	if s.sizes[name] == nil {
		s.names = append(s.names, name)
	}
	s.sizes[name] = append(s.sizes[name], n)
}

// Cost notes the processor time that so many units of a work took, at least
// one.
func (s *Series) Cost(work, whose string, d time.Duration, units int) {
	if s.costs[work] == nil {
		s.costs[work] = map[string][]time.Duration{}
		s.prices = append(s.prices, work)
	}
	s.costs[work][whose] = append(s.costs[work][whose], d/time.Duration(units))
}

// Rate notes how often a work was done in a second.
func (s *Series) Rate(work string, perSecond float64) {
	s.rates[work] = append(s.rates[work], perSecond)
}

// share is the median of the floor as a share of the program's: 1 is as fast,
// 0 not measured.
func (s *Series) share(work string) float64 {
	at := s.times[work]
	if len(at[Floor]) == 0 || len(at[Program]) == 0 {
		return 0
	}
	return float64(median(at[Floor])) / float64(median(at[Program]))
}

type number interface {
	~int64 | ~float64
}

func median[T number](all []T) T { return Quantile(all, 50) }

// Quantile is the smallest sample that so many per cent of all do not exceed;
// 0 of none.
func Quantile[T number](all []T, percent int) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)*percent+99)/100-1]
}
