package sheet_test

import (
	"encoding/binary"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

const errorHeader = "ativa_error_line;ativa_error_column;ativa_error_code;ativa_error_message"

// Rejected rows are written unchanged below the file's header and can be read again.
func TestRejectedFilesOfEveryShapeCanBeReadAgain(t *testing.T) {
	const length = ";cpf;invalid_length;\"a CPF has 11 digits; this has 1\""
	list := sheet.Options{Profile: sheet.Documents}
	for _, tt := range []struct {
		name, content, want string
		options             sheet.Options
	}{
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
		{name: "half a surrogate pair", content: wide("\ufeffnome;cpf\n", binary.LittleEndian) + "\x00\xd8" + wide(";1\n", binary.LittleEndian), options: list,
			want: "\ufeffnome;cpf;" + errorHeader + "\n\ufffd;1;2" + length + "\n"},
		{name: "a workbook, with a remark next to it", options: list,
			content: table(t, []any{"Nome;s", "cpf"}, []any{"Zé", 1, nil, "liga depois"}),
			want:    "\ufeff\"Nome;s\";cpf;" + errorHeader + "\r\nZé;1;2" + length + "\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _, err := read(t, tt.content, tt.options)
			must(t, err)
			got := rejected(t, f)
			if got != tt.want {
				t.Fatalf("got  %q\nwant %q", got, tt.want)
			}
			if _, again, err := read(t, got, tt.options); err != nil || len(again) != 1 {
				t.Errorf("read again: %v, %v", again, err)
			}
		})
	}
}

// Trailing delimiters, which Excel writes in some rows only, do not move the errors to columns
// without names: the file can be corrected and read again.
func TestRejectedRowsWithDelimitersBehindThemCanBeReadAgain(t *testing.T) {
	f, _, err := read(t, "cpf;nome;email;fone\r\n52998224725;Ana;a@example.com;1;;\r\n", sheet.Options{})
	must(t, err)
	mended := strings.Replace(rejected(t, f), ";1;", ";1133334444;", 1)
	if _, rows, err := read(t, mended, sheet.Options{}); err != nil || len(rows) != 1 || !strings.HasPrefix(rows[0], "2 ok") {
		t.Errorf("got %q, %v of\n%s", rows, err, mended)
	}
}

func TestARefusalOfTheServerIsWrittenToTheRejectedRows(t *testing.T) {
	f, _, err := read(t, "cpf;nome;email;fone\n52998224725;Ana;a@example.com;1133334444\n", sheet.Options{})
	must(t, err)
	var b strings.Builder
	w := f.NewRejectedWriter(&b)
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		must(t, w.Write(row, sheet.Problem{Code: "=product_inactive", Field: "products_ids", Refusal: "=the product is not sold"}))
	}
	must(t, w.Flush())
	if want := ";2;products_ids;'=product_inactive;'=the product is not sold\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q, want its end %q", b.String(), want)
	}
}

func TestTheReportHasALineForEveryRow(t *testing.T) {
	content := header + ana + ana + strings.Replace(joao, "João Lima", "'=1+1", 1) +
		strings.Replace(cell(2, "=cmd|' /C calc'!A0")[len(header):], "52998224725", "00000000191", 1)
	f, _, err := read(t, content, sheet.Options{})
	must(t, err)
	var lines []sheet.ReportLine
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		lines = append(lines, row.Report(lang.English))
	}
	want := "line,document,result,services,code,field,value,detail,product_id,previous_status,status,operation_id,previous_product_id\n" +
		"2,52998224725,not_sent,,,,,,,,,,\n" +
		"3,52998224725,merged,,,,,line 2,,,,,\n" +
		"4,11144477735,not_sent,,,,,,,,,,\n" +
		"5,00000000191,invalid,,invalid_email,email,'=cmd|' /C calc'!A0,\"line 5, column 2 (email), \"\"=cmd|' /C calc'!A0\"\": this is not one plain e-mail address such as ana@example.com\",,,,,\n"
	if got := string(writeReport(t, false, lines...)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Every error of a row is reported with its column, its value and the reason, in the reader's
// language.
func TestTheReportIsInTheLanguageOfItsMessages(t *testing.T) {
	f, _, err := read(t, header+ana+ana+"Rui;rui@;52998224726;11987654321;10;Fibra;1\n", sheet.Options{})
	must(t, err)
	var details []string
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		details = append(details, row.Report(lang.Portuguese).Detail)
	}
	if details[1] != "linha 2" {
		t.Errorf("a merged row: got %s, want linha 2", details[1])
	}
	for _, want := range []string{`linha 4, coluna 2 (email), "rui@": `, ` | linha 4, coluna 3 (cpf), "52998224726": `} {
		if !strings.Contains(details[2], want) {
			t.Errorf("got %s, want %s", details[2], want)
		}
	}
}

// A report reads back as it was written, in both forms. No cell is a formula, whatever a server
// sends in place of a word; only a telephone number keeps its plus.
func TestAReportIsReadAgainAndHoldsNoFormula(t *testing.T) {
	odd := sheet.ReportLine{Line: 3, Document: "00000000191"}
	for i, fields := 2, reflect.ValueOf(&odd).Elem(); i < fields.NumField(); i++ {
		fields.Field(i).SetString("=a, \"b\"; c")
	}
	want := []sheet.ReportLine{odd}
	for _, phone := range []string{"=cmd|' /C calc'!A0", "+1+cmd|' /C calc'!A0", "+5511"} {
		want = append(want, sheet.ReportLine{Line: 4, Result: sheet.ResultInvalid, Field: "phone", Value: phone})
	}
	for _, excel := range []bool{false, true} {
		text := writeReport(t, excel, want...)
		if got := readReport(text); !slices.Equal(got, want) {
			t.Errorf("excel %v: got %+v, want %+v", excel, got, want)
		}
		plain := strings.NewReplacer("\"", "", ",+5511,", "", ";+5511;", "").Replace(string(text))
		if found := regexp.MustCompile(`[,;\n][=+@-].*`).FindString(plain); found != "" {
			t.Errorf("excel %v: got the formula %s in\n%s", excel, found, text)
		}
	}
}

// A run writes a line for every row, so a line allocates only its number.
func TestALineOfAReportAllocatesLittle(t *testing.T) {
	w := sheet.NewReportWriter(io.Discard)
	got := testing.AllocsPerRun(1000, func() {
		must(t, w.Write(sheet.ReportLine{Line: 12345, Document: "00000000191", Result: "created", Services: "1 inProgress", ProductID: "1", Status: "inProgress"}))
	})
	if got > 1 {
		t.Errorf("got %v allocations for a line, want at most 1", got)
	}
}
