package sheet_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"ativa/internal/sheet"
)

const errorHeader = "ativa_error_line;ativa_error_column;ativa_error_code;ativa_error_message"

// Rejected rows are written byte for byte below the file's header, with a message as far as the
// encoding permits, and can be read again. UTF-16 becomes UTF-8 with a byte order mark.
func TestRejectedFilesOfEveryShapeCanBeReadAgain(t *testing.T) {
	const length = ";cpf;invalid_length;\"a CPF has 11 digits; this has 1\""
	list := sheet.Options{Profile: sheet.Documents}
	refused := sheet.Problem{Code: "=no", Field: "email", Refusal: "=não → é, euro €"}
	const person, end = "nome;cpf\nJoão – “Zé”;1\n", ";2;cpf | email;invalid_length =no;"
	refusal := func(arrow string) string {
		return "\"a CPF has 11 digits; this has 1 | =não " + arrow + " é, euro €\"\n"
	}
	for _, tt := range []struct {
		name, content, want string
		options             sheet.Options
		others              []sheet.Problem
	}{
		{name: "windows-1252", content: latin(person), options: list, others: []sheet.Problem{refused},
			want: latin("nome;cpf;" + errorHeader + "\nJoão – “Zé”;1" + end + refusal("?"))},
		{name: "utf-8", content: person, options: list, others: []sheet.Problem{refused},
			want: "nome;cpf;" + errorHeader + "\nJoão – “Zé”;1" + end + refusal("→")},
		{name: "utf-16le without mark", content: wide(person, unicode.LittleEndian), options: list, others: []sheet.Problem{refused},
			want: "\ufeffnome;cpf;" + errorHeader + "\nJoão – “Zé”;1" + end + refusal("→")},
		{name: "utf-16be, characters beyond the first plane", content: wide("\ufeffnome;cpf\nJoão 𝄞 e 😀;1\n", unicode.BigEndian), options: list,
			want: "\ufeffnome;cpf;" + errorHeader + "\nJoão 𝄞 e 😀;1;2" + length + "\n"},
		{name: "a refusal of the server alone, which is no formula", content: "cpf\n52998224725\n", options: list, others: []sheet.Problem{refused},
			want: "cpf;" + errorHeader + "\n52998224725;2;email;'=no;'=não → é, euro €\n"},
		// Excel writes trailing delimiters in some rows only: they do not move the errors to columns
		// without names.
		{name: "delimiters behind a row", content: "cpf;nome;email;fone\r\n1;Ana;a@example.com;1133334444;;\r\n",
			want: "cpf;nome;email;fone;" + errorHeader + "\r\n1;Ana;a@example.com;1133334444;2" + length + "\r\n"},
		{name: "sep= line", content: "sep=,\ncpf,nome,email,fone\n1,Ana,a@example.com,1133334444\n",
			want: "sep=,\ncpf,nome,email,fone," + strings.ReplaceAll(errorHeader, ";", ",") +
				"\n1,Ana,a@example.com,1133334444,3,cpf,invalid_length,a CPF has 11 digits; this has 1\n"},
		{name: "too short a row is filled up", content: "cpf;nome;email;fone\n529;Ana\n",
			want: "cpf;nome;email;fone;" + errorHeader + "\n529;Ana;;;2;;too_few_columns;\"the line has fewer columns (2) than the header (4); a delimiter or a part of the line is missing\"\n"},
		{name: "cells that are too many are kept", content: "cpf;nome\n1;Ana;Nina\n", options: list,
			want: "cpf;nome;" + errorHeader + "\n1;Ana;Nina;2;;too_many_columns;\"the line has more columns (3) than the header (2); put a text that contains ; in quotes\"\n"},
		{name: "no line end at the end", content: "cpf;nome;email;fone\n1;Ana;a@example.com;1133334444",
			want: "cpf;nome;email;fone;" + errorHeader + "\n1;Ana;a@example.com;1133334444;2" + length + "\n"},
		{name: "a list without a header", content: "52998224725\n1\n", options: list,
			want: "document;" + errorHeader + "\n1;2;document;invalid_length;\"a CPF has 11 digits; this has 1\"\n"},
		{name: "below a title", content: "Relatório\r\n\r\ncpf;cidade\r\n1;Natal\r\n", options: list,
			want: "cpf;cidade;" + errorHeader + "\r\n1;Natal;4" + length + "\r\n"},
		{name: "half a surrogate pair", content: wide("\ufeffnome;cpf\n", unicode.LittleEndian) + "\x00\xd8" + wide(";1\n", unicode.LittleEndian), options: list,
			want: "\ufeffnome;cpf;" + errorHeader + "\n\ufffd;1;2" + length + "\n"},
		{name: "a workbook, with a remark next to it", options: list,
			content: table(t, []any{"Nome;s", "cpf"}, []any{"Zé", 1, nil, "liga depois"}),
			want:    "\ufeff\"Nome;s\";cpf;" + errorHeader + "\r\nZé;1;2" + length + "\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _, err := read(t, tt.content, tt.options)
			must(t, err)
			got := rejected(t, f, tt.others...)
			if got != tt.want {
				t.Fatalf("got  %q\nwant %q", got, tt.want)
			}
			if _, again, err := read(t, got, tt.options); err != nil || len(again) != 1 {
				t.Errorf("read again: %v, %v", again, err)
			}
		})
	}
}

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
func TestAFullDiskIsAnErrorOfTheWriters(t *testing.T) {
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
	for _, space := range []fullDisk{0, 2, 50, 40 << 10} {
		w := sheet.NewReportWriter(&space)
		var err error
		for line := 2; line < 4000 && err == nil; line++ {
			err = w.Write(sheet.ReportLine{Line: line, Result: sheet.ResultMerged})
		}
		if err = errors.Join(err, w.Flush()); !errors.Is(err, errFullDisk) {
			t.Errorf("report, %d bytes left: got %v", space, err)
		}
	}
}

// A line that is too long for memory is copied from the file: in a truncated file it is an
// error at once.
func TestALongLineOfATruncatedFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	must(t, os.WriteFile(path, []byte("cpf;obs\n52998224725;\n1;"+strings.Repeat("x", 70<<10)), 0o600))
	f, err := sheet.Open(path, sheet.Options{Profile: sheet.Documents})
	must(t, err)
	defer f.Close()
	_, err = f.Check(t.Context(), sheet.Catalog{})
	must(t, err)
	var long *sheet.Row
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		long = row
	}
	for _, size := range []int64{70 << 10, 1000, 10} { // in the line, and before it
		must(t, os.Truncate(path, size))
		if err := f.NewRejectedWriter(io.Discard).Write(long); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("%d bytes are left: got %v", size, err)
		}
	}
	var b bytes.Buffer
	w := f.NewRejectedWriter(&b)
	long.Trim()
	if err := errors.Join(w.Write(long), w.Flush()); err != nil || b.Len() > 0 {
		t.Errorf("without its text: got %q, %v, want nothing", b.String(), err)
	}
}

// A row that was rejected before gets new errors: the old ones are left out, even after a line that
// is too long for memory, or whose quotes are wrong.
func TestRejectedRowsOfAnEarlierRunLoseTheirOldErrors(t *testing.T) {
	const titles = "cpf;nome;email;fone;obs"
	long := `1;"Ana; ""Nina""";a@example.com;1133334444;"` + strings.Repeat(`x;""y"" `, 20_000) + `"`
	few := "1;" + strings.Repeat("y", 70<<10)
	const stray, open = `1;"Zé; Zeca" 2;z@example.com;1133334444;x`, `1;Zé;z@example.com;1133334444;"x`
	plain := func(s string) string { return s }
	for name, encode := range map[string][2]func(string) string{
		"utf-8": {plain, plain}, "windows-1252": {latin, latin},
		"utf-16le": {func(s string) string { return wide("\ufeff"+s, unicode.LittleEndian) }, func(s string) string { return "\ufeff" + s }},
	} {
		f, _, err := read(t, encode[0](titles+";"+errorHeader+"\n1;Zé;z@example.com;1133334444;;7;cpf;old;old\n"+long+";8;cpf;old;\"o;ld\"\n"+few+"\n"+stray+";9;;stray_quote;\"o\"\"ld\"\n"+open+"\n"), sheet.Options{})
		must(t, err)
		want := titles + ";" + errorHeader + "\n1;Zé;z@example.com;1133334444;;2;cpf;invalid_length;\"a CPF has 11 digits; this has 1\"\n" +
			long + ";3;;record_too_long;the line is longer than 65536 bytes\n" +
			few + ";;;;4;;record_too_long;the line is longer than 65536 bytes\n" +
			stray + ";5;;stray_quote;\"a quoted text goes on after its closing quote (\"\"); double the quotes inside it, or remove them\"\n" +
			open + ";6;;unclosed_quote;\"a quote (\"\") opened in this line is not closed properly; close it, or remove it\"\n"
		if got := rejected(t, f); got != encode[1](want) {
			t.Errorf("%s: got %d bytes that end with %.300q, want %d", name, len(got), got[max(0, len(got)-300):], len(encode[1](want)))
		}
	}
}
