package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/cpf"
)

// refusingServer refuses every second row of an import.
func refusingServer(t *testing.T) string {
	const head = `"products_ids":[25]`
	plain := apitest.New(api.ExtIdempotency)
	plain.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if !r.Is("import") {
			return false
		}
		b := []byte(`{"response":"partial","summary":{},"results":[`)
		for i := range bytes.Count(r.Body, []byte(head)) {
			b = fmt.Appendf(b, `{"index":%d,"document":"0","result":"created","services":[]},`, 2*i)
			b = fmt.Appendf(b, `{"index":%d,"document":"0","result":"failed","services":[],"errors":[{"field":"products_ids","code":"of_another_server","detail":"%s"}]},`, 2*i+1, strings.Repeat("x", 1000))
		}
		_, err := w.Write(append(bytes.TrimSuffix(b, []byte(",")), "]}"...))
		return err == nil
	}
	s := httptest.NewServer(plain)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnImportTakesLittleMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds two programs")
	}
	const rows = 50_000
	dir := t.TempDir()
	var file bytes.Buffer
	file.WriteString("name,email,document,phone,products_ids\n")
	for i := range rows {
		fmt.Fprintf(&file, "Ana Maria %d,ana%d@example.com,%s,+5511987654321,%s\n", i, i, cpf.WithCheckDigits(strconv.Itoa(100_000_000+i)), []string{"25", ""}[i%2])
	}
	path := writeFile(t, "people.csv", file.String())
	c := exec.Command(built(t, "resident", "./testdata/resident"), built(t, "ativa", ".."), "subscribers", "import", path, "--quiet", "-o", "json", "--output-file", filepath.Join(dir, "out"))
	c.Env = []string{"HOME=" + dir, "GOMAXPROCS=2", "ATIVA_SERVER=" + refusingServer(t), "ATIVA_ACCESS_TOKEN=a"}
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != cli.ExitPartial {
		t.Fatalf("got %v, want exit %d: %s", err, cli.ExitPartial, exit.Stderr)
	}
	most, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil || most > 64e6 || most < 10e6 {
		t.Errorf("got %s bytes of memory, %v, want at most 64 MB", out, err)
	}
	var printed struct{ Import importSummary }
	if text, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || json.Unmarshal(text, &printed) != nil || printed.Import.Failed != rows/2 || printed.Import.Created != rows/2 {
		t.Errorf("got %+v, %v, want half of %d rows refused", printed, err, rows)
	}
	if rejected, err := os.ReadFile(path + ".rejected.csv"); err != nil || bytes.Count(rejected, []byte("\n")) != rows/2+1 {
		t.Errorf("got %d lines of refused rows, %v, want %d", bytes.Count(rejected, []byte("\n")), err, rows/2+1)
	}
}
