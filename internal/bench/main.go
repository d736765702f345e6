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
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
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

func (b *bench) run(ctx context.Context, engines []string) (err error) {
	if b.dir, err = os.MkdirTemp("", "ativa-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.build(ctx); err != nil {
		return err
	}
	people, err := b.generate(b.rows, "Fibra", ",products_ids")
	if err != nil {
		return err
	}
	var open []engine
	for _, name := range engines {
		e, err := openEngine(name, b.dir)
		if err != nil {
			return err
		}
		open = append(open, e)
	}
	for turn := range b.turns {
		for _, e := range open {
			s := &site{bench: b, engine: e, people: people}
			for _, w := range works {
				once := w.name == "start" && e != open[0] // it has nothing to do with databases
				if slices.Contains(strings.Split(b.only, ","), w.name) && !once {
					fmt.Fprintf(os.Stderr, "%6s  turn %d, %s: %s\n", time.Since(b.began).Round(time.Second), turn+1, e.name(), w.name)
					w.measure(s, ctx)
				}
			}
			s.leave(context.WithoutCancel(ctx))
			if s.err != nil {
				return s.err
			}
		}
	}
	return b.report()
}

// build compiles the program as a release is compiled, and a bare one beside it.
func (b *bench) build(ctx context.Context) error {
	for p, path := range map[*binary]string{&b.program: "ativa", &b.bare: "ativa/internal/bench/bare"} {
		*p = binary(filepath.Join(b.dir, filepath.Base(path)))
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", string(*p), path)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w: %s", path, err, out)
		}
		// A copy, as every installation is one: what the linker wrote through a mapping
		// lies in memory in small pieces, which costs a start a quarter more.
		text, err := os.ReadFile(string(*p))
		if err := errors.Join(err, os.Remove(string(*p)), os.WriteFile(string(*p), text, 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// The table stands between these lines of a page; the text around it is
// written by hand and stays.
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
	old, err := os.ReadFile(b.write)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", b.write, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(b.write, []byte(before+begin+text+end+after), 0o644)
}
