package sheet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

func TestLinesOfOneDocumentBelongTogether(t *testing.T) {
	with := func(products string) string { return strings.Replace(ana, ";1\n", ";"+products+"\n", 1) }
	runFiles(t, []fileCase{
		{name: "a product a line, other lines between", content: header + with("1") + joao + with("3") + with("1"),
			want: []string{"2 " + anaRow + " 3", "3 " + joaoRow, "4 merged 2", "5 merged 2"}},
		{name: "the same line twice", content: header + joao + joao, want: []string{"2 " + joaoRow, "3 merged 2"}},
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

func TestTheSummaryCountsEveryRowOnce(t *testing.T) {
	content := header + ana + strings.Replace(ana, ";1\n", ";3\n", 1) + joao +
		strings.Replace(joao, "João", "Zé", 1) + cell(3, "12345678000195")[len(header):] + cell(3, "12345601")[len(header):]
	got := summary(t, content)
	lines := make([]int, len(got.First))
	for i, p := range got.First {
		lines[i] = p.Line
	}
	got.First = nil
	want := &sheet.Summary{Rows: 6, Valid: 3, Merged: 1, Invalid: 2, SharedEmails: 1, Products: 3,
		Problems: []sheet.Count{{Field: "document", Code: "cnpj_not_supported", N: 1}, {Field: "document", Code: "duplicate_document", N: 1}},
		Repairs:  []sheet.Count{{Field: "document", Code: "repaired_lost_zeros", N: 1}}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("summary (- got, + want):\n%s", diff)
	}
	if diff := cmp.Diff(lines, []int{5, 6}); diff != "" {
		t.Errorf("lines of the first problems (- got, + want):\n%s", diff)
	}
}
