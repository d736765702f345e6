package xlsx_test

import (
	"errors"
	"testing"

	"ativa/internal/sheet/xlsx"
)

// Reading any file ends with rows within the limits of a spreadsheet, or with an error that says the
// file is damaged or of another kind. The fuzzer changes parts of a workbook one by one: changed
// bytes in an archive are seldom an archive.
func FuzzWorkbook(f *testing.F) {
	const (
		book      = `<workbook xmlns:r="` + relationships + `"><workbookPr date1904="1"/><sheets><sheet name="P" r:id="rId1"/><sheet name="Q" state="hidden" r:id="rId2"/></sheets></workbook>`
		relations = `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet1.xml"/></Relationships>`
		texts     = `<sst><si><t>Ana_x000D_</t></si><si><r><t>Z</t></r><rPh><t>x</t></rPh><r><t>é</t></r></si><si/></sst>`
		styles    = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;Fibra&quot; 0 &quot;M&quot;"/><numFmt numFmtId="165" formatCode="[h]:mm;@"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
		sheet     = `<worksheet><sheetData><row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row r="3" hidden="1"><c r="B3" s="1"><v>45000.5</v></c><c s="2"><v>500</v></c><c r="XFD3" t="inlineStr"><is><t>x</t></is></c><c t="b"><v>1</v></c><c t="d"><v>2026-01-31</v></c><c><v>5.2998224725E10</v></c></row></sheetData></worksheet>`
	)
	whole := zipped(f, parts{"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, "xl/sharedStrings.xml": texts, "xl/styles.xml": styles, "xl/worksheets/sheet1.xml": sheet})
	f.Add([]byte(nil), book, relations, texts, styles, sheet)
	f.Add([]byte(nil), book, relations, texts, styles, `<row r="1048576"/><row r="9223372036854775807"/><row/><row><c r="ZZZZZZ1" s="1"><v>NaN</v></c><c r="A1" s="1"><v>1</v></c><c r="A1" s="1"><v>-1e999</v></c></row>`)
	f.Add(whole, "", "", "", "", "")
	f.Add(whole[:len(whole)/2], "", "", "", "", "")
	f.Add(zipped(f, parts{"content.xml": "<x/>"}), "", "", "", "", "")
	f.Fuzz(func(t *testing.T, file []byte, book, relations, texts, styles, sheet string) {
		if len(file) == 0 {
			file = zipped(t, parts{"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, "xl/sharedStrings.xml": texts, "xl/styles.xml": styles, "xl/worksheets/sheet1.xml": sheet})
		}
		w, err := open(file)
		if err != nil {
			isNamed(t, err)
			return
		}
		for _, s := range w.Sheets[:min(len(w.Sheets), 3)] {
			readSheet(t, w, s.Name)
		}
	})
}

func isNamed(t *testing.T, err error) {
	t.Helper()
	_, damaged := errors.AsType[*xlsx.DamagedError](err)
	_, other := errors.AsType[*xlsx.NotWorkbookError](err)
	if !damaged && !other {
		t.Errorf("got %v, want that the file is damaged or no workbook", err)
	}
}

// readSheet reads a sheet to its end, and checks that its rows are in order and within the limits of
// a spreadsheet.
func readSheet(t *testing.T, w *xlsx.Workbook, name string) {
	t.Helper()
	const lastColumn = 1 << 14
	last := 0
	for row, err := range w.Rows(name) {
		if err != nil {
			isNamed(t, err)
			return
		}
		if row.Number <= last || len(row.Cells) > lastColumn || len(row.Dates) > lastColumn {
			t.Fatalf("got row %d behind row %d, %d cells, %d dates", row.Number, last, len(row.Cells), len(row.Dates))
		}
		last = row.Number
		for _, column := range row.Dates {
			if column < 1 || column > len(row.Cells) {
				t.Fatalf("row %d: a date in column %d of %d", row.Number, column, len(row.Cells))
			}
		}
	}
}
