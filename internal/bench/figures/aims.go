package figures

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// aim is what a figure should reach: a share of the floor, a time, or both.
type aim struct {
	share  float64       // of the floor, at least
	median time.Duration // at most
	p95    time.Duration // at most
	engine string        // it is for; "" for all
}

// aims are those of the works; what has none is shown for comparison.
var aims = map[string][]aim{
	Import:                               {{share: 0.60, engine: PostgreSQL}},
	ImportSameRows:                       {{share: 0.60}},
	ImportByTwo:                          {{share: 1}},
	PlainList:                            {{share: 1.10}},
	"plain list, first byte":             {{p95: 20 * time.Millisecond}},
	"page of 500":                        {{p95: 10 * time.Millisecond}},
	AllSearches:                          {{share: 1, p95: 150 * time.Millisecond}},
	"search, a whole document":           {{median: time.Millisecond}},
	Suspension:                           {{share: 0.45, engine: SQLite}, {share: 0.70, engine: PostgreSQL}},
	"start of the server":                {{median: 2 * time.Second}},
	Usage:                                {{median: 5 * time.Second}},
	ImportBesideCalls:                    {{share: 0.90}},
	ImportWithMail:                       {{share: 0.90}},
	Slowest(SmallOfSame):                 {{median: 50 * time.Millisecond}},
	Slowest(SmallOfOther):                {{median: 50 * time.Millisecond}},
	"version, processor time":            {{share: 1 / 2.5}},
	"help, processor time":               {{share: 1 / 2.5}},
	"help in Portuguese, processor time": {{share: 1 / 2.5}},
	"completion, processor time":         {{share: 1 / 2.5}},
}

func aimOf(engine, work string) (aim, bool) {
	for _, a := range aims[work] {
		if a.engine == "" || a.engine == engine {
			return a, true
		}
	}
	return aim{}, false
}

func (a aim) String() string {
	var text string
	add := func(format string, arg any) {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf(format, arg)
	}
	if a.share > 0 {
		add("≥ %.0f %% of the floor", a.share*100)
	}
	if a.median > 0 {
		add("median ≤ %s", a.median)
	}
	if a.p95 > 0 {
		add("95 %% ≤ %s", a.p95)
	}
	return text
}

// reached judges a work of a series.
func (a aim) reached(s *Series, work string) bool {
	at := s.times[work][Program]
	return s.share(work) >= a.share &&
		(a.median == 0 || median(at) <= a.median) &&
		(a.p95 == 0 || Quantile(at, 95) <= a.p95)
}

// mostBytes are the aims of memory, by name.
var mostBytes = map[string]int64{
	"version":                          20e6,
	"help":                             20e6,
	"help in Portuguese":               20e6,
	"completion":                       20e6,
	"import, command line":             64e6,
	"suspend a list, command line":     64e6,
	"search, server":                   250e6,
	MemoryImporting:                    320e6,
	"plain list, growth of the server": 40e6,
	"usage, growth of the server":      40e6,
	"binary":                           33e6,
}

// leastRate are the aims of rates, a second.
var leastRate = map[string]float64{Deliveries: 20_000, AtOnce(Registrations): 2000, AtOnce(Reads): 8000}

// The figures stand between these lines of a page; the text around them is
// written by hand and stays.
const (
	begin = "<!-- figures: written by go run ./internal/bench -->\n"
	end   = "<!-- end of the figures -->\n"
)

// WriteInto replaces what stands between the two lines of a page. A page that
// is not there is begun with its title.
func WriteInto(file, title, text string) error {
	page, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		page, err = []byte("# "+title+"\n\n"+begin+end), nil
	}
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", file, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}
