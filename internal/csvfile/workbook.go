package csvfile

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/csvfile/xlsx"
)

// prepareWorkbook chooses the sheet. Sheets are read as `;` CSV in UTF-8, so
// that all behind it need not know.
func (f *File) prepareWorkbook(o Options) (err error) {
	if f.book, err = xlsx.Open(f.in.file, f.in.size); err != nil {
		return workbookProblem(err)
	}
	f.Dialect = Dialect{Workbook: true, Encoding: UTF8, BOM: true, Delimiter: ';'}
	sheet, notice, err := chooseSheet(f.book.Sheets, o.Sheet)
	if notice != nil {
		f.openingNotices = append(f.openingNotices, *notice)
	}
	f.Dialect.Sheet = sheet
	return err
}

// workbookProblem makes a *Problem of an error of the workbook.
func workbookProblem(err error) error {
	if e, ok := errors.AsType[*xlsx.NotWorkbookError](err); ok {
		return &Problem{Code: CodeNotATable, Args: map[string]string{"kind": e.Kind}}
	}
	if e, ok := errors.AsType[*xlsx.DamagedError](err); ok {
		return &Problem{Code: CodeDamagedWorkbook, Args: map[string]string{"detail": e.Detail}}
	}
	return err
}

// chooseSheet finds the sheet to read, by default the first that is not hidden,
// with a notice when there are others.
func chooseSheet(sheets []xlsx.Sheet, name string) (string, *Problem, error) {
	names := make([]string, len(sheets))
	for i, s := range sheets {
		names[i] = s.Name
	}
	first := max(0, slices.IndexFunc(sheets, func(s xlsx.Sheet) bool { return !s.Hidden }))
	args := map[string]string{"sheet": cmp.Or(name, names[first]), "found": strings.Join(names, ", ")}
	switch {
	case name != "" && !slices.Contains(names, name):
		return "", nil, &Problem{Code: CodeNoSuchSheet, Args: args}
	case name == "" && len(names) > 1:
		return args["sheet"], &Problem{Code: NoticeSheets, Args: args}, nil
	}
	return args["sheet"], nil, nil
}

// namingOtherSheets names the other sheets when the first one, which nobody chose,
// has no such table.
func (f *File) namingOtherSheets(err error) error {
	p, ok := errors.AsType[*Problem](err)
	if !ok || f.book == nil || f.options.Sheet != "" || len(f.book.Sheets) == 1 {
		return err
	}
	var others []string
	for _, s := range f.book.Sheets {
		if s.Name != f.Dialect.Sheet {
			others = append(others, strconv.Quote(s.Name))
		}
	}
	args := map[string]string{"sheet": strconv.Quote(f.Dialect.Sheet), "other": others[0], "others": strings.Join(others, ", "),
		"fields": strings.Join(f.options.Profile.required(), ", ")}
	switch p.Code {
	case CodeNoRows:
		return &Problem{Code: CodeSheetWithoutRows, Args: args}
	case CodeMissingColumn:
		args["fields"] = p.Args["fields"]
	case CodeNoHeader, CodeEmptyFile:
	default:
		return err
	}
	return &Problem{Code: CodeSheetWithoutTable, Args: args}
}

// sheetSource writes the rows of a sheet as CSV records, numbered as the
// spreadsheet numbers them.
type sheetSource struct {
	rows    *xlsx.Rows
	delim   byte
	columns int // rows are filled up to the header's length
	text    []byte
	ends    []int
}

func (f *File) sheet() (source, error) {
	rows, err := f.book.Rows(f.Dialect.Sheet)
	if err != nil {
		return nil, workbookProblem(err)
	}
	return &sheetSource{rows: rows, delim: f.Dialect.Delimiter, columns: len(f.Columns)}, nil
}

func (s *sheetSource) close() error { return s.rows.Close() }

// next implements source.
func (s *sheetSource) next() (record, error) {
	row, err := s.rows.Next()
	if errors.Is(err, io.EOF) {
		return record{}, io.EOF
	}
	if err != nil {
		return record{}, workbookProblem(err)
	}
	s.text, s.ends = s.text[:0], s.ends[:0]
	for i := range max(1, len(row.Cells), s.columns) {
		if i > 0 {
			s.text = append(s.text, s.delim)
		}
		if i < len(row.Cells) {
			s.text = appendCell(s.text, row.Cells[i], s.delim)
		}
		s.ends = append(s.ends, len(s.text))
	}
	if len(s.text) > maxRecord {
		return record{line: row.Number, fault: CodeRecordTooLong}, nil
	}
	n := len(s.text)
	s.text = append(s.text, "\r\n"...)
	return record{line: row.Number, raw: s.text, text: s.text[:n], ends: s.ends, dates: row.Dates, merged: row.Merged, hidden: row.Hidden}, nil
}

// appendCell writes one cell, in quotes where it needs them.
func appendCell(dst []byte, cell string, delim byte) []byte {
	if strings.ContainsAny(cell, "\"\r\n"+string(rune(delim))) {
		cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return append(dst, cell...)
}
