package sheet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"ativa/internal/sheet"
)

// shown is a workbook with one subscriber whose cells of row 2 have number
// formats, by column.
func shown(t *testing.T, row []any, formats map[string]string) string {
	t.Helper()
	return workbook(t, func(x *excelize.File) {
		set(t, x, "Sheet1", "A1", titles...)
		set(t, x, "Sheet1", "A2", row...)
		for column, code := range formats {
			formatted(t, x, column+"2", code)
		}
	})
}

func TestATextOfANumberFormatIsKept(t *testing.T) {
	plan := func(value any, code, want string) fileCase {
		row := []any{"Ana Souza", "ana@example.com", 52998224725, 11987654321, nil, value, 1}
		return fileCase{name: code, content: shown(t, row, map[string]string{"F": code}),
			want: []string{"2 ok Ana Souza|ana@example.com|52998224725|+5511987654321|38|" + want + "|1"}}
	}
	cells := []any{"Ana Souza", "ana@example.com", 191, 11987654321, 100, nil, 1}
	runFiles(t, []fileCase{
		plan(500, `"Fibra "0`, "Fibra 500"),
		plan(500, `"Fibra "0" Mega"`, "Fibra 500 Mega"),
		plan(500, `0\M`, "500M"),
		plan(1000, `"Fibra "#,##0`, "Fibra 1000"),
		plan(500, `"Fibra "General`, "Fibra 500"),
		plan("500", `"Fibra "@`, "Fibra 500"),
		plan(99.9, `[$R$-416]\ #,##0.00`, "R$ 99.9"),
		plan(5, `[$R$-416]\ 0.00`, "R$ 5"),
		plan(7, `"Plano "000`, "Plano 007"),
		plan(7, `"`+strings.Repeat("x", 200)+`"0`, strings.Repeat("x", 200)+"7"),
		plan(12, `0"-"0`, "1-2"),
		plan(500, `[Red]"Fibra "0;[Blue]"Nada "0`, "Fibra 500"),
		// What cannot be shown for certain stays the number that it is.
		plan(500, `#,##0`, "500"),
		plan(500, `[>100]"Fibra "0;"Rádio "0`, "500"),
		plan(0.5, `"Fibra "0%`, "0.5"),
		plan(-5, `"Fibra "0;"Menos "0`, "-5"),
		plan(1, `"Sim"`, "1"),
		plan(500, `_-* 0_-`, "500"),
		{name: "a CPF, a telephone number and a speed", content: shown(t, cells, map[string]string{"C": `000\.000\.000\-00`, "D": `(00) 00000-0000`, "E": `0" Mega"`}),
			want: []string{"2 ok Ana Souza|ana@example.com|00000000191|+5511987654321|10||1"}},
	})
}

func TestEscapesOfAWorkbookAreDecoded(t *testing.T) {
	head := `<row><c t="inlineStr"><is><t>CPF</t></is></c><c t="inlineStr"><is><t>No_x006D_e</t></is></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`
	shared := `<si><t>x</t></si><si><t>Email</t></si><si><t>Fone</t></si>`
	name := func(text string) string {
		return zipped(t, map[string]string{
			"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
				`<sheets><sheet name="Ol_x00E1_" sheetId="1" r:id="rId7"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId7" Target="/xl/worksheets/s.xml"/></Relationships>`,
			"xl/worksheets/s.xml": `<worksheet><sheetData>` + head + `<row><c><v>52998224725</v></c>` + text +
				`<c t="str"><v>a_x0040_example.com</v></c><c><v>1133334444</v></c></row></sheetData></worksheet>`,
			"xl/sharedStrings.xml": `<sst>` + shared + `<si><t>Zé_x000D_</t></si><si><r><t>A_x00E7_</t></r><r><t>_x005F_x0041_</t></r></si></sst>`,
		})
	}
	ok := func(name string) []string {
		return []string{"2 ok " + name + "|a@example.com|52998224725|+551133334444|38||"}
	}
	runFiles(t, []fileCase{
		{name: "a carriage return at the end", content: name(`<c t="s"><v>3</v></c>`), want: ok("Zé")},
		{name: "in a cell", content: name(`<c t="inlineStr"><is><t>Jo_x00E3_o</t></is></c>`), want: ok("João")},
		{name: "in runs, and an escaped escape", content: name(`<c t="s"><v>4</v></c>`), want: ok("Aç_x0041_")},
		{name: "two halves of one character", content: name(`<c t="str"><v>Ana _xD834__xDD1E_</v></c>`), want: ok("Ana 𝄞")},
		{name: "half a character", content: name(`<c t="str"><v>Ana _xD834_</v></c>`), want: []string{"2 2:unreadable_text"}},
		{name: "a line break within", content: name(`<c t="str"><v>Ana_x000D_Souza</v></c>`), want: []string{"2 2:control_character"}},
		{name: "none", content: name(`<c t="str"><v>Ana _x00G1_ _x12_ _x</v></c>`), want: ok("Ana _x00G1_ _x12_ _x")},
	})
	f, _, err := read(t, name(`<c t="s"><v>3</v></c>`), sheet.Options{Sheet: "Olá"})
	if err != nil || f.Dialect.Sheet != "Olá" {
		t.Errorf("the name of the sheet: %v", err)
	}
}

func TestACoverSheetLeadsToTheOthers(t *testing.T) {
	book := func(cover ...any) string {
		return workbook(t, func(x *excelize.File) {
			for _, name := range []string{"Base de Clientes", "Preços"} {
				if _, err := x.NewSheet(name); err != nil {
					t.Fatal(err)
				}
			}
			if len(cover) > 0 {
				set(t, x, "Sheet1", "A1", cover...)
			}
			set(t, x, "Base de Clientes", "A1", titles...)
			set(t, x, "Base de Clientes", "A2", "Ana Souza", "ana@example.com", "529.982.247-25", "11987654321", "100 Mega", "Fibra", 1)
		})
	}
	lead := func(fields string) string {
		return `the sheet "Sheet1" has no column for ` + fields + `; choose another sheet, as --sheet "Base de Clientes", or tell with --map FIELD=COLUMN. The others: "Base de Clientes", "Preços"`
	}
	all := "name, email, document, phone"
	runFiles(t, []fileCase{
		{name: "a title", content: book("Relatório de clientes"), err: lead(all)},
		{name: "nothing", content: book(), err: lead(all)},
		{name: "a table of other things", content: book("Nome", "Cidade"), err: lead("email, document, phone")},
		{name: "a header only", content: book(titles...),
			err: `the sheet "Sheet1" has a header and no rows; choose another sheet, as --sheet "Base de Clientes". The others: "Base de Clientes", "Preços"`},
		{name: "two columns for one field", content: book("Nome", "Cliente", "E-mail", "CPF", "Telefone"),
			err: `the columns "Nome", "Cliente" may all be name; tell which with --map name=COLUMN`},
		{name: "the other told", content: book("Relatório de clientes"), options: sheet.Options{Sheet: "Base de Clientes"}, want: []string{"2 " + anaRow}},
	})
	_, _, err := read(t, book("Relatório de clientes"), sheet.Options{Sheet: "Preços"})
	if diff := cmp.Diff(errorText(err), "the file is empty"); diff != "" {
		t.Errorf("the sheet that was told (- got, + want):\n%s", diff)
	}
	one := workbook(t, func(x *excelize.File) { set(t, x, "Sheet1", "A1", "Relatório") })
	if _, _, err := read(t, one, sheet.Options{}); !strings.Contains(errorText(err), "the first line has no column name that is known") {
		t.Errorf("of one sheet only: %v", err)
	}
}
