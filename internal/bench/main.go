//go:build linux

// Command bench measures Ativa beside the storage it stands on: it builds the
// program, generates data, runs the floor (the sqlite3 shell, psql and grep,
// written in C) and the program in turns, and writes medians and ratios as one
// table. Only ratios of one run are worth comparing; absolute times are the
// machine's.
//
//	go run ./internal/bench                                   # everything, into docs/performance.md
//	go run ./internal/bench -rows 1000 -turns 1 -write ""     # does it run at all?
//	go run ./internal/bench -engine postgres -only import,sync
//
// PostgreSQL is a private cluster of the installed binaries.
//
// It decides what is measured and how; it refuses to know how the program works:
// it uses the built binary as a user would.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ativa/internal/processtest"
)

type bench struct {
	rows, turns   int
	only, write   string
	dir           string
	began         time.Time
	program, bare binary
	table         table
}

func main() {
	b := bench{began: time.Now()}
	var names []string
	for _, w := range works {
		names = append(names, w.name)
	}
	flag.IntVar(&b.rows, "rows", 200_000, "subscribers in the generated spreadsheet")
	flag.IntVar(&b.turns, "turns", 3, "how often floor and program take turns")
	flag.StringVar(&b.only, "only", strings.Join(names, ","), "what to measure; less than everything is only printed")
	engines := flag.String("engine", "sqlite,postgres", "the databases")
	flag.StringVar(&b.write, "write", "docs/performance.md", "Markdown file that takes the table")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx, strings.Split(*engines, ","))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// failure is what check panics with: nothing can be measured after an error.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func (b *bench) run(ctx context.Context, engines []string) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
		err = errors.Join(err, os.RemoveAll(b.dir))
	}()
	b.dir = must(os.MkdirTemp("", "ativa-bench-"))
	b.program, b.bare = b.build("ativa"), b.build("ativa/internal/bench/bare")
	people := b.generate(b.rows, "Fibra", ",products_ids")
	var open []engine
	for _, name := range engines {
		open = append(open, openEngine(name, b.dir))
	}
	for turn := range b.turns {
		for i, e := range open {
			b.measure(ctx, turn+1, e, people, i == 0)
		}
	}
	return b.report()
}

// measure measures an engine once. What has nothing to do with databases is measured
// with the first.
func (b *bench) measure(ctx context.Context, turn int, e engine, people *people, first bool) {
	s := &site{bench: b, engine: e, people: people}
	defer s.leave(context.WithoutCancel(ctx))
	for _, w := range works {
		if slices.Contains(strings.Split(b.only, ","), w.name) && (first || w.name != "start") {
			fmt.Fprintf(os.Stderr, "%6s  turn %d, %s: %s\n", time.Since(b.began).Round(time.Second), turn, e.name(), w.name)
			w.measure(s, ctx)
		}
	}
}

// build compiles a program as a release is compiled. It returns a copy, as every
// installation is one: what the linker wrote through a mapping lies in memory in small
// pieces, which costs a start a quarter more.
func (b *bench) build(source string) binary {
	path := must(processtest.Build(filepath.Base(source), source))
	installed := filepath.Join(b.dir, filepath.Base(source))
	check(os.WriteFile(installed, must(os.ReadFile(path)), 0o755))
	return binary(installed)
}

// The table is between these lines of a page; the text around it is written by hand and stays.
const (
	begin = "<!-- figures: written by go run ./internal/bench -->\n"
	end   = "<!-- end of the figures -->\n"
)

func (b *bench) report() error {
	text := fmt.Sprintf("\n%s: %d subscribers, %d turns, %s, %s with %d cores, in %s.\n\n%s\n",
		time.Now().UTC().Format(time.DateOnly), b.rows, b.turns, runtime.Version(), runtime.GOARCH, runtime.NumCPU(),
		time.Since(b.began).Round(time.Second), b.table.String())
	if _, err := os.Stdout.WriteString(text); err != nil || b.write == "" || strings.Count(b.only, ",") < len(works)-1 {
		return err
	}
	before, rest, found := strings.Cut(string(must(os.ReadFile(b.write))), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", b.write, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(b.write, []byte(before+begin+text+end+after), 0o644)
}
