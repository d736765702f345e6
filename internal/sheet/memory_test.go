package sheet_test

import (
	"encoding/csv"
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
		encode           func(*testing.T, [][]string) string
		cells            func(row int) []string
		most             int64 // MiB
	}{
		"subscribers": {rows: 120_000, mergedFrom: 120_000, encode: asCSV, cells: subscriberCells, most: 16},
		"workbook":    {rows: 120_000, mergedFrom: 120_000, encode: asWorkbook, cells: subscriberCells, most: 10},
		"documents": {rows: 2 * documents, mergedFrom: documents, encode: asCSV, options: sheet.Options{Profile: sheet.Documents}, most: 8,
			cells: func(row int) []string { return []string{document(100_000_000 + row%documents)} }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "big")
			must(t, os.WriteFile(path, []byte(tt.encode(t, bigTable(tt.rows, tt.cells))), 0o600))
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
			for _, err := range f.Rows(t.Context()) {
				must(t, err)
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

func document(root int) string { return string(cpf.WithCheckDigits(number(root))) }

func subscriberCells(row int) []string {
	return []string{"Antônio Cavalcanti Gonçalves", fmt.Sprintf("antonio.goncalves%d@example.com.br", row),
		document((row*387420489 + 123456789) % 999999937), fmt.Sprintf("+55119%08d", row%100_000_000), number(row%20 + 1),
		fmt.Sprintf("Fibra %d, Residencial", 100*(row%10+1)), []string{"1", "1;3", "3"}[row%3]}
}

// bigTable returns rows below a header, which a list of documents does not need.
func bigTable(rows int, cells func(row int) []string) (table [][]string) {
	if len(cells(0)) > 1 {
		table = append(table, []string{"name", "email", "document", "phone", "internet_speed_id", "customer_plan", "products_ids"})
	}
	for i := range rows {
		table = append(table, cells(i))
	}
	return table
}

func asCSV(t *testing.T, table [][]string) string {
	t.Helper()
	var b strings.Builder
	must(t, csv.NewWriter(&b).WriteAll(table))
	return b.String()
}

// asWorkbook writes a table as an .xlsx file with each text once, as Excel does.
func asWorkbook(t *testing.T, table [][]string) string {
	t.Helper()
	var texts, cells strings.Builder
	numbers := map[string]int{}
	for _, row := range table {
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
	return worksheet(t, cells.String(), texts.String())
}
