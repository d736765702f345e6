package sheet_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// tab is a worksheet with its rows, from the first on; a nil row or cell is left out.
type tab struct {
	name string
	rows [][]any
}

// table writes a workbook with one sheet.
func table(t *testing.T, rows ...[]any) string {
	t.Helper()
	return book(t, nil, tab{"Sheet1", rows})
}

// book writes an .xlsx file like another program. The first sheet must be called Sheet1; change may be
// nil.
func book(t *testing.T, change func(*excelize.File), tabs ...tab) string {
	t.Helper()
	x := excelize.NewFile()
	defer x.Close()
	for _, tab := range tabs {
		_, err := x.NewSheet(tab.name)
		must(t, err)
		for i, row := range tab.rows {
			must(t, x.SetSheetRow(tab.name, "A"+number(i+1), &row))
		}
	}
	if change != nil {
		change(x)
	}
	var b bytes.Buffer
	must(t, x.Write(&b))
	return b.String()
}

var (
	titles   = []any{"Nome", "E-mail", "CPF", "Telefone", "Velocidade", "Plano", "Produtos"}
	anaCells = []any{"Ana Souza", "ana@example.com", "529.982.247-25", "11987654321", "100 Mega", "Fibra", 1}
)

func TestWorkbooksAreReadLikeFiles(t *testing.T) {
	people := table(t, titles, anaCells, nil, nil,
		[]any{"Zé; \"Zeca\"", "ze@example.com", 12345601, 11987654321, "", "", "Play Básico\nMúsica, Jogos + Mais"},
		[]any{"João", "j@example.com", 52998224726},
		[]any{"Rui", "r@example.com", 11144477735, 1133334444})
	want := []string{"2 " + anaRow,
		`5 ok Zé; "Zeca"|ze@example.com|00012345601|+5511987654321|38||1 3 [lost_zeros]`,
		"6 3:invalid_check_digit 4:required",
		"7 ok Rui|r@example.com|11144477735|+551133334444|38||"}
	tabs := []tab{{"Sheet1", [][]any{{"CPF"}, {"52998224725"}}}, {"Clientes", [][]any{nil, nil, {nil, "CPF"}, {nil, "11144477735"}}}}
	two := book(t, nil, tabs...)
	hidden := book(t, func(x *excelize.File) {
		x.SetActiveSheet(1)
		must(t, x.SetSheetVisible("Sheet1", false))
	}, tabs...)
	ticks := table(t, titles, []any{"Ana Souza", "ana@example.com", "529.982.247-25", "11987654321", true, true, true})
	merged := book(t, func(x *excelize.File) {
		for _, block := range [][2]string{{"E2", "E4"}, {"F2", "F4"}, {"G2", "G4"}, {"A4", "D4"}} {
			must(t, x.MergeCell("Sheet1", block[0], block[1]))
		}
	}, tab{"Sheet1", [][]any{titles, anaCells, {"Rui", "r@example.com", 11144477735, 1133334444}}})
	list := sheet.Options{Profile: sheet.Documents}
	other := sheet.Options{Profile: sheet.Documents, Sheet: "Clientes"}
	typed := sheet.Options{Profile: sheet.Documents, Sheet: "clientes "}
	none := sheet.Options{Profile: sheet.Documents, Sheet: "x"}
	runFiles(t, []fileCase{
		{name: "numbers and texts", content: people, want: want},
		{name: "merged cells of plan, speed and product", content: merged,
			want: []string{"2 " + anaRow, "3 ok Rui|r@example.com|11144477735|+551133334444|10|Fibra|1 [merged_cells] [merged_cells] [merged_cells]"}},
		{name: "first of two sheets", content: two, options: list, want: []string{"2 ok ||52998224725||0||"}, notices: []string{sheet.NoticeSheets}},
		{name: "the chosen sheet", content: two, options: other, want: []string{"4 ok ||11144477735||0||"}},
		{name: "the chosen sheet in other letters", content: two, options: typed, want: []string{"4 ok ||11144477735||0||"}},
		{name: "the first sheet that is not hidden", content: hidden, options: list, want: []string{"4 ok ||11144477735||0||"}, notices: []string{sheet.NoticeSheets}},
		{name: "a tick is no number", content: ticks, want: []string{"2 5:unknown_internet_speed 7:unknown_product"}},
		{name: "a sheet that is not there", content: two, options: none, err: `the workbook has no sheet "x"; it has "Sheet1", "Clientes"`},
		{name: "nothing in it", content: table(t), options: list, err: "the file is empty"},
	})
}

func TestValuesInColumnsWithoutANameAreLeftOutAndCounted(t *testing.T) {
	const csv = "nome;;email;cpf;telefone;\nAna;;a@example.com;52998224725;11987654321;\nRui;x;r@example.com;11144477735;11987654321;y\n"
	book := table(t, []any{"nome", "email", "cpf", "telefone"}, []any{"Ana", "a@example.com", "52998224725", 11987654321},
		[]any{"Rui", "r@example.com", "11144477735", 11987654321, nil, "liga depois"})
	want := []string{"2 ok Ana|a@example.com|52998224725|+5511987654321|38||", "3 ok Rui|r@example.com|11144477735|+5511987654321|38||"}
	for name, content := range map[string]string{"csv": csv, "workbook": book} {
		f, s, err := check(t, content, sheet.Options{})
		must(t, err)
		if rows := described(t, f); !slices.Equal(rows, want) || s.Nameless != 1 {
			t.Errorf("%s: got %q, %d, want %q, 1", name, rows, s.Nameless, want)
		}
	}
}

func TestHiddenRowsAndColumnsOfAWorkbookAreReadAndReported(t *testing.T) {
	people := [][]any{{"Nome", "CPF", "E-mail", "Telefone"}, {"Ana", "52998224725", "ana@example.com", "11987654321"},
		{"Rui", "11144477735", "rui@example.com", "11987654322"}}
	f, s, err := check(t, book(t, func(x *excelize.File) {
		must(t, errors.Join(x.SetRowVisible("Sheet1", 3, false), x.SetColVisible("Sheet1", "B", false)))
	}, tab{"Sheet1", people}), sheet.Options{})
	must(t, err)
	if s.Valid != 2 || s.Hidden != 1 {
		t.Errorf("got %d rows, %d hidden, want two rows, 1 hidden", s.Valid, s.Hidden)
	}
	if len(f.Notices) != 1 || f.Notices[0].Code != sheet.NoticeHiddenColumn || f.Notices[0].Field != api.FieldDocument {
		t.Errorf("got the notices %v, want one of the hidden column", f.Notices)
	}
}

func zipped(t *testing.T, parts map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range parts {
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write([]byte(content))
		must(t, err)
	}
	must(t, z.Close())
	return b.String()
}

func TestADateInAWorkbookIsNeverTakenForItsNumber(t *testing.T) {
	day := time.Date(2025, 10, 5, 0, 0, 0, 0, time.UTC)
	people := []any{"Nome", "E-mail", "CPF", "Telefone", "Celular"}
	runFiles(t, []fileCase{
		{name: "another telephone is valid", content: table(t, people, []any{"Ana", "a@example.com", "52998224725", day, "11987654321"}),
			want: []string{"2 ok Ana|a@example.com|52998224725|+5511987654321|38|| [several_phones]"}},
		{name: "a column that is not read", content: table(t, []any{"CPF", "Nascimento"}, []any{"52998224725", day}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
		{name: "every column", content: table(t, titles, slices.Repeat([]any{day}, 7)),
			want: []string{"2 1:spreadsheet_date 2:spreadsheet_date 3:spreadsheet_date 4:spreadsheet_date 5:spreadsheet_date 6:spreadsheet_date 7:spreadsheet_date"}},
		{name: "cells of the type error, in every column of a bill", options: sheet.Options{Profile: sheet.Invoice}, want: []string{"2 1:formula_error 2:formula_error 3:formula_error"},
			content: worksheet(t, `<row><c t="str"><v>CPF</v></c><c t="str"><v>Produto</v></c><c t="str"><v>Dias</v></c></row><row><c t="e"><v>52998224725</v></c><c t="e"><v>1</v></c><c t="e"><v>30</v></c></row>`, "")},
		{name: "the days of an invoice", content: table(t, []any{"CPF", "Produto", "Dias"}, []any{"52998224725", 1, day}),
			options: sheet.Options{Profile: sheet.Invoice}, want: []string{"2 3:spreadsheet_date"}},
		{name: "no telephone is valid", content: table(t, people, []any{"Ana", "a@example.com", "52998224725", day, "119"}), want: []string{"2 4:spreadsheet_date"}},
	})
}

func TestACoverSheetIsRefusedNamingTheOthers(t *testing.T) {
	covered := func(cover ...any) string {
		return book(t, nil, tab{"Sheet1", [][]any{cover}}, tab{"Base de Clientes", [][]any{titles, anaCells}}, tab{name: "Preços"})
	}
	lead := func(fields string) string {
		return `the sheet "Sheet1" has no column for ` + fields + `; choose another sheet, as --sheet "Base de Clientes", or use --map FIELD=COLUMN. The others: "Base de Clientes", "Preços"`
	}
	all := "name, email, document, phone"
	runFiles(t, []fileCase{
		{name: "a title", content: covered("Relatório de clientes"), err: lead(all)},
		{name: "nothing", content: covered(), err: lead(all)},
		{name: "a table of other things", content: covered("Nome", "Cidade"), err: lead("email, document, phone")},
		{name: "a header only", content: covered(titles...),
			err: `the sheet "Sheet1" has a header and no rows; choose another sheet, as --sheet "Base de Clientes". The others: "Base de Clientes", "Preços"`},
		{name: "two columns for one field", content: covered("Nome", "Cliente", "E-mail", "CPF", "Telefone"),
			err: `the columns "Nome", "Cliente" may all be name; choose one with --map name=COLUMN`},
		{name: "an empty sheet chosen", content: covered(), options: sheet.Options{Sheet: "Preços"}, err: "the file is empty"},
		{name: "one sheet only", content: table(t, []any{"Relatório"}),
			err: `line 1: the first rows have no column name that is known; add a header or remove the rows above it, or use --map name=COLUMN. Found: "Relatório"`},
		{name: "the other sheet chosen", content: covered("Relatório de clientes"), options: sheet.Options{Sheet: "Base de Clientes"}, want: []string{"2 " + anaRow}},
	})
}

// worksheet returns a workbook with one sheet of the rows, and with shared texts, in XML.
func worksheet(t *testing.T, rows, texts string) string {
	t.Helper()
	return zipped(t, map[string]string{
		"xl/workbook.xml":            `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="P" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;Fibra&quot; 0 &quot;M&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":   rows,
		"xl/sharedStrings.xml":       "<sst>" + texts + "</sst>",
	})
}
