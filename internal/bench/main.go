//go:build linux

// Command bench measures Ativa beside the storage it stands on: it builds the
// program, generates data, runs the floor (the sqlite3 shell, written in C, on
// an equal schema) and the program in turns, and prints medians and ratios.
// Only ratios of one run are worth comparing; absolute times are the machine's.
//
//	go run ./internal/bench                     # 200,000 rows, three turns
//	go run ./internal/bench -rows 1000000 -turns 3 -write docs/performance.md
//
// It decides what is measured and how; it refuses to know how the program works:
// it uses the built binary as a user would.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 200_000, "subscribers in the generated spreadsheet")
	flag.IntVar(&o.turns, "turns", 3, "how often floor and program take turns")
	flag.StringVar(&o.write, "write", "", "also write the table into this Markdown file")
	flag.StringVar(&o.only, "only", "", "measure only these, separated by commas: import,list,page,search,suspend,startup")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rows, turns int
	write, only string
}

func (o options) wants(what string) bool {
	return o.only == "" || strings.Contains(","+o.only+",", ","+what+",")
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ativa-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, csv: filepath.Join(dir, "subscribers.csv"), floor: &floor{dir: dir}}
	if err := b.generate(); err != nil {
		return err
	}
	if b.program, err = build(ctx, dir); err != nil {
		return err
	}
	started := time.Now()
	for turn := range o.turns {
		fmt.Fprintf(os.Stderr, "turn %d of %d (%s)\n", turn+1, o.turns, time.Since(started).Round(time.Second))
		if err := b.turn(ctx); err != nil {
			return err
		}
	}
	return b.report()
}
