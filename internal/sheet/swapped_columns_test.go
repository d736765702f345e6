package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

// Two columns count as swapped if at least two rows, and half of all, have each other's values; below
// that the rows are wrong one by one.
func TestColumnsAreSwappedInHalfOfTheRows(t *testing.T) {
	const (
		right   = "Ana;a@example.com;52998224725;11987654321\n"
		other   = "Rui;r@example.com;11144477735;1133334444\n"
		swapped = "Eva;e@example.com;11987654321;12345678909\n"
		half    = "Eva;e@example.com;11987654321;12\n" // only one of the two looks so
		names   = "z@example.com;Zoe;52998224725;11987654321\n"
	)
	share := func(percent string) string {
		return `the columns "cpf" and "telefone" seem to be swapped in ` + percent + ` % of the rows; correct the header, or use --map document="telefone" --map phone="cpf"`
	}
	for _, tt := range []struct{ name, rows, want string }{
		{"one row of one", swapped, ""},
		{"two of two", swapped + swapped, share("100")},
		{"two of three", right + swapped + swapped, share("66")},
		{"two of four", right + swapped + other + swapped, share("50")},
		{"two of five", right + swapped + other + swapped + other, ""},
		{"one of two", right + swapped, ""},
		{"half of each", half + half + half, ""},
		{"names and addresses", names + names, `the columns "nome" and "email" seem to be swapped in 100 % of the rows; correct the header, or use --map name="email" --map email="nome"`},
		{"names and addresses in a row", names + right, ""},
	} {
		_, rows, err := read(t, "nome;email;cpf;telefone\n"+tt.rows, sheet.Options{})
		if errorText(err) != tt.want || err == nil && len(rows) != strings.Count(tt.rows, "\n") {
			t.Errorf("%s: got %d rows, %q, want %q", tt.name, len(rows), errorText(err), tt.want)
		}
	}
	// A telephone number in each of two telephone columns is no swap.
	if _, rows, err := read(t, "nome;email;cpf;telefone;celular\n"+strings.Repeat("Ana;a@example.com;1;11987654321;1133334444\n", 3), sheet.Options{}); err != nil || len(rows) != 3 {
		t.Errorf("two telephone columns: got %q, %v", rows, err)
	}
	// Nor is it if only the document column is read.
	if _, rows, err := read(t, "nome;email;cpf;telefone\n"+strings.Repeat(swapped, 3), sheet.Options{Profile: sheet.Documents}); err != nil || len(rows) != 3 {
		t.Errorf("a list of documents: got %q, %v", rows, err)
	}
}
