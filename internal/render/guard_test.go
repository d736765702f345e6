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
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(record[1][:1], "=+-@\t\r") {
				t.Errorf("%q: got the formula cell %q", p.Name, record[1])
			}
			if got := formula.Unguard(record[1]); got != p.Name {
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
