package sheet

import (
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/sheet/columns"
)

// headRecords is the number of records searched for a header that does not come first.
const headRecords = 10

// headRecord is a record of the head of a file with its cells.
type headRecord struct {
	record
	cells cells
}

// isSingleQuoted reports whether all names are in single quotes, as a spreadsheet can be told to
// write texts. They would belong to the values.
func (r headRecord) isSingleQuoted() bool {
	return !slices.ContainsFunc(r.cells, func(name string) bool {
		return name != "" && (len(name) < 2 || name[0] != '\'' || name[len(name)-1] != '\'')
	})
}

// findHeader returns the header record: the first, or one below titles that has a column for every
// needed field. header is nil for a file without one: a list of documents, or a file mapped by
// numbers.
func findHeader(head []headRecord, o Options, d byte, aliases columns.Index) (l *layout, header *headRecord, err error) {
	first := &head[0]
	l, err = newLayout(first.cells, o, aliases)
	if err != nil || l.known == 0 { // a cell of data may be named like a mapped column
		if bare := withoutHeader(first.cells, o, aliases); bare != nil {
			return bare, nil, nil
		}
	}
	known := 0
	if err == nil {
		known = l.known
	}
	if err != nil || !l.complete() || o.Profile == Invoice { // a title may say Documento, too
		if below, r := belowTitles(head, known, o, aliases); below != nil {
			return below, r, nil
		}
	}
	if err == nil && l.known == 0 && !l.complete() {
		err = &Problem{Line: first.line, Code: CodeNoHeader, Field: l.missing()[0], Args: map[string]string{
			"delimiter": delimiterName(d), "found": foundNames(first.cells)}}
	}
	return l, first, err
}

// belowTitles returns the record with the most known names that has a column for every needed
// field, more known names than the very first record, and no documents above it.
func belowTitles(head []headRecord, known int, o Options, aliases columns.Index) (best *layout, header *headRecord) {
	for i := range head {
		l, err := newLayout(head[i].cells, o, aliases)
		if err != nil || !l.complete() || l.known <= known {
			continue
		}
		document := l.columnsOf(api.FieldDocument)[0]
		if !slices.ContainsFunc(head[:i], func(above headRecord) bool { return isDocument(above.cells.of(document)) }) {
			best, header, known = l, &head[i], l.known
		}
	}
	if best != nil {
		best.notices = append(best.notices, Problem{Code: NoticeHeaderLine, Args: map[string]string{"line": number(header.line)}})
	}
	return best, header
}

// foundNames lists the cells of the first line for a message, unless they look like data, which
// may be personal.
func foundNames(cells []string) string {
	l := &layout{}
	for i, c := range cells {
		if strings.ContainsAny(c, "0123456789@") || len(c) > 40 {
			return "data"
		}
		l.columns = append(l.columns, Column{Number: i + 1, Name: c})
	}
	return l.quoted(l.columns)
}

// complete reports whether every needed field has a column.
func (l *layout) complete() bool { return len(l.missing()) == 0 }

// withoutHeader returns the layout of a file whose first record is data: its document column is
// mapped, or the only one that looks like documents. It returns nil for any other file.
func withoutHeader(cells []string, o Options, aliases columns.Index) *layout {
	bare, err := newLayout(make([]string, len(cells)), o, aliases)
	if err != nil {
		return nil
	}
	if o.Profile.onlyDocuments() && len(bare.mapped) == 0 {
		at := -1
		for i, cell := range cells {
			if looksNumeric(cell) && (len(cells) == 1 || isDocument(cell)) {
				if at >= 0 {
					return nil
				}
				at = i
			}
		}
		if at < 0 {
			return nil
		}
		bare.columns[at].Field = api.FieldDocument
	}
	if !bare.complete() || !looksNumeric(cells[bare.columnsOf(api.FieldDocument)[0].Number-1]) {
		return nil
	}
	return bare
}

// looksNumeric reports whether s is digits and punctuation, like a document and unlike a
// column name.
func looksNumeric(s string) bool {
	letter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	return len(cpf.OnlyDigits(s)) >= 3 && !strings.ContainsFunc(s, letter)
}

func isDocument(s string) bool { return normalizeDocument(s).fault.code == "" }

func delimiterName(d byte) string {
	if d == '\t' {
		return "tab"
	}
	return string(rune(d))
}
