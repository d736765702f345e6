package sheet_test

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

func TestReadingAReportEndsAtAnErrorOrWithItsReader(t *testing.T) {
	const good = "line,document,result\n2,529.982.247-25,created\n3,,invalid\n"
	for line, err := range sheet.ReadReport(strings.NewReader(good)) {
		if err != nil || line.Line != 2 || line.Document != "52998224725" {
			t.Errorf("got %+v, %v, want the first line", line, err)
		}
		break
	}
	for name, content := range map[string]string{
		"a quote is open": good + "4,\"", "a line has too few cells": good + "4\n", "a line has no number": good + "x,,created\n",
	} {
		var last error
		for _, last = range sheet.ReadReport(strings.NewReader(content)) {
		}
		if lines := len(readReport([]byte(content))); lines != 2 || last == nil || !strings.HasPrefix(last.Error(), "the report: ") {
			t.Errorf("%s: got %d lines, %v, want two and an error of the report", name, lines, last)
		}
	}
}

// Every error of a row is reported with its column, its value and the reason, in the reader's
// language.
func TestTheReportHasALineForEveryRow(t *testing.T) {
	f, _, err := read(t, header+ana+ana+strings.Replace(joao, "João Lima", "'=1+1", 1)+"Rui;rui@;00000000191;1;10;Fibra;1\n", sheet.Options{})
	must(t, err)
	var got []sheet.ReportLine
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		got = append(got, row.Report(lang.Portuguese))
	}
	want := []sheet.ReportLine{
		{Line: 2, Document: "52998224725", Result: sheet.ResultNotSent},
		{Line: 3, Document: "52998224725", Result: sheet.ResultMerged, Detail: "linha 2"},
		{Line: 4, Document: "11144477735", Result: sheet.ResultNotSent},
		{Line: 5, Document: "00000000191", Result: sheet.ResultInvalid, Code: sheet.CodeInvalidEmail, Field: "email", Value: "rui@", Detail: got[3].Detail},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("lines (- got, + want):\n%s", diff)
	}
	for _, part := range []string{`linha 5, coluna 2 (email), "rui@": `, ` | linha 5, coluna 4 (telefone), "1": `} {
		if !strings.Contains(got[3].Detail, part) {
			t.Errorf("got %s, want %s in it", got[3].Detail, part)
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
		if header := writeReport(t, excel); !bytes.HasPrefix(text, header) || bytes.Count(header, []byte("\n")) != 1 || len(readReport(header)) != 0 {
			t.Errorf("excel %v: without lines: got %q, want the header alone", excel, header)
		}
		plain := strings.NewReplacer("\"", "", ",+5511,", "", ";+5511;", "").Replace(string(text))
		if found := regexp.MustCompile(`[,;\n][=+@-].*`).FindString(plain); found != "" {
			t.Errorf("excel %v: got the formula %s in\n%s", excel, found, text)
		}
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
