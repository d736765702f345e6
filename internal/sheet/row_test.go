package sheet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ativa/internal/sheet"
)

// onlyRow opens and checks a file and returns its only row.
func onlyRow(t *testing.T, content string, o sheet.Options) *sheet.Row {
	t.Helper()
	f, _, err := read(t, content, o)
	must(t, err)
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		return row
	}
	t.Fatal("the file has no row")
	return nil
}

// fieldsOf returns the fields of a row in the order of titles.
func fieldsOf(r *sheet.Row) []string {
	products := ""
	if len(r.ProductsIDs) > 0 {
		products = fmt.Sprint(r.ProductsIDs)
	}
	return []string{r.Name, r.Email, r.Document, r.Phone, "", r.CustomerPlan, products}
}

// A wrong value must not be sent even by a caller that overlooks the problem.
func TestWrongFieldsOfARowAreEmpty(t *testing.T) {
	good := []string{"Ana Souza", "ana@example.com", "52998224725", "11987654321", "100 Mega", "Fibra", "1"}
	wrong := []string{"#REF!", "ana@", "52998224726", "123", "rápida", "Fibra\x07", "nada"}
	day := time.Date(2025, 10, 5, 0, 0, 0, 0, time.UTC)
	whole := fieldsOf(onlyRow(t, header+strings.Join(good, ";")+"\n", sheet.Options{}))
	for column := range good {
		cells, dated := append([]string{}, good...), make([]any, len(good))
		for i, cell := range good {
			dated[i] = cell
		}
		cells[column], dated[column] = wrong[column], day
		for name, content := range map[string]string{
			wrong[column]: header + strings.Join(cells, ";") + "\n", "a date": table(t, titles, dated),
		} {
			row := onlyRow(t, content, sheet.Options{})
			if len(row.Problems) != 1 || row.OK() || name == "a date" && row.Problems[0].Code != sheet.CodeSpreadsheetDate {
				t.Errorf("%v with %q: problems %v, want one", titles[column], name, row.Problems)
			}
			got := fieldsOf(row)
			for i := range got {
				want := whole[i]
				if i == column {
					want = ""
				}
				if got[i] != want {
					t.Errorf("%v with %q: %v is %q, want %q", titles[column], name, titles[i], got[i], want)
				}
			}
		}
	}
}

func TestTheDaysOfALineAreNotThoseOfADate(t *testing.T) {
	content := workbook(t, func(x *excelize.File) {
		set(t, x, "Sheet1", "A1", "CPF", "Produto", "Dias")
		set(t, x, "Sheet1", "A2", "52998224725", 1, 30)
		formatted(t, x, "C2", "dd/mm/yyyy")
	})
	row := onlyRow(t, content, sheet.Options{Profile: sheet.Invoice})
	if row.Days.Set || len(row.Problems) != 1 || row.Problems[0].Code != sheet.CodeSpreadsheetDate {
		t.Errorf("days %v, problems %v, want none and a date", row.Days, row.Problems)
	}
}

// If a name and a surname are too long together, the name is empty.
func TestANameThatIsTooLongWithItsSurnameIsEmpty(t *testing.T) {
	content := "nome;sobrenome;e-mail;cpf;telefone\n" + strings.Repeat("a", 200) + ";" + strings.Repeat("b", 55) + ";a@example.com;52998224725;11987654321\n"
	if row := onlyRow(t, content, sheet.Options{}); row.Name != "" || len(row.Problems) != 1 {
		t.Errorf("name of %d characters, problems %v, want none and one", len(row.Name), row.Problems)
	}
	fits := strings.Replace(content, strings.Repeat("b", 55), strings.Repeat("b", 54), 1)
	if row := onlyRow(t, fits, sheet.Options{}); len(row.Name) != 255 || !row.OK() {
		t.Errorf("name of %d characters, problems %v, want 255 and none", len(row.Name), row.Problems)
	}
}

// Eight digits in a row may be a telephone number or a document, zeros too.
func TestAMessageHoldsNoPersonalNumber(t *testing.T) {
	for value, shown := range map[string]string{"Plano 1234567": `"Plano 1234567"`, "10.203.040": `"•••"`, "00000000": `"•••"`, "(11) 3000-000": `"•••"`, "x9999999y9": `"x9999999y9"`, "a@b": `"•••"`} {
		row := onlyRow(t, withColumns("produtos", value), sheet.Options{})
		if len(row.Problems) != 1 || row.Problems[0].Args["value"] != shown {
			t.Errorf("%s: problems %v, want the value %s", value, row.Problems, shown)
		}
	}
}
