package sheet_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/sheet"
)

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a big file")
	}
	path := filepath.Join(t.TempDir(), "big.csv")
	writeBig(t, path, 16<<20)
	debug.FreeOSMemory()
	before := heap()
	f, err := sheet.Open(path, sheet.Options{})
	must(t, err)
	defer f.Close()
	s, err := f.Check(t.Context(), catalog())
	must(t, err)
	most, rows := uint64(0), 0
	for row, err := range f.Rows(t.Context()) {
		if err != nil || len(row.Problems) > 0 {
			t.Fatal(err, describe(row))
		}
		if rows++; rows%100_000 == 0 {
			most = max(most, heap())
		}
	}
	if rows != s.Rows {
		t.Errorf("%d rows, then %d", s.Rows, rows)
	}
	grown := int64(most-before) >> 20
	if grown > 16 {
		t.Errorf("the heap grew by %d MiB, want at most 16", grown)
	}
}

// Every document is in two lines, far apart, so that each row is merged or is a merge
// target.
func TestMemoryDoesNotGrowWithRowsThatShareADocument(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a big file")
	}
	const documents = 140_000 // their lines do not fit in the memory of a sorter
	path := filepath.Join(t.TempDir(), "doubled.csv")
	var lines bytes.Buffer
	for i := range 2 * documents {
		fmt.Fprintln(&lines, cpf.WithCheckDigits(fmt.Sprint(100_000_000+i%documents)))
	}
	must(t, os.WriteFile(path, lines.Bytes(), 0o600))
	lines = bytes.Buffer{}
	debug.FreeOSMemory()
	before := heap()
	f, err := sheet.Open(path, sheet.Options{Profile: sheet.Documents})
	must(t, err)
	defer f.Close()
	s, err := f.Check(t.Context(), sheet.Catalog{})
	must(t, err)
	if s.Merged != documents || s.Valid != documents {
		t.Errorf("%d merged, %d valid, want %d of each", s.Merged, s.Valid, documents)
	}
	grown := int64(heap()-before) >> 20
	t.Logf("%d rows: heap grew by %d MiB", s.Rows, grown)
	if grown > 8 {
		t.Errorf("the heap grew by %d MiB, want at most 8", grown)
	}
	merged := 0
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		if want := max(0, row.Line-documents); row.MergedInto != want {
			t.Fatalf("line %d is merged into %d, want %d", row.Line, row.MergedInto, want)
		}
		if row.MergedInto > 0 {
			merged++
		}
	}
	if merged != documents {
		t.Errorf("%d merged, want %d", merged, documents)
	}
}

// heap returns the bytes in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func writeBig(t testing.TB, path string, size int) {
	t.Helper()
	file, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriterSize(file, 1<<20)
	n, err := w.WriteString("name,email,document,phone,internet_speed_id,customer_plan,products_ids\n")
	for i := 0; err == nil && n < size; i++ {
		var m int
		root := (i*387420489 + 123456789) % 999999937
		m, err = fmt.Fprintf(w, "Antônio Cavalcanti Gonçalves,antonio.goncalves%d@example.com.br,%s,+55119%08d,%d,\"Fibra %d, Residencial\",%s\n",
			i, cpf.WithCheckDigits(fmt.Sprint(root)), i%100_000_000, i%20+1, 100*(i%10+1), []string{"1", "1;3", "3"}[i%3])
		n += m
	}
	must(t, err)
	must(t, w.Flush())
	must(t, file.Close())
}
