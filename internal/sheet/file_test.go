package sheet_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
)

func TestOpenExplainsAWrongPath(t *testing.T) {
	dir := t.TempDir()
	if _, err := sheet.Open(filepath.Join(dir, "no.csv"), sheet.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := sheet.Open(dir, sheet.Options{}); err == nil || !strings.HasSuffix(err.Error(), "is a directory, not a file") {
		t.Errorf("a directory: %v", err)
	}
}

func TestAnOpenFileKnowsItsColumnsAndItsHash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	content := "\ufeff" + header + ana
	must(t, os.WriteFile(path, []byte(content), 0o600))
	f, err := sheet.Open(path, sheet.Options{})
	must(t, err)
	defer f.Close()
	if want := (sheet.Dialect{Encoding: sheet.UTF8, BOM: true, Delimiter: ';', HeaderLine: 1}); f.Dialect != want {
		t.Errorf("dialect %+v, want %+v", f.Dialect, want)
	}
	if !f.Has(api.FieldPhone) || f.Has(columns.FieldStatus) {
		t.Errorf("columns %+v", f.Columns)
	}
	if got, err := f.SHA256(); err != nil || got != fmt.Sprintf("%x", sha256.Sum256([]byte(content))) {
		t.Errorf("hash %s, %v", got, err)
	}
}

// Changing a file between the check and the sending is an error: checked rows may be gone, or the
// file may still be incomplete.
func TestAFileChangedWhileItIsReadIsAnError(t *testing.T) {
	text := header + strings.Repeat(ana, 2_000)
	row := []any{"Ana Souza", "ana@example.com", "52998224725", "11987654321", "100 Mega", "Fibra", "1"}
	book := table(t, append([][]any{titles}, slices.Repeat([][]any{row}, 100)...)...)
	changes := map[string]func(path string, size int64) error{
		"shorter": func(path string, size int64) error { return os.Truncate(path, size/2-5) },
		"longer":  func(path string, size int64) error { return os.Truncate(path, size+1) },
		"as long": func(path string, _ int64) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	}
	for name, content := range map[string]string{"UTF-8": text, "UTF-16": wide("\ufeff"+text, binary.LittleEndian), "workbook": book} {
		for becomes, change := range changes {
			t.Run(name+" "+becomes, func(t *testing.T) { testChanged(t, content, change) })
		}
	}
}

func testChanged(t *testing.T, content string, change func(path string, size int64) error) {
	path := filepath.Join(t.TempDir(), "people")
	must(t, os.WriteFile(path, []byte(content), 0o600))
	f, err := sheet.Open(path, sheet.Options{})
	must(t, err)
	defer f.Close()
	if _, err := f.Check(t.Context(), sheet.Catalog{}); err != nil {
		t.Fatal(err)
	}
	must(t, change(path, int64(len(content))))
	var last error
	for _, last = range f.Rows(t.Context()) {
		if last != nil {
			break
		}
	}
	if last == nil || !strings.HasPrefix(last.Error(), "the file was changed while it was read") {
		t.Errorf("got %v", last)
	}
}

// Old programs end a text with Ctrl-Z, after the last line or in place of its line end.
func TestAFinalCtrlZIsNoRow(t *testing.T) {
	for _, text := range []string{"cpf\n52998224725\n\x1a", "cpf\r\n52998224725\x1a", "cpf\n52998224725\n\x1a\x1a"} {
		for _, encoding := range []string{"", "windows-1252"} {
			f, err := sheet.OpenReader(strings.NewReader(text), sheet.Options{Profile: sheet.Documents, Encoding: encoding})
			must(t, err)
			defer f.Close()
			checked, err := f.Check(t.Context(), sheet.Catalog{})
			if err != nil || checked.Rows != 1 || checked.Invalid != 0 {
				t.Errorf("%q: got %+v, %v, want one good row", text, checked, err)
			}
		}
	}
	if _, err := sheet.OpenReader(strings.NewReader("\x1a"), sheet.Options{}); err == nil {
		t.Error("a file of nothing but Ctrl-Z is read")
	}
}

func TestATextFileHasNoSheets(t *testing.T) {
	_, err := sheet.OpenReader(strings.NewReader(header+ana), sheet.Options{Sheet: "Clientes"})
	if p, ok := errors.AsType[*sheet.Problem](err); !ok || p.Code != sheet.CodeNoSheets {
		t.Errorf("got %v, want that there are no sheets", err)
	}
}

func TestCheckAndRowsEndWithTheirContext(t *testing.T) {
	f, _, err := read(t, header+ana+joao, sheet.Options{})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for _, err = range f.Rows(ctx) {
		seen++
		cancel()
	}
	if seen != 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, then %v", seen, err)
	}
	if _, err := f.Check(ctx, catalog()); !errors.Is(err, context.Canceled) {
		t.Errorf("check: %v", err)
	}
}

func TestEncodingsHaveManyNames(t *testing.T) {
	text := header + joao
	for name, content := range map[string]string{
		"UTF-8": text, "utf8": "\ufeff" + text, "cp1252": latin(text), "ANSI": latin(text), "ISO-8859-1": latin(text),
		"UTF-16": wide("\ufeff"+text, binary.BigEndian), "utf-16le": wide(text, binary.LittleEndian), "utf-16be": wide(text, binary.BigEndian),
	} {
		_, rows, err := read(t, content, sheet.Options{Encoding: name})
		if err != nil || rows[0] != "2 "+joaoRow {
			t.Errorf("encoding %q: %v, %v", name, rows, err)
		}
	}
}
