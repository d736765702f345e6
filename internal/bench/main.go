//go:build linux

// Command bench measures Ativa beside the storage it stands on: it builds the
// program, generates data, runs the floor (the sqlite3 shell and psql, written
// in C, on an equal schema) and the program in turns, and writes medians and
// ratios as a table. Only ratios of one run are worth comparing; absolute times
// are the machine's.
//
//	go run ./internal/bench                               # everything, about ten minutes, into docs/performance.md
//	go run ./internal/bench -rows 20000 -turns 1 -growth "" -write ""   # does it run at all?
//	go run ./internal/bench -engine postgres -only import,two
//	go run ./internal/bench -growth 100000,1000000,5000000              # half an hour more
//
// PostgreSQL is a private cluster of the installed binaries, or that of
// -postgres; where there is none its half is skipped with a line that says so.
//
// It decides what is measured and how; it refuses to know how the program works:
// it uses the built binary as a user would.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"ativa/internal/bench/figures"
)

// works is what can be measured, in the order of the measurements.
var works = []string{"startup", "import", "list", "page", "search", "calls", "suspend", "outbox", "usage", "fairness", "two"}

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 200_000, "subscribers in the generated spreadsheet")
	flag.IntVar(&o.turns, "turns", 3, "how often floor and program take turns")
	flag.StringVar(&o.growth, "growth", "100000,1000000", "measure once at each of these numbers of subscribers, too")
	flag.StringVar(&o.only, "only", "", "measure only these, separated by commas: "+strings.Join(works, ","))
	flag.StringVar(&o.engine, "engine", "sqlite,postgres", "the databases")
	flag.StringVar(&o.postgres, "postgres", "", "URL of a PostgreSQL on which databases may be created (default a private cluster)")
	flag.StringVar(&o.write, "write", page, "Markdown file that takes the figures; a run with -only or -engine writes only when it is given")
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { o.chosen = append(o.chosen, f.Name) })
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// Where the figures stand for readers. What is said of scaling follows from
// all of them, so it is only written by a run that measured everything.
const (
	page        = "docs/performance.md"
	scalingPage = "docs/scaling.md"
)

type options struct {
	rows, turns          int
	growth, only, engine string
	postgres, write      string
	chosen               []string // the flags that were given
	sizes                []int    // of the growth
	without              []string // lines that say what was skipped
}

func (o *options) check() error {
	for _, name := range split(o.only) {
		if !slices.Contains(works, name) {
			return fmt.Errorf("-only: %q is none of %s", name, strings.Join(works, ", "))
		}
	}
	for _, name := range split(o.engine) {
		if name != "sqlite" && name != "postgres" {
			return fmt.Errorf("-engine: %q is neither sqlite nor postgres", name)
		}
	}
	for _, s := range split(o.growth) {
		n, err := strconv.Atoi(s)
		if err != nil || n < leastRows {
			return fmt.Errorf("-growth: %q is no number of subscribers from %d", s, leastRows)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.rows < leastRows || o.turns < 1 {
		return fmt.Errorf("-rows is at least %d and -turns at least 1", leastRows)
	}
	narrow := slices.Contains(o.chosen, "only") || slices.Contains(o.chosen, "engine")
	if narrow && !slices.Contains(o.chosen, "write") {
		o.write = ""
	}
	return nil
}

// leastRows is the size below which there is nothing to see.
const leastRows = 1000

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func (o *options) wants(work string) bool {
	return o.only == "" || slices.Contains(split(o.only), work)
}

func run(ctx context.Context, o options) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ativa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = figures.Clients
	b := &bench{options: o, dir: dir, began: time.Now(), figures: figures.NewRun()}
	if b.program, err = build(ctx, dir); err != nil {
		return err
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	if err := b.measure(ctx); err != nil {
		return err
	}
	return b.report()
}

func (b *bench) report() error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "\n`go run ./internal/bench%s` on %s: %d subscribers, %d turns, %s, %s with %d cores, in %s.\n",
		b.flags(), time.Now().UTC().Format(time.DateOnly), b.rows, b.turns, runtime.Version(), runtime.GOARCH, runtime.NumCPU(),
		time.Since(b.began).Round(time.Second))
	for _, line := range b.without {
		fmt.Fprintf(&out, "\n%s.\n", line)
	}
	if info, err := os.Stat(b.program.path); err == nil {
		b.figures.Start.Bytes("binary", info.Size())
	}
	var engines []string
	for _, e := range b.engines {
		engines = append(engines, e.name())
	}
	b.figures.Tables(&out, engines)
	out.WriteString("\n")
	if _, err := os.Stdout.Write(out.Bytes()); err != nil || b.write == "" {
		return err
	}
	if err := figures.WriteInto(b.write, "Performance", out.String()); err != nil || b.write != page || b.only != "" || len(b.engines) < 2 {
		return err
	}
	var scaling bytes.Buffer
	b.figures.Scaling(&scaling, b.rows)
	return figures.WriteInto(scalingPage, "Scaling", scaling.String())
}

func (b *bench) flags() (text string) {
	values := map[string]any{"rows": b.rows, "turns": b.turns, "growth": b.growth, "only": b.only, "engine": b.engine}
	for _, name := range b.chosen {
		if v, ok := values[name]; ok {
			text += fmt.Sprintf(" -%s %v", name, v)
		}
	}
	return text
}
