//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"

	"ativa/internal/bench/figures"
)

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
