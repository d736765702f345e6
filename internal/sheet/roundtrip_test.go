package sheet_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

// forms are the ways to write one table as a text file: encodings, delimiters, line
// ends and quoting.
var forms = map[string]func([][]string) string{
	"utf-8, comma":                 func(t [][]string) string { return plain(t, ",", "\n", false) },
	"utf-8 with mark, semicolon":   func(t [][]string) string { return "\ufeff" + plain(t, ";", "\r\n", false) },
	"utf-8, pipe, CR":              func(t [][]string) string { return plain(t, "|", "\r", false) },
	"everything in quotes":         func(t [][]string) string { return plain(t, ";", "\n", true) },
	"sep= line":                    func(t [][]string) string { return "sep=,\r\n" + plain(t, ",", "\r\n", false) },
	"blank lines between the rows": func(t [][]string) string { return plain(t, ";", "\n\n", false) },
	"windows-1252":                 func(t [][]string) string { return latin(plain(t, ";", "\r\n", false)) },
	"utf-16le":                     func(t [][]string) string { return wide("\ufeff"+plain(t, "\t", "\r\n", false), binary.LittleEndian) },
	"utf-16be without mark":        func(t [][]string) string { return wide(plain(t, ",", "\n", true), binary.BigEndian) },
}

// plain writes a table as CSV, with quotes where they are needed or everywhere.
func plain(table [][]string, delimiter, newline string, quoted bool) string {
	var b strings.Builder
	for _, row := range table {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(delimiter)
			}
			if quoted || strings.ContainsAny(cell, delimiter+"\"\r\n") {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(newline)
	}
	return b.String()
}

// A table reads the same in every form, row by row and cell by cell; TestWorkbooksAreReadLikeFiles
// reads workbooks.
func TestATableReadsTheSameInEveryForm(t *testing.T) {
	table := [][]string{
		{"Plano", "Telefone", "CPF", "Nome", "Observação", "E-mail"},
		{`Fibra; "500", casa`, "11987654321", "52998224725", "Ana d'Ávila | Çelik", "liga\ndepois", "ana@example.com"},
		{"a|b, c;d", "1133334444", "11144477735", `"Zé", o 1º`, "", "ze@example.com"},
	}
	want := []string{
		`ok Ana d'Ávila | Çelik|ana@example.com|52998224725|+5511987654321|38|Fibra; "500", casa|`,
		`ok "Zé", o 1º|ze@example.com|11144477735|+551133334444|38|a|b, c;d|`,
	}
	for name, form := range forms {
		content := form(table)
		_, rows, err := read(t, content, sheet.Options{})
		must(t, err)
		for i, row := range rows {
			_, rows[i], _ = strings.Cut(row, " ") // its line
		}
		if diff := cmp.Diff(rows, want); diff != "" {
			t.Errorf("%s (- got, + want):\n%s\n%q", name, diff, content)
		}
	}
}
