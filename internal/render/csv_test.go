package render_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"ativa/internal/formula"
	"ativa/internal/render"
)

func TestCSVKeepsThePlusOfTelephoneNumbersAlone(t *testing.T) {
	o := render.Options{Format: render.FormatCSV, Columns: []string{"name", "phone"}, NoHeader: true}
	got := list(t, o, []person{{Name: "+5511987654321", Phone: "+5511987654321"}, {Name: "=1", Phone: "=1"}})
	if want := "'+5511987654321,+5511987654321\n'=1,'=1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCSVNeverHoldsAFormulaAndReadsBackUnchanged(t *testing.T) {
	starts := []string{"=", "+", "-", "@", "\t", "\r", "'=", "''+", "'", " ", "a", ";", ",", "\"", "\n"}
	for _, excel := range []bool{false, true} {
		for _, start := range starts {
			p := newPerson("52998224725", start+"1;2,\"3\"", start, 1)
			o := render.Options{Format: render.FormatCSV, Excel: excel, NoHeader: true}
			reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(list(t, o, []person{p}), "\ufeff")))
			if excel {
				reader.Comma = ';'
			}
			record, err := reader.Read()
			must(t, err)
			if strings.ContainsAny(record[1][:1], "=+-@\t\r") {
				t.Errorf("%q: got the formula cell %q", p.Name, record[1])
			}
			if got := formula.Unescape(record[1]); got != p.Name {
				t.Errorf("got %q back, want %q", got, p.Name)
			}
		}
	}
}

func TestARowOfOneEmptyCellIsStillARow(t *testing.T) {
	o := render.Options{Format: render.FormatCSV, Columns: []string{"name"}}
	got := list(t, o, []person{{Name: "a"}, {}, {Name: "b"}})
	if want := "name\na\n\"\"\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExcelGetsNoDocumentAndNoTelephoneNumberAsAnAmount(t *testing.T) {
	o := render.Options{Excel: true, Columns: []string{"document", "phone"}, NoHeader: true}
	got := list(t, o, []person{
		{Document: "00123456797", Phone: "+5511987654321"}, {Document: "001.234.567-97", Phone: "+551133334444"},
		{Document: "12345678000195", Phone: "+351912345678"}, {Document: "", Phone: ""}, {Document: "x", Phone: "+55=1+1+1+1+1"}})
	want := "\ufeff001.234.567-97;(11) 98765-4321\n001.234.567-97;(11) 3333-4444\n12345678000195;+351912345678\n;\nx;'+55=1+1+1+1+1\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
