package sheet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ativa/internal/sheet"
)

// formatted gives a cell a number format of its own.
func formatted(t *testing.T, x *excelize.File, cell, code string) {
	t.Helper()
	style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err == nil {
		err = x.SetCellStyle("Sheet1", cell, cell, style)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestADateInAWorkbookIsNeverTakenForItsNumber(t *testing.T) {
	day := time.Date(2025, 10, 5, 0, 0, 0, 0, time.UTC)
	person := []any{"Ana Souza", "ana@example.com", "529.982.247-25", "11987654321", "100 Mega", "Fibra", 1}
	with := func(column int, value any) string {
		return workbook(t, func(x *excelize.File) {
			cells := append([]any{}, person...)
			cells[column-1] = value
			set(t, x, "Sheet1", "A1", titles...)
			set(t, x, "Sheet1", "A2", cells...)
		})
	}
	var files []fileCase
	for column := range len(titles) {
		files = append(files, fileCase{name: fmt.Sprint(titles[column]), content: with(column+1, day),
			want: []string{fmt.Sprintf("2 %d:spreadsheet_date", column+1)}})
	}
	runFiles(t, files)
	runFiles(t, []fileCase{
		{name: "another telephone is valid", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "Nome", "E-mail", "CPF", "Telefone", "Celular")
			set(t, x, "Sheet1", "A2", "Ana", "a@example.com", "52998224725", day, "11987654321")
		}), want: []string{"2 ok Ana|a@example.com|52998224725|+5511987654321|38|| [several_phones]"}},
		{name: "a column that is not read", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "CPF", "Nascimento")
			set(t, x, "Sheet1", "A2", "52998224725", day)
		}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
		{name: "beside the table", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "CPF", "Nome")
			set(t, x, "Sheet1", "A2", "52998224725", "Ana", day)
		}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
		{name: "no telephone is valid", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "Nome", "E-mail", "CPF", "Telefone", "Celular")
			set(t, x, "Sheet1", "A2", "Ana", "a@example.com", "52998224725", day, "119")
		}), want: []string{"2 4:spreadsheet_date"}},
		{name: "a whole CPF in a column of dates is no day", content: workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "CPF")
			set(t, x, "Sheet1", "A2", 52998224725)
			formatted(t, x, "A2", "dd/mm/yyyy")
		}), options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"}},
	})
}

func TestOnlyFormatsOfDatesMakeADate(t *testing.T) {
	const date = ""
	for code, shown := range map[string]string{
		"dd/mm/yyyy": date, "[$-416]d-mmm;@": date, "[$-F800]dddd\\, mmmm dd\\, yyyy": date, "hh:mm": date, "mmm/yy": date, "YYYY-MM-DD": date,
		"0": "45935", "General": "45935", `000\.000\.000\-00`: "000.000.459-35", `0" Mega/dia"`: "45935 Mega/dia", `[Red]0`: "45935", `\d0`: "d45935",
		"_d0": "45935", "*d0": "45935", "[h]:mm:ss": "45935", `"R$" #,##0.00`: "R$ 45935", "@": "45935", "0.00E+00": "45935",
	} {
		content := workbook(t, func(x *excelize.File) {
			set(t, x, "Sheet1", "A1", "Nome", "E-mail", "CPF", "Telefone")
			set(t, x, "Sheet1", "A2", 45935, "a@example.com", "52998224725", "11987654321")
			formatted(t, x, "A2", code)
		})
		want := "2 ok " + shown + "|a@example.com|52998224725|+5511987654321|38||"
		if shown == date {
			want = "2 1:spreadsheet_date"
		}
		if _, rows, err := read(t, content, sheet.Options{}); err != nil || len(rows) != 1 || rows[0] != want {
			t.Errorf("%s: got %q, %v, want %q", code, rows, err, want)
		}
	}
}

func TestARejectedRowShowsDatesAsDates(t *testing.T) {
	fill := func(x *excelize.File) {
		set(t, x, "Sheet1", "A1", "CPF", "Nascimento", "Hora", "Visto", "Antes de março de 1900")
		set(t, x, "Sheet1", "A2", 1, 33055, 0.5, 33055.75, 59)
		for cell, code := range map[string]string{"B2": "dd/mm/yyyy", "C2": "hh:mm", "D2": "dd/mm/yyyy hh:mm", "E2": "d/m/yy"} {
			formatted(t, x, cell, code)
		}
	}
	for _, tt := range []struct {
		name, content, want string
	}{
		{"days since 1900", workbook(t, fill), "1;1990-07-01;12:00:00;1990-07-01 18:00:00;1900-02-28;2;"},
		{"days since 1904", workbook(t, func(x *excelize.File) {
			fill(x)
			yes := true
			if err := x.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}); err != nil {
				t.Fatal(err)
			}
		}), "1;1994-07-02;12:00:00;1994-07-02 18:00:00;1904-02-29;2;"},
	} {
		f, _, err := read(t, tt.content, sheet.Options{Profile: sheet.Documents})
		if err != nil {
			t.Fatal(err)
		}
		if _, row, _ := strings.Cut(rejected(t, f), "\r\n"); !strings.HasPrefix(row, tt.want) {
			t.Errorf("%s: got %q, want it to begin with %q", tt.name, row, tt.want)
		}
	}
}

func TestADateOfAnotherProgramIsADate(t *testing.T) {
	head := `<row><c t="inlineStr"><is><t>CPF</t></is></c></row>`
	content := zipped(t, map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			`<sheets><sheet name="P" sheetId="1" r:id="rId7"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId7" Target="/xl/worksheets/s.xml"/></Relationships>`,
		"xl/worksheets/s.xml":        `<worksheet><sheetData>` + head + `<row><c t="d"><v>2025-10-05</v></c></row><row><c s="1"><v>191</v></c></row></sheetData></worksheet>`,
		"xl/styles.xml":              `<styleSheet><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
	})
	runFiles(t, []fileCase{{name: "by type and by format", content: content, options: sheet.Options{Profile: sheet.Documents},
		want: []string{"2 1:spreadsheet_date", "3 1:spreadsheet_date"}}})
}
