package sheet_test

import (
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ativa/internal/sheet"
)

// formatted gives a cell its own number format.
func formatted(t *testing.T, x *excelize.File, cell, code string) {
	t.Helper()
	style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err == nil {
		err = x.SetCellStyle("Sheet1", cell, cell, style)
	}
	must(t, err)
}

func TestADateInAWorkbookIsNeverTakenForItsNumber(t *testing.T) {
	day := time.Date(2025, 10, 5, 0, 0, 0, 0, time.UTC)
	people := []any{"Nome", "E-mail", "CPF", "Telefone", "Celular"}
	runFiles(t, []fileCase{
		{name: "another telephone is valid", content: table(t, people, []any{"Ana", "a@example.com", "52998224725", day, "11987654321"}),
			want: []string{"2 ok Ana|a@example.com|52998224725|+5511987654321|38|| [several_phones]"}},
		{name: "a column that is not read", content: table(t, []any{"CPF", "Nascimento"}, []any{"52998224725", day}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
		{name: "next to the table", content: table(t, []any{"CPF", "Nome"}, []any{"52998224725", "Ana", day}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
		{name: "no telephone is valid", content: table(t, people, []any{"Ana", "a@example.com", "52998224725", day, "119"}), want: []string{"2 4:spreadsheet_date"}},
		{name: "a whole CPF in a column of dates is no day", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "CPF")
			set(t, x, "Sheet1", "A2", 52998224725)
			formatted(t, x, "A2", "dd/mm/yyyy")
		}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
	})
}
