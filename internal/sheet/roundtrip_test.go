package sheet_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/sheet"
)

// forms are the ways to write one table as a file: encodings, delimiters, line
// ends, quoting, and a workbook.
var forms = map[string]func([][]string) (string, error){
	"utf-8, comma":                 func(t [][]string) (string, error) { return plain(t, ",", "\n", false), nil },
	"utf-8, tab, CRLF":             func(t [][]string) (string, error) { return plain(t, "\t", "\r\n", false), nil },
	"utf-8 with mark, semicolon":   func(t [][]string) (string, error) { return "\ufeff" + plain(t, ";", "\r\n", false), nil },
	"utf-8, pipe, CR":              func(t [][]string) (string, error) { return plain(t, "|", "\r", false), nil },
	"everything in quotes":         func(t [][]string) (string, error) { return plain(t, ";", "\n", true), nil },
	"sep= line":                    func(t [][]string) (string, error) { return "sep=,\r\n" + plain(t, ",", "\r\n", false), nil },
	"blank lines between the rows": func(t [][]string) (string, error) { return plain(t, ";", "\n\n", false), nil },
	"windows-1252":                 func(t [][]string) (string, error) { return latin(plain(t, ";", "\r\n", false)), nil },
	"utf-16le": func(t [][]string) (string, error) {
		return wide("\ufeff"+plain(t, "\t", "\r\n", false), binary.LittleEndian), nil
	},
	"utf-16be without mark": func(t [][]string) (string, error) { return wide(plain(t, ",", "\n", true), binary.BigEndian), nil },
	"as encoding/csv writes": func(t [][]string) (string, error) {
		var b bytes.Buffer
		err := csv.NewWriter(&b).WriteAll(t)
		return b.String(), err
	},
	"workbook": func(t [][]string) (string, error) {
		x := excelize.NewFile()
		defer x.Close()
		for i, row := range t {
			cells := make([]any, len(row))
			for j, cell := range row {
				cells[j] = cell
			}
			if err := x.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &cells); err != nil {
				return "", err
			}
		}
		var b bytes.Buffer
		err := x.Write(&b)
		return b.String(), err
	},
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

// randomTable draws a table of subscribers with a header, columns in any order
// and texts that need quotes.
func randomTable(t *rapid.T) [][]string {
	order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "order")
	title := []string{"Nome", "E-mail", "CPF", "Telefone", "Plano", "Observação"}
	table := [][]string{make([]string, len(order))}
	for i, column := range order {
		table[0][i] = title[column]
	}
	text := rapid.StringMatching(`[A-ZÁÉÇ][a-zãéç;,|"' ]{0,20}[a-zãéç]`)
	for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
		person := []string{text.Draw(t, "name"), fmt.Sprintf("p%d@example.com", i),
			string(cpf.WithCheckDigits(fmt.Sprint(100_000_000 + i))), fmt.Sprintf("119%08d", i), text.Draw(t, "plan"), text.Draw(t, "remark")}
		row := make([]string, len(order))
		for j, column := range order {
			row[j] = person[column]
		}
		table = append(table, row)
	}
	return table
}

// A table reads the same in every form, row by row and cell by cell.
func TestATableReadsTheSameInEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		table := randomTable(rt)
		var want []string
		cell := func(row []string, title string) string { return row[slices.Index(table[0], title)] }
		for _, row := range table[1:] {
			want = append(want, fmt.Sprintf("ok %s|%s|%s|+55%s|38|%s|",
				cell(row, "Nome"), cell(row, "E-mail"), cell(row, "CPF"), cell(row, "Telefone"), cell(row, "Plano")))
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(forms))).Draw(rt, "form")
		content, err := forms[name](table)
		must(rt, err)
		_, rows, err := read(rt, content, sheet.Options{})
		must(rt, err)
		for i, row := range rows {
			_, rows[i], _ = strings.Cut(row, " ") // its line
		}
		if diff := cmp.Diff(rows, want); diff != "" {
			rt.Fatalf("%s (- got, + want):\n%s\n%q", name, diff, content)
		}
	})
}

// Refused rows are written back unchanged: if every row is wrong, the rejected rows are the file
// itself, followed by the errors.
func TestRejectedRowsAreTheRowsOfTheFileInEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		table := randomTable(rt)
		for _, row := range table[1:] {
			row[slices.Index(table[0], "E-mail")] = "nobody"
		}
		name := rapid.SampledFrom([]string{"utf-8, comma", "utf-8, tab, CRLF", "everything in quotes", "windows-1252", "as encoding/csv writes"}).Draw(rt, "form")
		content, err := forms[name](table)
		must(rt, err)
		f, _, err := read(rt, content, sheet.Options{})
		must(rt, err)
		got, lines := strings.SplitAfter(rejected(t, f), "\n"), strings.SplitAfter(content, "\n")
		if len(got) != len(lines) {
			rt.Fatalf("%s: %d lines, want %d", name, len(got), len(lines))
		}
		for i := range got {
			if want := strings.TrimRight(lines[i], "\r\n"); !strings.HasPrefix(got[i], want) {
				rt.Fatalf("%s: got %q, want it to begin with %q", name, got[i], want)
			}
		}
	})
}
