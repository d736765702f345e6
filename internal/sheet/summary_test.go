package sheet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

// summary returns the result of checking a whole file.
func summary(t *testing.T, content string, o sheet.Options) *sheet.Summary {
	t.Helper()
	_, s, err := check(t, content, o)
	must(t, err)
	return s
}

// subscriberRow returns a row with a document, a plan and products.
func subscriberRow(document, plan, products string) string {
	return "Ana;a@example.com;" + document + ";11987654321;;" + plan + ";\"" + products + "\"\n"
}

// The summary counts the products that will be activated: each once in merged rows, and none in a
// refused row.
func TestTheSummaryCountsTheProductsThatWillBeActivated(t *testing.T) {
	const one, two = "52998224725", "11144477735"
	for _, tt := range []struct {
		name, rows string
		want       [5]int // valid, merged, invalid, products, problems
	}{
		{"each row its own", subscriberRow(one, "", "1,3") + subscriberRow(two, "", "3"), [5]int{2, 0, 0, 3, 0}},
		{"the same twice", subscriberRow(one, "", "1") + subscriberRow(one, "", "1"), [5]int{1, 1, 0, 1, 0}},
		{"one more each", subscriberRow(one, "", "1") + subscriberRow(one, "", "1,play-premium") + subscriberRow(one, "", "3"), [5]int{1, 2, 0, 3, 0}},
		{"none and then some", subscriberRow(one, "", "") + subscriberRow(one, "", "1,3"), [5]int{1, 1, 0, 2, 0}},
		{"other data", subscriberRow(one, "Fibra", "1") + subscriberRow(one, "Cabo", "1,3"), [5]int{1, 0, 1, 1, 1}},
		{"held back", subscriberRow(one, "", "1,3") + subscriberRow(one, "", "play-basik") + subscriberRow(two, "", "1"), [5]int{1, 0, 2, 1, 2}},
		{"two wrong cells", subscriberRow("1", "", "play-basik") + subscriberRow(two, "", "1"), [5]int{1, 0, 1, 1, 2}},
	} {
		s := summary(t, header+tt.rows, sheet.Options{})
		if got := [5]int{s.Valid, s.Merged, s.Invalid, s.Products, len(s.First)}; got != tt.want || s.Rows != got[0]+got[1]+got[2] {
			t.Errorf("%s: got valid, merged, invalid, products, problems %v of %d rows, want %v", tt.name, got, s.Rows, tt.want)
		}
	}
}

// The first problems are those of the first lines, including lines refused because of a later
// line.
func TestTheFirstProblemsAreThoseOfTheFirstLines(t *testing.T) {
	const first = "52998224725"
	var rows strings.Builder
	rows.WriteString(subscriberRow(first, "", "") + subscriberRow("11144477735", "", ""))
	for range sheet.KeptProblems + 10 {
		rows.WriteString(subscriberRow("1", "", ""))
	}
	rows.WriteString(subscriberRow(first, "", "play-basik"))                                    // holds the first one back
	rows.WriteString(subscriberRow("12345601", "", "1"))                                        // whose zeros are put back
	rows.WriteString(cell(3, "12345678000195")[len(header):])                                   // a company
	rows.WriteString(strings.Repeat(strings.Replace(joao, "11144477735", "12345678909", 1), 2)) // an address of one subscriber
	s := summary(t, header+rows.String(), sheet.Options{})
	var got []string
	for _, p := range s.First {
		got = append(got, number(p.Line)+" "+p.Code)
	}
	want := []string{"2 held_back"}
	for i := range sheet.KeptProblems - 1 {
		want = append(want, number(4+i)+" invalid_length")
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("first problems (- got, + want):\n%s", diff)
	}
	if p := s.First[0]; p.Column != 3 || p.Name != "cpf" || p.Field != "document" || p.Value != first || p.Args["line"] != number(34) {
		t.Errorf("got %+v, want the document of line 2 and the line that holds it back", p)
	}
	counts := []sheet.Count{{Field: "document", Code: "invalid_length", N: 30}, {Field: "document", Code: "cnpj_not_supported", N: 1}, {Field: "document", Code: "held_back", N: 1}, {Field: "products_ids", Code: "unknown_product", N: 1}}
	if diff := cmp.Diff(s.Problems, counts); diff != "" {
		t.Errorf("counts (- got, + want):\n%s", diff)
	}
	if want := []sheet.Count{{Field: "document", Code: sheet.RepairLostZeros, N: 1}}; !slices.Equal(s.Repairs, want) || s.SharedEmails != 1 || s.Rows != s.Valid+s.Merged+s.Invalid {
		t.Errorf("got the repairs %v, %d shared addresses, %d valid and %d invalid of %d rows, want %v, 1 and all", s.Repairs, s.SharedEmails, s.Valid, s.Invalid, s.Rows, want)
	}
}

// Values that a value mapping can correct are in order of their number of rows, then of their place;
// each once in a row; case is ignored.
func TestWrongValuesAreOrderedByTheirRows(t *testing.T) {
	s := summary(t, strings.Replace(header, "produtos", "produto 1;produto 2", 1)+
		"Ana;a@example.com;52998224725;11987654321;rápida;;Zeta;Alfa\n"+
		"Rui;r@example.com;11144477735;11987654321;;;ALFA;Beta\n"+
		"Eva;e@example.com;12345678909;11987654321;lenta;;Beta;alfa\n"+
		"Noé;n@example.com;39053344705;11987654321;;;Gama;gama\n", sheet.Options{})
	var got []string
	for _, v := range s.Values {
		got = append(got, number(v.Rows)+" "+v.First.Args["value"]+" "+number(v.First.Line))
	}
	want := []string{`3 "Alfa" 2`, `2 "Beta" 3`, `1 "rápida" 2`, `1 "Zeta" 2`, `1 "lenta" 4`, `1 "Gama" 5`}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("values (- got, + want):\n%s", diff)
	}
}

func TestLinesOfOneDocumentBelongTogether(t *testing.T) {
	with := func(products string) string { return strings.Replace(ana, ";1\n", ";"+products+"\n", 1) }
	runFiles(t, []fileCase{
		{name: "a product a line, other lines between", content: header + with("1") + joao + with("3") + with("1"),
			want: []string{"2 " + anaRow + " 3", "3 " + joaoRow, "4 merged 2", "5 merged 2"}},
		{name: "the same person written in another form", content: header + ana + strings.NewReplacer("52998224725", "529.982.247-25", "11987654321", "(11) 98765-4321").Replace(ana),
			want: []string{"2 " + anaRow, "3 merged 2"}},
		{name: "other data", content: header + ana + strings.Replace(ana, "Fibra", "Rádio", 1),
			want: []string{"2 " + anaRow, "3 3:duplicate_document"}},
		{name: "a wrong line holds the others back", content: header + with("1") + joao + with("99"),
			want: []string{"2 3:held_back", "3 " + joaoRow, "4 7:unknown_product"}},
		{name: "the first wrong line of several holds all others back",
			content: header + ana + joao + ana + with("99") + ana + strings.Replace(ana, "11987654321", "1", 1),
			want:    []string{"2 3:held_back", "3 " + joaoRow, "4 3:held_back", "5 7:unknown_product", "6 3:held_back", "7 4:invalid_phone"}},
		{name: "a line of the wrong length holds the others back", content: header + ana + "Ana Souza;ana@example.com;52998224725\n",
			want: []string{"2 3:held_back", "3 0:too_few_columns"}},
		{name: "a document that cannot be read holds nothing back", content: header + ana + strings.Replace(ana, "52998224725", "52998224726", 1),
			want: []string{"2 " + anaRow, "3 3:invalid_check_digit"}},
	})
}
