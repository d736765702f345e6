package sheet

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"ativa/internal/sheet/names"
	"ativa/internal/sheet/xlsx"
)

// prepareWorkbook chooses the sheet. Sheets are read as `;` CSV in UTF-8, so that later steps need
// no special case.
func (f *File) prepareWorkbook(o Options) (err error) {
	if f.book, err = xlsx.Open(f.in, f.in.opened.Size()); err != nil {
		return f.workbookProblem(err)
	}
	f.Dialect = Dialect{Workbook: true, Encoding: UTF8, BOM: true, Delimiter: ';'}
	sheet, notice, err := chooseSheet(f.book.Sheets, o.Sheet)
	if notice != nil {
		f.Notices = append(f.Notices, *notice)
	}
	f.Dialect.Sheet = sheet
	return err
}

// workbookProblem turns an error of the workbook into a *Problem. If the file was changed while it
// was read, it returns that error.
func (f *File) workbookProblem(err error) error {
	if changed := f.in.unchanged(); changed != nil {
		return changed
	}
	if e, ok := errors.AsType[*xlsx.NotWorkbookError](err); ok {
		return &Problem{Code: CodeNotATable, Args: map[string]string{"kind": e.Kind}}
	}
	if e, ok := errors.AsType[*xlsx.DamagedError](err); ok {
		return &Problem{Code: CodeDamagedWorkbook, Args: map[string]string{"detail": e.Detail}}
	}
	return err
}

// chooseSheet returns the sheet to read, by default the first that is not hidden, with a notice if
// there are others. A name that no sheet has is compared without case, accents and spaces.
func chooseSheet(sheets []xlsx.Sheet, name string) (string, *Problem, error) {
	all, quoted := make([]string, len(sheets)), make([]string, len(sheets))
	for i, s := range sheets {
		all[i], quoted[i] = s.Name, quoteName(s.Name)
	}
	if !slices.Contains(all, name) {
		folded := func(s string) bool { return names.Fold(s) == names.Fold(name) && names.Fold(name) != "" }
		if at := slices.IndexFunc(all, folded); at >= 0 && !slices.ContainsFunc(all[at+1:], folded) {
			name = all[at]
		}
	}
	first := max(0, slices.IndexFunc(sheets, func(s xlsx.Sheet) bool { return !s.Hidden }))
	args := map[string]string{"sheet": cmp.Or(name, all[first]), "found": strings.Join(all, ", ")}
	switch {
	case name != "" && !slices.Contains(all, name):
		args = map[string]string{"sheet": quoteName(name), "found": strings.Join(quoted, ", ")}
		return "", nil, &Problem{Code: CodeNoSuchSheet, Args: args}
	case name == "" && len(all) > 1:
		return args["sheet"], &Problem{Code: NoticeSheets, Args: args}, nil
	}
	return args["sheet"], nil, nil
}

// namingOtherSheets adds the names of the other sheets to the error if the first one, used by
// default, has no such table.
func (f *File) namingOtherSheets(err error) error {
	p, ok := errors.AsType[*Problem](err)
	if !ok || f.book == nil || f.options.Sheet != "" || len(f.book.Sheets) == 1 {
		return err
	}
	var others []string
	for _, s := range f.book.Sheets {
		if s.Name != f.Dialect.Sheet {
			others = append(others, quoteName(s.Name))
		}
	}
	args := map[string]string{"sheet": quoteName(f.Dialect.Sheet), "other": others[0], "others": strings.Join(others, ", "),
		"fields": strings.Join(f.options.Profile.required(), ", ")}
	switch p.Code {
	case CodeNoRows:
		return &Problem{Code: CodeSheetWithoutRows, Args: args}
	case CodeMissingColumn:
		args["fields"] = p.Args["fields"]
	case CodeNoHeaderRow, CodeEmptyFile:
	default:
		return err
	}
	return &Problem{Code: CodeSheetWithoutTable, Args: args}
}

// sheetRecords yields the rows of the sheet as CSV records, with the spreadsheet's numbers and
// padded to the header's length.
func (f *File) sheetRecords(yield func(record, error) bool) {
	var r record
	for row, err := range f.book.Rows(f.Dialect.Sheet) {
		if err != nil {
			yield(record{}, f.workbookProblem(err))
			return
		}
		f.hiddenColumns = row.HiddenColumns
		if r = f.sheetRecord(row, r.raw[:0], r.ends[:0]); !yield(r, nil) {
			return
		}
	}
}

// hiddenNotices names the columns that are read although the workbook hides them.
func (f *File) hiddenNotices() (notices []Problem) {
	for _, c := range f.Columns {
		hidden := slices.ContainsFunc(f.hiddenColumns, func(h [2]int) bool { return h[0] <= c.Number && c.Number <= h[1] })
		if hidden && c.isRead() {
			notices = append(notices, Problem{Code: NoticeHiddenColumn, Field: c.Field, Args: map[string]string{"column": c.quoted()}})
		}
	}
	return notices
}

// sheetRecord converts a row to a record. It may overwrite the buffers.
func (f *File) sheetRecord(row xlsx.Row, text []byte, ends []int) record {
	for i := range max(1, len(row.Cells), len(f.Columns)) {
		if i > 0 {
			text = append(text, f.Dialect.Delimiter)
		}
		if i < len(row.Cells) {
			text = appendCell(text, row.Cells[i], f.Dialect.Delimiter)
		}
		ends = append(ends, len(text))
	}
	if len(text) > maxRecord {
		return record{line: row.Number, fault: CodeRecordTooLong}
	}
	n := len(text)
	text = append(text, "\r\n"...)
	return record{line: row.Number, raw: text, text: text[:n], ends: ends, dates: row.Dates, merged: row.Merged, hidden: row.Hidden}
}

// appendCell appends one cell, quoted if necessary.
func appendCell(dst []byte, cell string, delim byte) []byte {
	if strings.ContainsAny(cell, "\"\r\n"+string(rune(delim))) {
		cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return append(dst, cell...)
}
