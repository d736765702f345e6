package sheet_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"runtime/debug"
	"strings"
	"testing"

	"ativa/internal/sheet"
)

func TestHeldLinesOfAReportStandBeforeTheLinesBehindThem(t *testing.T) {
	var b bytes.Buffer
	w := sheet.NewReportWriter(&b)
	line := 1
	hold := func(n int) {
		t.Helper()
		for range n {
			line++
			if err := w.Hold(sheet.ReportLine{Line: line, Result: sheet.ResultMerged, Detail: "line \"1\"\n"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func() {
		t.Helper()
		line++
		if err := w.Write(sheet.ReportLine{Line: line, Result: "created"}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	for _, n := range []int{1, 4096, 4097, 3, 20_000, 0} { // within memory, and beyond it
		hold(n)
		write()
	}
	// The outcome of a row comes while lines behind it are held already.
	early := line + 1
	line++
	hold(9000)
	if err := w.Write(sheet.ReportLine{Line: early, Result: "created"}); err != nil {
		t.Fatal(err)
	}
	hold(5000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(records) != line {
		t.Fatalf("%d records, %v, want %d", len(records), err, line)
	}
	for i, record := range records[1:] {
		if record[0] != number(i+2) {
			t.Fatalf("line %s stands in place %d", record[0], i+2)
		}
		if record[2] == sheet.ResultMerged && record[7] != "line \"1\"\n" {
			t.Fatalf("line %s: %q", record[0], record)
		}
	}
}

// A file that was pasted twice holds the lines of its second half until the last
// batch of the first one is answered.
func TestMemoryDoesNotGrowWithTheHeldLinesOfAReport(t *testing.T) {
	debug.FreeOSMemory()
	before := heap()
	w := sheet.NewReportWriter(io.Discard)
	for i := range 200_000 {
		if err := w.Hold(sheet.ReportLine{Line: i + 2, Document: "52998224725", Result: sheet.ResultMerged, Detail: "line " + number(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if grown := int64(heap()-before) >> 20; grown > 8 {
		t.Errorf("the heap grew by %d MiB, want at most 8", grown)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
