package sheet

import (
	"errors"
	"io"
	"slices"
	"strings"

	"ativa/internal/sheet/columns"
)

// TableRow is a row of a table whose columns are not those of subscribers. Its cells are without
// spaces around them, and without empty ones at its end.
type TableRow struct {
	Line  int
	Cells []string
}

// Table reads a table in any form that [Open] reads, without its blank rows. The error is a
// *[Problem] if the table is at fault.
func Table(r io.Reader) (rows []TableRow, err error) {
	in, err := spool(r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	f := &File{in: in}
	if err := f.prepareDialect(Options{}, columns.NewIndex()); err != nil {
		return nil, err
	}
	split := splitter{encoding: f.Dialect.Encoding}
	for r, err := range f.records() {
		if err != nil {
			return nil, err
		}
		if r.fault != "" {
			return nil, shapeProblem(r)
		}
		cells := slices.Clone(split.split(r.text, r.ends))
		for i := range cells {
			if cells[i] = strings.TrimSpace(cells[i]); spreadsheetError(cells[i]) {
				return nil, &Problem{Line: r.line, Column: i + 1, Code: CodeFormulaError}
			}
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			rows = append(rows, TableRow{r.line, cells})
		}
	}
	if len(rows) == 0 {
		return nil, &Problem{Code: CodeEmptyFile}
	}
	return rows, nil
}
