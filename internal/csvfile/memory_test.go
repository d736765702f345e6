package csvfile_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/csvfile"
)

// sizeVariable asks for a bigger file, in MiB: ATIVA_CSV_MIB=1024 checks the
// promise of a 1 GB file in constant memory.
const sizeVariable = "ATIVA_CSV_MIB"

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a big file")
	}
	mib := 16
	if s := os.Getenv(sizeVariable); s != "" {
		var err error
		if mib, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "big.csv")
	writeBig(t, path, mib<<20)
	debug.FreeOSMemory()
	before := heap()
	f, err := csvfile.Open(path, csvfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := f.Check(t.Context(), catalog())
	if err != nil {
		t.Fatal(err)
	}
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
	t.Logf("%d MiB, %d rows: heap grew by %d MiB, resident at most %s", mib, rows, grown, peak())
	if grown > 16 {
		t.Errorf("the heap grew by %d MiB, want at most 16", grown)
	}
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// peak is the most memory that the process had, where the system tells.
func peak() string {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		var kib int
		if n, _ := fmt.Sscanf(s.Text(), "VmHWM: %d kB", &kib); n == 1 {
			return fmt.Sprintf("%d MiB", kib>>10)
		}
	}
	return "unknown"
}

func writeBig(t testing.TB, path string, size int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	n, err := w.WriteString("name,email,document,phone,internet_speed_id,customer_plan,products_ids\n")
	for i := 0; err == nil && n < size; i++ {
		var m int
		root := (i*387420489 + 123456789) % 999999937
		m, err = fmt.Fprintf(w, "Antônio Cavalcanti Gonçalves,antonio.goncalves%d@example.com.br,%s,+55119%08d,%d,\"Fibra %d, Residencial\",%s\n",
			i, cpf.WithCheckDigits(fmt.Sprint(root)), i%100_000_000, i%20+1, 100*(i%10+1), []string{"1", "1;3", "3"}[i%3])
		n += m
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkCheckAndRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.csv")
	writeBig(b, path, 24<<20)
	b.ReportAllocs()
	b.SetBytes(24 << 20)
	for b.Loop() {
		f, err := csvfile.Open(path, csvfile.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s, err := f.Check(b.Context(), catalog())
		if err != nil || s.Invalid > 0 {
			b.Fatal(err, s.First)
		}
		for _, err := range f.Rows(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
