package render_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"ativa/internal/render"
)

func TestGuardStopsFormulasButLeavesTelephoneNumbers(t *testing.T) {
	cases := []struct {
		kind     render.Kind
		in, want string
	}{
		{render.Text, "=1+1", "'=1+1"},
		{render.Text, "+1", "'+1"},
		{render.Text, "-1", "'-1"},
		{render.Text, "@SUM(A1)", "'@SUM(A1)"},
		{render.Text, "\t=1", "'\t=1"},
		{render.Text, "\r=1", "'\r=1"},
		{render.Text, "'=1", "''=1"},
		{render.Text, "'quoted'", "'quoted'"},
		{render.Text, "D'Ávila", "D'Ávila"},
		{render.Text, "", ""},
		{render.Text, "'", "'"},
		{render.Number, "-5", "'-5"},
		{render.Phone, "+5511987654321", "+5511987654321"},
		{render.Phone, "+55 (11) 98765-4321", "+55 (11) 98765-4321"},
		{render.Phone, "+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"},
		{render.Phone, "=1", "'=1"},
		{render.Phone, "+", "'+"},
		{render.Text, "+5511987654321", "'+5511987654321"},
	}
	for _, c := range cases {
		if got := render.Guard(c.kind, c.in); got != c.want {
			t.Errorf("Guard(%v, %q): got %q, want %q", c.kind, c.in, got, c.want)
		}
		if got := render.Unguard(c.want); got != c.in {
			t.Errorf("Unguard(%q): got %q, want %q", c.want, got, c.in)
		}
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
			if got := render.Unguard(record[1]); got != p.Name {
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

func FuzzUnguardUndoesGuard(f *testing.F) {
	f.Add("'=x", 0)
	f.Add("+55", int(render.Phone))
	f.Fuzz(func(t *testing.T, s string, kind int) {
		if got := render.Unguard(render.Guard(render.Kind(kind), s)); got != s {
			t.Errorf("got %q, want %q", got, s)
		}
	})
}
