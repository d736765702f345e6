//go:build linux

// Command bench measures Ativa against its storage: it builds the program, generates data, runs the
// floor (the sqlite3 shell, psql and grep, written in C) and the program in turns, and writes
// medians and ratios as one table. Without flags it writes the table into docs/performance.md.
// PostgreSQL is a private cluster of the installed binaries.
//
// It decides what is measured and how; it refuses to know how the program works:
// it uses the built binary as a user would. It panics at the first error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"ativa/internal/processtest"
)

type bench struct {
	dir           string
	program, bare string // paths
	people        *people
	table         table
}

func main() {
	rows := flag.Int("rows", 200_000, "subscribers in the generated spreadsheet")
	turns := flag.Int("turns", 3, "how often floor and program take turns")
	engines := flag.String("engine", "sqlite,postgres", "the databases")
	only := flag.String("only", "", "what to measure, as import,read (default everything)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	b := &bench{dir: must(os.MkdirTemp("", "ativa-bench-"))}
	defer os.RemoveAll(b.dir)
	b.program = must(processtest.Install(b.dir, "ativa", "."))
	b.bare = must(processtest.Install(b.dir, "bare", "./internal/bench/bare"))
	b.people = b.generate(*rows, "Fibra", ",products_ids")
	var sites []*site
	for name := range strings.SplitSeq(*engines, ",") {
		sites = append(sites, &site{bench: b, engine: openEngine(name, b.dir)})
	}
	for turn := range *turns {
		for i, s := range sites {
			for _, w := range works {
				// A work without a database is measured with the first engine only.
				if (*only == "" || slices.Contains(strings.Split(*only, ","), w.name)) && (i == 0 || w.name != "start") {
					fmt.Fprintf(os.Stderr, "%6s  turn %d, %s: %s\n", time.Since(began).Round(time.Second), turn+1, s.name(), w.name)
					w.measure(s, ctx)
				}
			}
			s.halt()
		}
	}
	text := fmt.Sprintf("\n%s: %d subscribers, %d turns, %s, %s with %d cores, in %s.\n\n%s\n", time.Now().UTC().Format(time.DateOnly),
		*rows, *turns, runtime.Version(), runtime.GOARCH, runtime.NumCPU(), time.Since(began).Round(time.Second), b.table)
	fmt.Fprint(os.Stdout, text)
	if flag.NFlag() == 0 {
		writeTable(text)
	}
}

// The table is between these lines of the page; the text around it is written by hand and stays.
const (
	page  = "docs/performance.md"
	begin = "<!-- figures: written by go run ./internal/bench -->\n"
	end   = "<!-- end of the figures -->\n"
)

func writeTable(text string) {
	before, rest, found := strings.Cut(string(must(os.ReadFile(page))), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		check(fmt.Errorf("%s has no lines %q and %q to write between", page, strings.TrimSpace(begin), strings.TrimSpace(end)))
	}
	check(os.WriteFile(page, []byte(before+begin+text+end+after), 0o644))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
