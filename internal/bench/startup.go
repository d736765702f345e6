//go:build linux

package main

import (
	"context"
	"path/filepath"

	"ativa/internal/bench/figures"
)

// startUp measures commands that do nothing but start, beside a bare program
// of the same library for commands. Processor time says more than wall time.
func (b *bench) startUp(ctx context.Context) error {
	if !b.wants("startup") {
		return nil
	}
	bare := &binary{path: filepath.Join(b.dir, "bare"), home: b.dir}
	f := b.figures.Start
	for range 10 {
		for _, start := range []struct {
			work, who string
			binary    *binary
			args      []string
		}{
			{"version", figures.Floor, bare, []string{"version"}},
			{"version", figures.Program, &b.program.binary, []string{"version"}},
			{"help", figures.Floor, bare, []string{"help"}},
			{"help", figures.Program, &b.program.binary, []string{"help"}},
			{"help in Portuguese", figures.Floor, bare, []string{"help"}},
			{"help in Portuguese", figures.Program, &b.program.binary, []string{"help", "--lang", "pt"}},
			{"completion", figures.Floor, bare, []string{"__complete", "ver"}},
			{"completion", figures.Program, &b.program.binary, []string{"__complete", "provision", "suspend", "--product", ""}},
		} {
			o, err := start.binary.run(ctx, nil, start.args...)
			if err != nil {
				return err
			}
			f.Time(start.work+", processor time", start.who, o.CPU)
			f.Time(start.work+", wall time", start.who, o.Wall)
			if start.who == figures.Program {
				f.Bytes(start.work, o.Peak)
			}
		}
	}
	return nil
}
