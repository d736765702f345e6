package sheet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/sheet"
)

// fullDisk accepts that many bytes and then fails.
type fullDisk int

var errFullDisk = errors.New("no space left")

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), int(*d))
	*d -= fullDisk(n)
	if n < len(b) {
		return n, errFullDisk
	}
	return n, nil
}

// A full disk is an error of the rejected rows and of the report, wherever it occurs: in a long
// line, which is copied, in buffered rows, in the header.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	f, _, err := read(t, header+cell(3, "1")[len(header):]+long+"\n", sheet.Options{})
	must(t, err)
	for _, space := range []fullDisk{0, 10, 150, 70 << 10, 190 << 10, 200<<10 + 100} {
		w := f.NewRejectedWriter(&space)
		var err error
		for row, rowErr := range f.Rows(t.Context()) {
			err = errors.Join(err, rowErr, w.Write(row))
		}
		if err = errors.Join(err, w.Flush()); !errors.Is(err, errFullDisk) {
			t.Errorf("rejected rows, %d bytes left: got %v", space, err)
		}
	}
	for _, excel := range []bool{false, true} {
		for _, space := range []fullDisk{0, 2, 50, 40 << 10} {
			w := sheet.NewReportWriter(&space)
			w.Excel = excel
			var err error
			for line := 2; line < 4000 && err == nil; line++ {
				err = w.Write(sheet.ReportLine{Line: line, Result: sheet.ResultMerged})
			}
			if err = errors.Join(err, w.Flush()); !errors.Is(err, errFullDisk) {
				t.Errorf("report, excel %v, %d bytes left: got %v", excel, space, err)
			}
		}
	}
}

// A report without lines has only a header.
func TestAReportWithoutLinesHasItsHeader(t *testing.T) {
	for excel, want := range map[bool]string{false: "line,document,", true: "\ufeffline;document;"} {
		text := writeReport(t, excel)
		if !strings.HasPrefix(string(text), want) || bytes.Count(text, []byte("\n")) != 1 {
			t.Errorf("excel %v: got %q, want one line", excel, text)
		}
		for line, err := range sheet.ReadReport(bytes.NewReader(text)) {
			t.Errorf("excel %v: got %+v, %v, want no line", excel, line, err)
		}
	}
}

func TestReadingAReportEndsWhereItIsBrokenOrWhereNobodyReads(t *testing.T) {
	const good = "line,document,result\n2,529.982.247-25,created\n3,,invalid\n"
	n := 0
	for line, err := range sheet.ReadReport(strings.NewReader(good)) {
		if n++; err != nil || line.Line != 2 || line.Document != "52998224725" {
			t.Errorf("got %+v, %v, want the first line", line, err)
		}
		break
	}
	if n != 1 {
		t.Errorf("got %d lines, want reading to end", n)
	}
	for name, content := range map[string]string{
		"a quote is open": good + "4,\"", "a line has too few cells": good + "4\n", "a line has no number": good + "x,,created\n",
	} {
		var last error
		lines := 0
		for _, last = range sheet.ReadReport(strings.NewReader(content)) {
			if last == nil {
				lines++
			}
		}
		if lines != 2 || last == nil || !strings.HasPrefix(last.Error(), "the report: ") {
			t.Errorf("%s: got %d lines, %v, want two and an error of the report", name, lines, last)
		}
	}
}

// A message is written as far as the file's encoding permits, the row byte for byte; UTF-16
// becomes UTF-8 with a byte order mark.
func TestARejectedRowIsWrittenInTheEncodingOfItsFile(t *testing.T) {
	utf16 := func(order binary.AppendByteOrder) func(string) string {
		return func(s string) string { return wide("\ufeff"+s, order) }
	}
	plain := func(s string) string { return s }
	for name, tt := range map[string]struct {
		encode, written func(string) string
		name, message   string
	}{
		"windows-1252": {latin, latin, "João – “Zé”", "não ? é, euro €"},
		"utf-8":        {plain, plain, "João 𝄞", "não → é, euro €"},
		"utf-16le":     {utf16(binary.LittleEndian), marked, "João 𝄞 e 😀", "não → é, euro €"},
		"utf-16be":     {utf16(binary.BigEndian), marked, "João 𝄞 e 😀", "não → é, euro €"},
	} {
		f, _, err := read(t, tt.encode("nome;cpf\n"+tt.name+";1\n"), sheet.Options{Profile: sheet.Documents})
		must(t, err)
		var b bytes.Buffer
		w := f.NewRejectedWriter(&b)
		for row, err := range f.Rows(t.Context()) {
			for i := range row.Problems {
				row.Problems[i].Refusal = "não → é, euro €"
			}
			if err = errors.Join(err, w.Write(row)); err != nil {
				t.Fatal(err)
			}
		}
		must(t, w.Flush())
		want := tt.written("nome;cpf;" + errorHeader + "\n" + tt.name + ";1;2;cpf;invalid_length;" + tt.message + "\n")
		if b.String() != want {
			t.Errorf("%s: got  %q\nwant %q", name, b.String(), want)
		}
	}
}

func marked(s string) string { return "\ufeff" + s }

// A row that was rejected before gets new errors: the old ones are left out, even after a line that
// is too long for memory.
func TestRejectedRowsOfAnEarlierRunLoseTheirOldErrors(t *testing.T) {
	const titles = "cpf;nome;email;fone;obs"
	long := `1;"Ana; ""Nina""";a@example.com;1133334444;"` + strings.Repeat(`x;""y"" `, 20_000) + `"`
	few := "1;" + strings.Repeat("y", 70<<10)
	plain := func(s string) string { return s }
	for name, encode := range map[string][2]func(string) string{
		"utf-8": {plain, plain}, "windows-1252": {latin, latin},
		"utf-16le": {func(s string) string { return wide("\ufeff"+s, binary.LittleEndian) }, marked},
	} {
		f, _, err := read(t, encode[0](titles+";"+errorHeader+"\n1;Zé;z@example.com;1133334444;;7;cpf;old;old\n"+long+";8;cpf;old;\"o;ld\"\n"+few+"\n"), sheet.Options{})
		must(t, err)
		want := titles + ";" + errorHeader + "\n1;Zé;z@example.com;1133334444;;2;cpf;invalid_length;\"a CPF has 11 digits; this has 1\"\n" +
			long + ";3;;record_too_long;the line is longer than 65536 bytes\n" +
			few + ";;;;4;;record_too_long;the line is longer than 65536 bytes\n"
		if got := rejected(t, f); got != encode[1](want) {
			t.Errorf("%s: got %d bytes that end with %.300q, want %d", name, len(got), got[max(0, len(got)-300):], len(encode[1](want)))
		}
	}
}

// A line that is too long for memory is copied from the file: in a truncated file it is an
// error at once.
func TestALongLineOfAFileThatWasCutIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	must(t, os.WriteFile(path, []byte("cpf;obs\n52998224725;\n1;"+strings.Repeat("x", 70<<10)), 0o600))
	f, err := sheet.Open(path, sheet.Options{Profile: sheet.Documents})
	must(t, err)
	defer f.Close()
	if _, err := f.Check(t.Context(), sheet.Catalog{}); err != nil {
		t.Fatal(err)
	}
	var long *sheet.Row
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		long = row
	}
	if err := f.NewRejectedWriter(new(fullDisk)).Write(long); !errors.Is(err, errFullDisk) {
		t.Errorf("got %v, want the error of the writer", err)
	}
	for _, size := range []int64{70 << 10, 1000, 10} { // in the line, and before it
		must(t, os.Truncate(path, size))
		if err := f.NewRejectedWriter(io.Discard).Write(long); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("%d bytes are left: got %v", size, err)
		}
	}
}
