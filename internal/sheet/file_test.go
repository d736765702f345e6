package sheet_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/text/encoding/unicode"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
)

// A pipe is read once and kept.
func TestAPipeIsReadLikeAFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a pipe has no path")
	}
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	_, err = w.WriteString(header + ana)
	must(t, errors.Join(err, w.Close()))
	f, err := sheet.Open("/dev/fd/"+number(int(r.Fd())), sheet.Options{})
	must(t, err)
	defer f.Close()
	if s, err := f.Check(t.Context(), catalog()); err != nil || s.Valid != 1 {
		t.Errorf("got %+v, %v, want one good row", s, err)
	}
}

func TestAnOpenFileKnowsItsColumnsAndItsHash(t *testing.T) {
	const content = "\ufeff" + header + ana
	f, _, err := check(t, content, sheet.Options{})
	must(t, err)
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
	text := header + strings.Repeat(ana, 2_000) + "\n" + strings.Replace(ana, "52998224725", "x", 1) +
		strings.Replace(ana, "52998224725", "11144477735", 1) + strings.Replace(ana, "Ana", "Rui", 1)
	row := []any{"Ana Souza", "ana@example.com", "52998224725", "11987654321", "100 Mega", "Fibra", "1"}
	book := table(t, append([][]any{titles}, slices.Repeat([][]any{row}, 100)...)...)
	changes := map[string]func(path string, size int64) error{
		"shorter": func(path string, size int64) error { return os.Truncate(path, size/2-5) },
		"longer":  func(path string, size int64) error { return os.Truncate(path, size+1) },
		"as long": func(path string, _ int64) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	}
	for name, content := range map[string]string{"UTF-8": text, "UTF-16": wide("\ufeff"+text, unicode.LittleEndian), "workbook": book} {
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
	_, err = f.Check(t.Context(), sheet.Catalog{})
	must(t, err)
	want, err := known(f)
	must(t, err)
	must(t, change(path, int64(len(content))))
	got, last := known(f)
	if last == nil || !strings.HasPrefix(last.Error(), "the file was changed while it was read") {
		t.Errorf("got %v", last)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d rows, want %d, the same before and behind the error: %q", len(got), len(want), got)
	}
}

// known returns what is known of every row, and the last error.
func known(f *sheet.File) (rows []string, last error) {
	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			last = err
			continue
		}
		line := row.Report(lang.English)
		rows = append(rows, fmt.Sprint(line.Line, line.Document, line.Result, row.OK(), row.MergedInto))
	}
	return rows, last
}

// Old programs end a text with Ctrl-Z, after the last line or in place of its line end.
func TestAFinalCtrlZIsNoRow(t *testing.T) {
	for _, text := range []string{"cpf\n52998224725\n\x1a", "cpf\r\n52998224725\x1a", "cpf\n52998224725\n\x1a\x1a"} {
		for _, encoding := range []string{"", "windows-1252"} {
			wantRow(t, text, sheet.Options{Profile: sheet.Documents, Encoding: encoding}, "2 ok ||52998224725||0||")
		}
	}
	if _, err := sheet.OpenReader(strings.NewReader("\x1a"), sheet.Options{}); err == nil {
		t.Error("a file of nothing but Ctrl-Z is read")
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

func TestAStreamThatCannotBeKeptIsNoFile(t *testing.T) {
	broken := errors.New("connection reset")
	_, err := sheet.OpenReader(io.MultiReader(strings.NewReader(header+ana), iotest.ErrReader(broken)), sheet.Options{})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "keeping the input: ") {
		t.Errorf("got %v, want the error of the stream", err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", os.Getenv("TMPDIR")) // on Windows
	if _, err := sheet.OpenReader(strings.NewReader(header+ana), sheet.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the directory is missing", err)
	}
}

func TestFilesOfOtherKindsAreNamedByTheirFirstBytes(t *testing.T) {
	for start, kind := range map[string]string{
		"Rar!\x1a\x07": "a compressed file (rar)", "7z\xbc\xaf\x27\x1c": "a compressed file (7z)", "\x1f\x8b\x08": "a compressed file (gzip)",
		"\x89PNG\r\n\x1a\n": "a picture", "\xff\xd8\xff\xe0": "a picture", `{\rtf1\ansi`: "a text document (RTF)",
		`{"name":"Ana"}`: "a JSON document", "\ufeff\n {\"name\":1}": "a JSON document", "\n[{": "a JSON document",
		"<!DOCTYPE html>": "a web page (HTML)", "<?xml version=\"1.0\"?><rows>": "an XML document", "<TABLE>": "a web page (HTML)",
		"\n<HTML><table><tr><td>Nome": "a web page (HTML)", "\ufeff\r\n <style>td{mso-number-format:\"\\@\";}</style><table><tr><td>Nome": "a web page (HTML)",
		"<!-- 20/11/2026 -->\n<table><tr><td>Nome": "a web page (HTML)", "<?php echo 1 ?>\n<table>": "a web page (HTML)",
		`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><table>`: "a web page (HTML)", wide("\ufeff<font><table>", unicode.LittleEndian): "a web page (HTML)",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Excel workbook (.xls) or one with a password", "%PDF-1.7\n": "a PDF document",
		zipped(t, map[string]string{"content.xml": ""}): "an OpenDocument file (.ods)", strings.Repeat("a\x00b\x00\x00", 10): "a file of binary data",
	} {
		_, err := sheet.OpenReader(strings.NewReader(start), sheet.Options{})
		if want := "this is " + kind + ", not a table; save it as CSV or .xlsx"; errorText(err) != want {
			t.Errorf("%q: got %q, want %q", start, errorText(err), want)
		}
	}
	// Text that only begins like one of them is a table, even with a few zero bytes.
	for _, start := range []string{"<>;", "< cidade;", "<1>;", "[cidade];", "{cidade};", "PK;", "%;", strings.Repeat("x", 100) + "\x00;"} {
		wantRow(t, start+header+"y;"+ana, sheet.Options{}, "2 "+anaRow)
	}
}
