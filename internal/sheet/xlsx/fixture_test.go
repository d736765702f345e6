package xlsx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"ativa/internal/sheet/xlsx"
	"ativa/internal/system/systemtest"
)

// parts are the XML files of a workbook by name; a test may replace the default ones of a workbook
// with one sheet.
type parts map[string]string

const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// build zips a workbook with one sheet P of the rows.
func build(t testing.TB, rows string, others parts) []byte {
	t.Helper()
	all := parts{
		"xl/workbook.xml":            `<workbook xmlns:r="` + relationships + `"><sheets><sheet name="P" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}
	maps.Copy(all, others)
	return zipped(t, all)
}

func zipped(t testing.TB, all parts) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		content := all[name]
		if content == "" {
			continue
		}
		w, err := z.Create(name)
		must(t, err)
		_, err = io.WriteString(w, content)
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func open(content []byte) (*xlsx.Workbook, error) {
	return xlsx.Open(bytes.NewReader(content), int64(len(content)))
}

func mustOpen(t *testing.T, content []byte) *xlsx.Workbook {
	t.Helper()
	book, err := open(content)
	must(t, err)
	return book
}

// read returns all rows of a sheet, their cells copied.
func read(book *xlsx.Workbook, sheet string) (all []xlsx.Row, err error) {
	for row, err := range book.Rows(sheet) {
		if err != nil {
			return all, err
		}
		row.Cells = append([]string(nil), row.Cells...)
		all = append(all, row)
	}
	return all, nil
}

// sheet reads the rows of the sheet P of a workbook.
func sheet(t *testing.T, content []byte) []xlsx.Row {
	t.Helper()
	rows, err := read(mustOpen(t, content), "P")
	must(t, err)
	return rows
}

// detail returns the detail of a *xlsx.DamagedError, or another error whole.
func detail(err error) string {
	if e, ok := errors.AsType[*xlsx.DamagedError](err); ok {
		return strings.TrimPrefix(e.Error(), "damaged workbook: ")
	}
	return fmt.Sprint("not damaged: ", err)
}

// shown returns the row of a cell with the attributes and the value.
func shown(t *testing.T, attributes, value string, others parts) xlsx.Row {
	t.Helper()
	return sheet(t, build(t, `<row><c `+attributes+`><v>`+value+`</v></c></row>`, others))[0]
}

// styled returns the styles part with one cell format of a code, number 1, and one of a built-in
// format, number 2.
func styled(code, builtIn string) parts {
	escape := strings.NewReplacer(`&`, "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace
	return parts{"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="` + escape(code) + `"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/><xf numFmtId="14"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/><xf numFmtId="` + builtIn + `"/></cellXfs><cellStyles><xf numFmtId="14"/></cellStyles></styleSheet>`}
}

var must = systemtest.Must
