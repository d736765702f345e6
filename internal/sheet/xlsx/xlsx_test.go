package xlsx_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/encoding/unicode"

	"ativa/internal/sheet/xlsx"
)

func TestRowsAndCellsKeepTheirPositions(t *testing.T) {
	text := func(s string) string { return `<c t="str"><v>` + s + `</v></c>` }
	for name, tt := range map[string]struct {
		rows string
		want []xlsx.Row
	}{
		"without names": {`<row>` + text("a") + text("b") + `</row><row>` + text("c") + `</row>`,
			[]xlsx.Row{{Number: 1, Cells: []string{"a", "b"}}, {Number: 2, Cells: []string{"c"}}}},
		"rows left out": {`<row r="3">` + text("a") + `</row><row>` + text("b") + `</row><row r="9">` + text("c") + `</row>`,
			[]xlsx.Row{{Number: 3, Cells: []string{"a"}}, {Number: 4, Cells: []string{"b"}}, {Number: 9, Cells: []string{"c"}}}},
		"a row number that goes back is not believed": {`<row r="5">` + text("a") + `</row><row r="2">` + text("b") + `</row><row r="x">` + text("c") + `</row>`,
			[]xlsx.Row{{Number: 5, Cells: []string{"a"}}, {Number: 6, Cells: []string{"b"}}, {Number: 7, Cells: []string{"c"}}}},
		"cells left out": {`<row><c r="B1" t="str"><v>b</v></c>` + text("c") + `<c r="AA1" t="str"><v>27</v></c></row>`,
			[]xlsx.Row{{Number: 1, Cells: append([]string{"", "b", "c"}, append(make([]string, 23), "27")...)}}},
		"empty cells at the end": {`<row>` + text("a") + text("") + `<c/></row>`, []xlsx.Row{{Number: 1, Cells: []string{"a"}}}},
		"an empty row":           {`<row/><row>` + text("a") + `</row>`, []xlsx.Row{{Number: 1}, {Number: 2, Cells: []string{"a"}}}},
		"hidden rows": {`<row hidden="1">` + text("a") + `</row><row hidden="true"/><row hidden="0">` + text("c") + `</row>`,
			[]xlsx.Row{{Number: 1, Hidden: true, Cells: []string{"a"}}, {Number: 2, Hidden: true}, {Number: 3, Cells: []string{"c"}}}},
		"a row number beyond the last is not believed": {`<row r="9223372036854775807">` + text("a") + `</row><row r="1048576"/><row r="9223372036854775807"/>`,
			[]xlsx.Row{{Number: 1, Cells: []string{"a"}}, {Number: 1048576}, {Number: 1048577}}},
		"the last column that there is": {`<row><c r="XFD1" t="str"><v>x</v></c><c r="XFE1" t="str"><v>y</v></c></row>`,
			[]xlsx.Row{{Number: 1, Cells: append(make([]string, 16383), "x")}}},
		"an empty sheet": {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(sheet(t, build(t, tt.rows, nil)), tt.want); diff != "" {
				t.Errorf("rows (- got, + want):\n%s", diff)
			}
		})
	}
}

func TestMergedCellsShowTheirValueInEveryRow(t *testing.T) {
	text := func(cell, s string) string { return `<c r="` + cell + `" t="str"><v>` + s + `</v></c>` }
	rows := `<row r="1">` + text("A1", "Ana") + text("B1", "x") + `</row><row r="2">` + text("B2", "y") + `<c r="A2"/></row>` +
		`<row r="3"><c r="A3" s="1"/></row><row r="5">` + text("B5", "z") + `</row><row r="6">` + text("B6", "w") + `</row>`
	merges := func(refs ...string) string {
		b := `</sheetData><sheetProtection/><x:mergeCells>`
		for _, ref := range refs {
			b += "<x:mergeCell\n" + `ref="` + ref + `"/>`
		}
		return `<worksheet xmlns:x="u"><sheetData>` + rows + b + `</x:mergeCells></worksheet>`
	}
	row := func(n int, merged []int, cells ...string) xlsx.Row {
		return xlsx.Row{Number: n, Cells: cells, Merged: merged}
	}
	for name, tt := range map[string]struct {
		refs []string
		want []xlsx.Row
	}{
		"of a column, but not in a row with nothing of its own": {[]string{"A1:A5"},
			[]xlsx.Row{row(1, nil, "Ana", "x"), row(2, []int{1}, "Ana", "y"), row(3, nil), row(5, []int{1}, "Ana", "z"), row(6, nil, "", "w")}},
		"of several columns, also over what they kept": {[]string{"C6:D9", "A1:C2"},
			[]xlsx.Row{row(1, []int{2}, "Ana", "Ana"), row(2, []int{1, 2}, "Ana", "Ana"), row(3, nil), row(5, nil, "", "z"), row(6, nil, "", "w")}},
		"of one row, empty ones, and what is no block": {[]string{"A1:B1", "C5:C6", "A1", "", "A9:A1", "a1:a2"},
			[]xlsx.Row{row(1, []int{2}, "Ana", "Ana"), row(2, nil, "", "y"), row(3, nil), row(5, nil, "", "z"), row(6, nil, "", "w")}},
		"over what a covered cell of the column kept": {[]string{"B1:B2", "B5:B6"},
			[]xlsx.Row{row(1, nil, "Ana", "x"), row(2, []int{2}, "", "x"), row(3, nil), row(5, nil, "", "z"), row(6, []int{2}, "", "z")}},
	} {
		t.Run(name, func(t *testing.T) {
			content := build(t, "", parts{"xl/worksheets/sheet1.xml": merges(tt.refs...)})
			if diff := cmp.Diff(sheet(t, content), tt.want, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (- got, + want):\n%s", diff)
			}
		})
	}
}

// Parts are found by their relations, whatever their names, and read in any encoding of XML.
func TestPartsAreFoundByTheirRelations(t *testing.T) {
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	utf16 := func(s string) string {
		b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s)
		must(t, err)
		return b
	}
	whole := func(prefix, sheets string) parts {
		return parts{
			"_rels/.rels":                 `<Relationships><Relationship Id="a" Type="` + types + `officeDocument" Target="/xl/workbook2.xml"/></Relationships>`,
			"xl/workbook2.xml":            "\xef\xbb\xbf" + `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="` + relationships + `"><sheets><sheet name="P" r:id="rId1"/></sheets></workbook>`,
			"xl/_rels/workbook2.xml.rels": `<Relationships><Relationship Id="rId1" Type="` + types + `worksheet" Target="` + sheets + `/a.xml"/><Relationship Id="s" Type="` + types + `sharedStrings" Target="texts.xml"/></Relationships>`,
			"xl/texts.xml":                utf16(`<?xml version="1.0" encoding="UTF-16"?><sst><si><t>João</t></si></sst>`),
			"xl/" + sheets + "/a.xml":     prefix + `<worksheet><cols><col min="2" max="3" hidden="1"/></cols><sheetData><row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>Jos` + "\xe9" + `</t></is></c><c t="e"><v>foo</v></c></row></sheetData></worksheet>`,
		}
	}
	latin := `<?xml version="1.0" encoding="ISO-8859-1"?>`
	backslashes := parts{}
	for name, text := range whole(latin, "Worksheets") {
		backslashes[strings.ReplaceAll(name, "/", `\`)] = text
	}
	for name, p := range map[string]parts{"other names": whole(latin, "Worksheets"), "backslashes": backslashes} {
		want := []xlsx.Row{{Number: 1, Cells: []string{"João", "José", "#N/A"}, HiddenColumns: [][2]int{{2, 3}}}}
		if diff := cmp.Diff(sheet(t, zipped(t, p)), want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: rows (- got, + want):\n%s", name, diff)
		}
	}
	_, err := read(mustOpen(t, zipped(t, whole(`<?xml version="1.0" encoding="EBCDIC"?>`, "Worksheets"))), "P")
	if detail(err) != `it is written in the encoding "EBCDIC"` {
		t.Errorf("an encoding that is not known: %v", err)
	}
}

func TestACellShowsItsValue(t *testing.T) {
	shared := parts{"xl/sharedStrings.xml": `<sst><si><t>zero</t></si><si><r><t>um </t></r><r><t>dois</t></r><rPh><t>x</t></rPh></si><si><t/></si></sst>`}
	for name, tt := range map[string]struct{ cell, want string }{
		"shared string":                         {`<c t="s"><v>0</v></c>`, "zero"},
		"rich text without its phonetic hint":   {`<c t="s"><v>1</v></c>`, "um dois"},
		"shared string that is empty":           {`<c t="s"><v>2</v></c>`, ""},
		"shared string that is missing":         {`<c t="s"><v>3</v></c>`, "\ufffd"},
		"text in the cell":                      {`<c t="inlineStr"><is><t>Ana</t></is></c>`, "Ana"},
		"result of a formula, not the formula":  {`<c t="str"><f>A1&amp;B1</f><v>Ana</v></c>`, "Ana"},
		"a formula whose result is no text":     {`<c t="str"><f>""</f><v></v></c>`, ""},
		"a formula that was never calculated":   {`<c><f>A1</f><v></v></c>`, "#N/A"},
		"a formula without a text":              {`<c t="str"><f>A1</f></c>`, "#N/A"},
		"a tick":                                {`<c t="b"><v>1</v></c>`, "TRUE"},
		"no tick":                               {`<c t="b"><v>0</v></c>`, "FALSE"},
		"a tick that is neither":                {`<c t="b"><v>2</v></c>`, ""},
		"an error":                              {`<c t="e"><v>#REF!</v></c>`, "#REF!"},
		"a number":                              {`<c><v>191</v></c>`, "191"},
		"scientific notation with every digit":  {`<c><v>5.2998224725E10</v></c>`, "52998224725"},
		"a whole number with a decimal tail":    {`<c><v>7.0</v></c>`, "7"},
		"a fraction with more digits than seen": {`<c><v>99.90000000000001</v></c>`, "99.9"},
		"a whole number but for rounding":       {`<c><v>500.00000000000006</v></c>`, "500"},
		"a number too large to be exact":        {`<c><v>1E+20</v></c>`, "1E+20"},
		"the last exact number":                 {`<c><v>9.007199254740991E15</v></c>`, "9007199254740991"},
		"a number that is none":                 {`<c><v>x</v></c>`, "x"},
		"nothing":                               {`<c/>`, ""},
		"a style that is not there":             {`<c s="99"><v>5</v></c>`, "5"},
		"an escape":                             {`<c t="str"><v>a_x000D_b</v></c>`, "a\rb"},
		"an escaped escape":                     {`<c t="str"><v>_x005F_x0041_</v></c>`, "_x0041_"},
		"two halves of one character":           {`<c t="str"><v>_xD834__xDD1E_</v></c>`, "𝄞"},
		"half a character at the end":           {`<c t="str"><v>a_xD834_</v></c>`, "a\ufffd"},
		"half a character before another":       {`<c t="str"><v>_xD834_a</v></c>`, "\ufffda"},
		"two first halves":                      {`<c t="str"><v>_xD834__xD834__xDD1E_</v></c>`, "\ufffd𝄞"},
		"no escape: not hexadecimal":            {`<c t="str"><v>_x00G1_</v></c>`, "_x00G1_"},
		"no escape: no end":                     {`<c t="str"><v>_x0041-</v></c>`, "_x0041-"},
	} {
		t.Run(name, func(t *testing.T) {
			row := sheet(t, build(t, `<row>`+tt.cell+`</row>`, shared))[0]
			if got := strings.Join(row.Cells, "|"); got != tt.want || row.Dates != nil {
				t.Errorf("got %q, dates %v, want %q", got, row.Dates, tt.want)
			}
		})
	}
}

func TestAValueIsShownInItsFormat(t *testing.T) {
	for _, tt := range []struct{ code, value, want string }{
		{`General`, "500", "500"},
		{`"Fibra "0`, "500", "Fibra 500"},
		{`"Fibra "General`, "500", "Fibra 500"},
		{`0\M`, "500", "500M"},
		{`##\.##`, "7", ".7"},
		{`# ###`, "1234", "1234"},
		{`00000000000`, "45678", "00000045678"},
		{`0.00`, "7", "7"},
		{`000\.000\.000\-00`, "191", "000.000.001-91"},
		{`(00) 00000-0000`, "11987654321", "(11) 98765-4321"},
		{`0"-"0`, "1234", "123-4"},
		{`"R$" #,##0.00`, "45.5", "R$ 45.5"},
		{`"F "#,##0.0" M "0`, "5", "F 5"},
		{`0" de "0" de "0`, "7", "0 de 0 de 7"},
		{`"Plano "0`, "0.5", "Plano 0.5"},
		{`[$R$-416] 0`, "5", "R$ 5"},
		{`[Red]"F "0;[Blue]"N "0`, "5", "F 5"},
		{`\;0`, "5", ";5"},
		{`"a;b "0`, "5", "a;b 5"},
		{`_-* 0_-`, "5", "5"},
		// Formats that need computing are ignored.
		{`"F "0%`, "0.5", "0.5"},
		{`[>100]"F "0`, "500", "500"},
		{`"F "0;"M "0`, "-5", "-5"},
		{`"F "0E+00`, "500", "500"},
		{`"Sim"`, "1", "1"},
		{`# ?/?`, "0.5", "0.5"},
		{`0," Giga"`, "1000", "1000"}, {`#,##0.0,,"k"`, "1000", "1000"},
		{`"` + strings.Repeat("x", 1100) + `"0`, "5", "5"},
		// Texts have a section of their own.
		{`"Fibra "@`, "Ana", "Fibra Ana"}, {`0;0;0;"Plano "@`, "Ana", "Plano Ana"}, {`"Fibra "0`, "Ana", "Ana"}, {`@`, "Ana", "Ana"}, {`"a"@"b"`, "Ana", "aAnab"},
	} {
		attributes := `s="1"`
		if tt.value == "Ana" {
			attributes += ` t="str"`
		}
		if got := strings.Join(shown(t, attributes, tt.value, styled(tt.code, "0")).Cells, "|"); got != tt.want {
			t.Errorf("%s in %s: got %q, want %q", tt.value, tt.code, got, tt.want)
		}
	}
}

func TestAFormatOfDatesMakesADate(t *testing.T) {
	for _, tt := range []struct{ code, value, want string }{ // want is empty for no date
		{"dd/mm/yyyy", "45935", "2025-10-05"},
		{"YYYY-MM-DD", "45935", "2025-10-05"},
		{"mmm/yy", "45935.75", "2025-10-05 18:00:00"},
		{"hh:mm", "0.5", "12:00:00"},
		{"hh:mm", "0", "1899-12-31"},
		{"d/m/yy", "59", "1900-02-28"},
		{"d/m/yy", "61", "1900-03-01"},
		{`[$-F800]dddd\, mmmm dd\, yyyy`, "1", "1900-01-01"},
		{"[$-416]d-mmm;@", "2958465", "9999-12-31"},
		{"ss", "0.999999", "00:00:00"},
		{"dd/mm/yyyy", "52998224725", ""}, {"dd/mm/yyyy", "2958466", ""}, {"dd/mm/yyyy", "-1", ""}, {"dd/mm/yyyy", "NaN", ""}, {"dd/mm/yyyy", "x", ""},
		{"[h]:mm", "5", ""}, {"[mm]:ss", "5", ""}, {"[ss]", "5", ""}, {"General", "5", ""}, {" general ", "5", ""}, {`"dia "0`, "5", ""},
		{`\d0`, "5", ""}, {"_d0", "5", ""}, {"*d0", "5", ""}, {"0;d", "5", ""},
	} {
		row := shown(t, `s="1"`, tt.value, styled(tt.code, "0"))
		got := strings.Join(row.Cells, "|")
		if date := slices.Equal(row.Dates, []int{1}); date != (tt.want != "") || date && got != tt.want || !date && row.Dates != nil {
			t.Errorf("%s in %s: got %q, dates %v, want %q", tt.value, tt.code, got, row.Dates, tt.want)
		}
	}
	since1904 := styled("d/m/yy", "0")
	since1904["xl/workbook.xml"] = `<workbook xmlns:r="` + relationships + `"><workbookPr date1904="true"/><sheets><sheet name="P" r:id="rId1"/></sheets></workbook>`
	if row := shown(t, `s="1"`, "59", since1904); row.Cells[0] != "1904-02-29" {
		t.Errorf("since 1904: %q", row.Cells)
	}
	if row := shown(t, `r="B1" t="d"`, "2025-10-05", nil); len(row.Dates) != 1 || row.Dates[0] != 2 || row.Cells[1] != "2025-10-05" {
		t.Errorf("a cell of the type date: %+v", row)
	}
	for ids, date := range map[string]bool{
		"14 17 22 27 36 45 47 50 58": true, "0 1 9 13 23 26 37 44 46 48 49 59 x": false,
	} {
		for _, id := range strings.Fields(ids) {
			if row := shown(t, `s="2"`, "45935", styled("0", id)); (len(row.Dates) == 1) != date {
				t.Errorf("built-in format %s: dates %v, %q", id, row.Dates, row.Cells)
			}
		}
	}
}

func TestSheetsAreNamedAsTheirTabs(t *testing.T) {
	content := build(t, `<row><c t="str"><v>one</v></c></row>`, parts{
		"xl/workbook.xml": `<workbook xmlns:r="` + relationships + `" xmlns:s="http://purl.oclc.org/ooxml/officeDocument/relationships"><sheets>` +
			`<sheet name="Ol_x00E1_" r:id="rId1"/><sheet name="Chart" r:id="rId2"/><sheet name="B" s:id="rId3" state="hidden"/>` +
			`<sheet name="C" r:id="rId4" state="veryHidden"/><sheet name="D" r:id="rId9"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="/xl/worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Target="chartsheets/sheet2.xml"/><Relationship Id="rId3" Target="worksheets/sheet3.xml"/>` +
			`<Relationship Id="rId4" Target="worksheets/sheet4.xml"/></Relationships>`,
		"xl/worksheets/sheet3.xml": `<worksheet><sheetData><row><c t="str"><v>two</v></c></row></sheetData></worksheet>`,
	})
	book := mustOpen(t, content)
	want := []xlsx.Sheet{{Name: "Olá"}, {Name: "B", Hidden: true}, {Name: "C", Hidden: true}}
	if diff := cmp.Diff(book.Sheets, want, cmpopts.IgnoreUnexported(xlsx.Sheet{})); diff != "" {
		t.Errorf("sheets (- got, + want):\n%s", diff)
	}
	for name, want := range map[string]string{"Olá": "one", "B": "two"} {
		if rows, err := read(book, name); err != nil || len(rows) != 1 || rows[0].Cells[0] != want {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	for name, want := range map[string]string{"C": "xl/worksheets/sheet4.xml is missing", "E": `it has no sheet "E"`} {
		if _, err := read(book, name); detail(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherArchivesAreNamed(t *testing.T) {
	for part, want := range map[string]string{
		"xl/workbook.bin": "a binary Excel workbook (.xlsb)", "content.xml": "an OpenDocument file (.ods)",
		"word/document.xml": "a Word document", "people.csv": "a zip archive",
	} {
		_, err := open(zipped(t, parts{part: "x"}))
		if e, ok := errors.AsType[*xlsx.NotWorkbookError](err); !ok || e.Kind != want || e.Error() != "this is "+want+", not an .xlsx workbook" {
			t.Errorf("%s: %v", part, err)
		}
	}
}

func TestADamagedWorkbookIsAnError(t *testing.T) {
	part := func(name, content string) []byte { return build(t, "", parts{"xl/" + name: content}) }
	whole := build(t, `<row><c t="s"><v>0</v></c></row>`, nil)
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":                     {whole[:len(whole)/2], "not a whole zip file"},
		"no sheet of cells":       {part("workbook.xml", `<workbook/>`), "it has no sheet of cells"},
		"no relations":            {part("_rels/workbook.xml.rels", ""), "xl/_rels/workbook.xml.rels is missing"},
		"broken list of sheets":   {part("workbook.xml", `<workbook><sheets>`), "a part of it is no valid XML"},
		"row without end":         {part("worksheets/sheet1.xml", `<worksheet><sheetData><row><c><v>1</v></c>`), "a part of it is not whole"},
		"endless cell":            {build(t, `<row><c><v>`+strings.Repeat("1", 3<<20), nil), "a cell is longer than a spreadsheet allows"},
		"broken shared strings":   {part("sharedStrings.xml", `<sst><si`), "a part of it is no valid XML"},
		"broken styles":           {part("styles.xml", `<styleSheet><`), "a part of it is no valid XML"},
		"endless parts of a cell": {build(t, `<row><c>`+strings.Repeat("<v>"+strings.Repeat("1", 1000)+"</v>", 2000), nil), "a cell is longer than a spreadsheet allows"},
		"endless row":             {build(t, `<row>`+strings.Repeat(`<c r="A1" t="str"><v>`+strings.Repeat("1", 1000)+"</v></c>", 2000), nil), "a row is longer than a spreadsheet allows"},
		"endless shared string":   {part("sharedStrings.xml", `<sst><si><t>`+strings.Repeat("1", 3<<20)), "a cell is longer than a spreadsheet allows"},
	} {
		t.Run(name, func(t *testing.T) {
			book, err := open(tt.content)
			if err == nil {
				_, err = read(book, "P")
			}
			if got := detail(err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A hundred million pairs would take a minute to compare, and each would be a sheet.
func TestManySheetsOfOneNameAreFoundAtOnce(t *testing.T) {
	book, err := open(build(t, "", parts{
		"xl/workbook.xml":            `<workbook><sheets>` + strings.Repeat("<sheet/>", 10_000) + `</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships>` + strings.Repeat(`<Relationship Target="worksheets/a"/>`, 10_000) + `</Relationships>`,
	}))
	if err != nil || len(book.Sheets) != 10_000 {
		t.Errorf("got %d sheets, %v, want one for each that the workbook names", len(book.Sheets), err)
	}
}
