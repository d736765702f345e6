package sheet_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/sheet"
)

// Memory does not grow with a file of subscribers, nor with rows that share a document: there every
// document is in two lines, far apart, so that each row is merged or is a merge target.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes big files")
	}
	const documents = 140_000 // their lines do not fit in the memory of a sorter
	for name, tt := range map[string]struct {
		rows, mergedFrom int
		options          sheet.Options
		workbook         bool // with each text once, as Excel stores them
		line             func(row int) string
		most             int64 // MiB
	}{
		"subscribers": {rows: 120_000, mergedFrom: 120_000, line: subscriberLine, most: 16},
		"workbook":    {rows: 120_000, mergedFrom: 120_000, workbook: true, line: subscriberLine, most: 10},
		"documents": {rows: 2 * documents, mergedFrom: documents, options: sheet.Options{Profile: sheet.Documents}, most: 8,
			line: func(row int) string { return string(cpf.WithCheckDigits(number(100_000_000 + row%documents))) }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "big.csv")
			writeBig(t, path, tt.rows, tt.line)
			if tt.workbook {
				path = asWorkbook(t, path)
			}
			debug.FreeOSMemory()
			before := heap()
			f, err := sheet.Open(path, tt.options)
			must(t, err)
			defer f.Close()
			s, err := f.Check(t.Context(), catalog())
			must(t, err)
			if s.Valid != tt.mergedFrom || s.Merged != tt.rows-tt.mergedFrom {
				t.Errorf("got %d valid, %d merged, want %d valid of %d", s.Valid, s.Merged, tt.mergedFrom, tt.rows)
			}
			most, seen := heap(), 0
			for row, err := range f.Rows(t.Context()) {
				must(t, err)
				first := row.Line - seen // the line of the first row
				want := 0
				if seen >= tt.mergedFrom {
					want = seen - tt.mergedFrom + first
				}
				if row.MergedInto != want || len(row.Problems) > 0 {
					t.Fatalf("got %s, want it merged into line %d", describe(row), want)
				}
				if seen++; seen%60_000 == 0 {
					most = max(most, heap())
				}
			}
			if grown := int64(most-before) >> 20; seen != tt.rows || grown > tt.most {
				t.Errorf("the heap grew by %d MiB in %d rows, want at most %d in %d", grown, seen, tt.most, tt.rows)
			}
		})
	}
}

// heap returns the bytes in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func subscriberLine(row int) string {
	return fmt.Sprintf("Antônio Cavalcanti Gonçalves,antonio.goncalves%d@example.com.br,%s,+55119%08d,%d,\"Fibra %d, Residencial\",%s",
		row, cpf.WithCheckDigits(number((row*387420489+123456789)%999999937)), row%100_000_000, row%20+1, 100*(row%10+1), []string{"1", "1;3", "3"}[row%3])
}

// asWorkbook writes a CSV file as an .xlsx file.
func asWorkbook(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	must(t, err)
	var texts, cells strings.Builder
	numbers := map[string]int{}
	for _, row := range rows {
		cells.WriteString("<row>")
		for _, text := range row {
			if _, ok := numbers[text]; !ok {
				numbers[text] = len(numbers)
				texts.WriteString("<si><t>" + text + "</t></si>")
			}
			fmt.Fprintf(&cells, `<c t="s"><v>%d</v></c>`, numbers[text])
		}
		cells.WriteString("</row>")
	}
	path += ".xlsx"
	must(t, os.WriteFile(path, []byte(worksheet(t, cells.String(), texts.String())), 0o600))
	return path
}

// writeBig writes the lines of a file, and a header if these have several cells.
func writeBig(t testing.TB, path string, rows int, line func(row int) string) {
	t.Helper()
	file, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriterSize(file, 1<<20)
	if strings.Contains(line(0), ",") {
		_, err = w.WriteString("name,email,document,phone,internet_speed_id,customer_plan,products_ids\n")
	}
	for i := 0; err == nil && i < rows; i++ {
		_, err = w.WriteString(line(i) + "\n")
	}
	must(t, errors.Join(err, w.Flush(), file.Close()))
}
