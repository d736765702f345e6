//go:build linux

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is one run of everything.
type bench struct {
	options
	csv       string
	documents []string
	floor     *floor
	program   *program
	figures   figures
}

func (b *bench) generate() error {
	f, err := os.Create(b.csv)
	if err != nil {
		return err
	}
	if err := writePeople(f, b.rows); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return b.readDocuments()
}

// readDocuments keeps every tenth document of the CSV, for the suspension.
func (b *bench) readDocuments() error {
	f, err := os.Open(b.csv)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true // a child's peak memory would count ours
	for n := 0; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n%10 == 1 {
			b.documents = append(b.documents, strings.Clone(row[2]))
		}
	}
}

// turn measures the floor and the program once each.
func (b *bench) turn(ctx context.Context) error {
	if b.wants("startup") {
		if err := b.startUp(ctx); err != nil {
			return err
		}
	}
	wall, err := b.floor.load(ctx, b.csv)
	if err != nil {
		return err
	}
	b.figures.add("import", "floor", wall)
	if err := b.program.start(ctx); err != nil {
		return err
	}
	defer func() { _ = b.program.stop() }() // after an error; a good turn stops it below
	if err := b.load(ctx); err != nil {
		return err
	}
	bearer, err := b.program.bearer(ctx)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context, string) error
	}{{"list", b.list}, {"page", b.page}, {"search", b.search}, {"suspend", b.suspend}} {
		if b.wants(step.name) {
			if err := step.do(ctx, bearer); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
	}
	return b.program.stop()
}

func (b *bench) startUp(ctx context.Context) error {
	for range 10 {
		o, err := b.program.run(ctx, nil, "version")
		if err != nil {
			return err
		}
		b.figures.add("version, CPU", "program", o.cpu)
		b.figures.memory("version", o.peakRSS)
	}
	return nil
}

func (b *bench) load(ctx context.Context) error {
	o, err := b.program.run(ctx, nil, "subscribers", "import", b.csv, "--report-dir", filepath.Dir(b.csv), "--quiet", "--yes")
	if err != nil {
		return err
	}
	b.figures.add("import", "program", o.wall)
	b.figures.memory("import, command line", o.peakRSS)
	_, peak := b.program.memory()
	b.figures.memory("import, server", peak)
	return nil
}

func (b *bench) list(ctx context.Context, bearer string) error {
	wall, err := b.floor.list(ctx)
	if err != nil {
		return err
	}
	b.figures.add("plain list", "floor", wall)
	first, all, err := b.program.get(ctx, bearer, "/subscribers")
	b.figures.add("plain list, first byte", "program", first)
	b.figures.add("plain list", "program", all)
	return err
}

func (b *bench) page(ctx context.Context, bearer string) error {
	pages := (b.rows + 499) / 500
	for _, page := range []int{1, pages / 2, pages} {
		_, all, err := b.program.get(ctx, bearer, fmt.Sprintf("/subscribers?paginate=S&page=%d", page))
		if err != nil {
			return err
		}
		b.figures.add("page of 500", "program", all)
	}
	return nil
}

func (b *bench) search(ctx context.Context, bearer string) error {
	for _, term := range []string{"silva", "jo%C3%A3o%20souza", "maria%20azevedo%20pinto", "ana", "zz", "@example", "98765", b.documents[len(b.documents)/2]} {
		_, all, err := b.program.get(ctx, bearer, "/subscribers/search/"+term+"?paginate=S")
		if err != nil {
			return err
		}
		b.figures.add("search", "program", all)
	}
	return nil
}

func (b *bench) suspend(ctx context.Context, _ string) error {
	list := filepath.Join(filepath.Dir(b.csv), "suspend.csv")
	var lines []byte
	for _, d := range b.documents {
		lines = append(append(lines, d...), '\n')
	}
	if err := os.WriteFile(list, lines, 0o600); err != nil {
		return err
	}
	wall, err := b.floor.suspend(ctx, list)
	if err != nil {
		return err
	}
	b.figures.add("suspend a tenth", "floor", wall)
	if err := b.activate(ctx); err != nil {
		return err
	}
	o, err := b.program.run(ctx, nil, "provision", "suspend", "--product", "1", "--file", list, "--quiet", "--yes")
	b.figures.add("suspend a tenth", "program", o.wall)
	return err
}

// activate makes the services suspendable: the partner confirms what the
// subscribers would have clicked.
func (b *bench) activate(ctx context.Context) error {
	return b.floor.execute(ctx, b.program.file(), `UPDATE service SET status_id = 1 WHERE status_id = 10;`)
}

// figures gathers what was measured.
type figures struct {
	order []string
	times map[string]map[string][]time.Duration
	peaks map[string][]int64
	names []string
}

func (f *figures) add(what, who string, d time.Duration) {
	if f.times == nil {
		f.times = map[string]map[string][]time.Duration{}
	}
	if f.times[what] == nil {
		f.times[what] = map[string][]time.Duration{}
		f.order = append(f.order, what)
	}
	f.times[what][who] = append(f.times[what][who], d)
}

func (f *figures) memory(what string, bytes int64) {
	if f.peaks == nil {
		f.peaks = map[string][]int64{}
	}
	if f.peaks[what] == nil {
		f.names = append(f.names, what)
	}
	f.peaks[what] = append(f.peaks[what], bytes)
}

func median[T int64 | time.Duration](all []T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
