package figures_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ativa/internal/bench/figures"
)

func TestTables(t *testing.T) {
	r := figures.NewRun()
	r.Start.Bytes("binary", 34_000_000)
	r.Start.Time("version, processor time", figures.Floor, 2*time.Millisecond)
	r.Start.Time("version, processor time", figures.Program, 5*time.Millisecond)
	s := r.Of("SQLite", 0)
	for _, seconds := range []int{3, 1, 2} {
		s.Time(figures.ImportSameRows, figures.Floor, time.Duration(seconds)*time.Second)
		s.Time(figures.ImportSameRows, figures.Program, time.Duration(2*seconds)*time.Second)
	}
	s.Time("page of 500", figures.Program, 5*time.Millisecond)
	s.Rate(figures.Deliveries, 19_999.4)
	s.Rate(figures.Deliveries, 25_000)
	s.Rate(figures.Deliveries, 30_000)
	s.Bytes("import, server", 320_000_000)
	s.Cost(figures.Import, figures.Server, time.Second, 50_000)
	s.Cost(figures.Import, figures.CommandLine, 2*time.Second, 50_000)
	for _, rows := range []int{1_000_000, 100_000} { // shown in order of size
		s := r.Of("SQLite", rows)
		s.Time(figures.Import, figures.Floor, time.Duration(rows)*time.Microsecond)
		s.Time(figures.Import, figures.Program, time.Duration(rows)*4*time.Microsecond)
		s.Time("search, a name", figures.Program, time.Millisecond) // one kind of many: not shown
		s.Cost(figures.Import, figures.Server, time.Duration(rows)*20*time.Microsecond, rows)
		s.Cost(figures.Import, figures.Database, time.Duration(rows)*30*time.Microsecond, rows)
	}
	var out bytes.Buffer
	r.Tables(&out, []string{"SQLite", "PostgreSQL"}) // of PostgreSQL nothing was measured
	if got, want := out.String(), read(t, filepath.Join("testdata", "tables.md")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestScaling(t *testing.T) {
	r := figures.NewRun()
	sqlite, postgres := r.Of(figures.SQLite, 0), r.Of(figures.PostgreSQL, 0)
	for n, work := range []string{figures.Import, figures.PlainList, figures.Suspension, figures.Registrations, figures.Reads, figures.Delivery} {
		unit := time.Duration(n+1) * time.Millisecond
		sqlite.Cost(work, figures.Server, unit, 1000)
		postgres.Cost(work, figures.Server, 2*unit, 1000)
		postgres.Cost(work, figures.Database, 8*unit, 1000)
	}
	sqlite.Time(figures.Import, figures.Program, 5940*time.Millisecond)
	postgres.Time(figures.Import, figures.Program, 9190*time.Millisecond)
	postgres.Time(figures.ImportForTwo, figures.Program, 18_000*time.Millisecond)
	postgres.Time(figures.ImportByTwo, figures.Program, 16_000*time.Millisecond)
	sqlite.Rate(figures.AtOnce(figures.Reads), 11_390)
	sqlite.Rate(figures.AtOnce(figures.Registrations), 6_757)
	postgres.Rate(figures.AtOnce(figures.Reads), 95)
	sqlite.Bytes(figures.BytesImported, 548)
	postgres.Bytes(figures.BytesSuspended, 581)
	sqlite.Bytes(figures.MemoryImporting, 261_300_000)
	var out bytes.Buffer
	r.Scaling(&out, 200_000)
	if got, want := out.String(), read(t, filepath.Join("testdata", "scaling.md")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFiguresAreWrittenBetweenTheLinesOfThePage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "performance.md")
	for _, text := range []string{"\nfirst\n\n", "\nsecond\n\n"} {
		if err := figures.WriteInto(page, "Performance", text); err != nil {
			t.Fatal(err)
		}
	}
	const want = "# Performance\n\n<!-- figures: written by go run ./internal/bench -->\n\nsecond\n\n<!-- end of the figures -->\n"
	if got := read(t, page); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	byHand := strings.Replace(strings.Replace(want, "# Performance", "# By hand\n\nAbove.", 1), "end of the figures -->\n", "end of the figures -->\nBelow.\n", 1)
	if err := os.WriteFile(page, []byte(byHand), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := figures.WriteInto(page, "Performance", "third\n"); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, page), strings.Replace(byHand, "\nsecond\n\n", "third\n", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAPageWithoutItsLinesIsLeftAlone(t *testing.T) {
	const begun = "# Performance\n\n<!-- figures: written by go run ./internal/bench -->\n"
	page := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(page, []byte(begun), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := figures.WriteInto(page, "Performance", "text"); err == nil || !strings.Contains(err.Error(), "<!-- end of the figures -->") {
		t.Errorf("got %v, want the line that is missing", err)
	}
	if got := read(t, page); got != begun {
		t.Errorf("got\n%s", got)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
