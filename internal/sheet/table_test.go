package sheet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

// A table of other columns is read like a file of subscribers, whichever program saved it.
func TestATableIsReadInEachForm(t *testing.T) {
	for _, content := range []string{
		"nome;é\r\n\r\nJoão; x \r\n", "\ufeffnome;é;;\r\n;;;\r\nJoão;x;;\r\n", "nome|\xe9\r\rJo\xe3o|x\r",
		"\xff\xfen\x00o\x00m\x00e\x00;\x00\xe9\x00\n\x00\n\x00J\x00o\x00\xe3\x00o\x00;\x00x\x00", table(t, []any{"nome", "é"}, nil, []any{"João", "x", ""}),
	} {
		got, err := sheet.Table(strings.NewReader(content))
		want := []sheet.TableRow{{Line: 1, Cells: []string{"nome", "é"}}, {Line: 3, Cells: []string{"João", "x"}}}
		if diff := cmp.Diff(got, want); diff != "" || err != nil {
			t.Errorf("%q: %v, (- got, + want):\n%s", content, err, diff)
		}
	}
	// Without a mark, more than three quarters of the characters of UTF-16 are Latin.
	if got, err := sheet.Table(strings.NewReader("a\x00b\x00c\x00d\x00\x20\x20")); err != nil || got[0].Cells[0] != "abcd\u2020" {
		t.Errorf("UTF-16 without a mark: %v, %v", got, err)
	}
	for content, want := range map[string]string{
		"\xd0\xcf\x11\xe0": "this is an old Excel workbook (.xls) or one with a password, not a table; save it as CSV or .xlsx",
		table(t):           "the file is empty", `""`: "the file is empty", "nome\n\"ana": "line 2, column 1: ", "nome;x\nana;#REF!": "line 2, column 2: the cell holds an error of the spreadsheet",
		"a\x00b\x00c\x00\x20\x20": "this is a file of binary data",
	} {
		if got, err := sheet.Table(strings.NewReader(content)); !strings.HasPrefix(errorText(err), want) {
			t.Errorf("%q: got %v, %v, want %s", content, got, err, want)
		}
	}
}
