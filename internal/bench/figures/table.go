package figures

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
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
