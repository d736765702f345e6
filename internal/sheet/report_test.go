package sheet_test

import (
	"bytes"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

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

func readReport(content []byte) (all []sheet.ReportLine) {
	for line, err := range sheet.ReadReport(bytes.NewReader(content)) {
		if err != nil {
			return all
		}
		all = append(all, line)
	}
	return all
}

func writeReport(t *testing.T, excel bool, lines ...sheet.ReportLine) []byte {
	t.Helper()
	var b bytes.Buffer
	w := sheet.NewReportWriter(&b)
	w.Excel = excel
	for _, l := range lines {
		must(t, w.Write(l))
	}
	must(t, w.Flush())
	return b.Bytes()
}
