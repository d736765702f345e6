package sheet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"ativa/internal/sheet"
)

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
		{name: "the other sheet chosen", content: book("Relatório de clientes"), options: sheet.Options{Sheet: "Base de Clientes"}, want: []string{"2 " + anaRow}},
	})
	_, _, err := read(t, book("Relatório de clientes"), sheet.Options{Sheet: "Preços"})
	if diff := cmp.Diff(errorText(err), "the file is empty"); diff != "" {
		t.Errorf("the chosen sheet (- got, + want):\n%s", diff)
	}
	if _, _, err := read(t, table(t, []any{"Relatório"}), sheet.Options{}); !strings.Contains(errorText(err), "the first line has no column name that is known") {
		t.Errorf("of one sheet only: %v", err)
	}
}
