package sheet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
	"ativa/internal/tempfile"
)

// checker turns records into rows. It caches the meanings of repeated cells.
type checker struct {
	file           *File
	columns        map[string][]Column // by field
	last           int                 // the number of the last column to read
	nameless       []Column
	products       *products
	productColumns []Column // columns named like a product
	speeds         *speeds
	statuses       mappedValues
	sets           *productSets
	seed           maphash.Seed
	splitter       splitter
}

func newChecker(f *File, products *products, speeds *speeds) (*checker, error) {
	k := &checker{
		file: f, columns: map[string][]Column{}, splitter: splitter{encoding: f.Dialect.Encoding}, seed: maphash.MakeSeed(),
		products: products, speeds: speeds, sets: &productSets{lists: make([]api.List[api.Int], 1), known: map[string]uint32{"": 0}},
	}
	if err := k.mapValues(f.options); err != nil {
		return nil, err
	}
	for _, c := range f.Columns {
		switch {
		case c.product != nil:
			k.productColumns = append(k.productColumns, c)
			k.last = c.Number
		case c.isRead():
			k.columns[c.Field] = append(k.columns[c.Field], c)
			k.last = c.Number
		case c.Field == "" && trim(c.Name) == "":
			k.nameless = append(k.nameless, c)
		}
	}
	return k, nil
}

// column returns the first column of a field, or a Column that matches no cell if there is none.
func (k *checker) column(field string) Column {
	if columns := k.columns[field]; len(columns) > 0 {
		return columns[0]
	}
	return Column{Field: field}
}

func (k *checker) mapValues(o Options) error {
	k.statuses = o.mappedValues(columns.FieldStatus)
	for _, m := range k.statuses.sorted() {
		if _, ok := parseMeaning(m.Meaning); !ok {
			return &Problem{Code: CodeNoStatus, Field: m.Field, Args: map[string]string{"mapping": m.String(), "meaning": m.Meaning}}
		}
	}
	if o.Profile.onlyDocuments() { // they need no catalog
		return nil
	}
	products, speeds := o.mappedValues(api.FieldProductsIDs), o.mappedValues(api.FieldInternetSpeedID)
	err := cmp.Or(products.resolve(k.products.mapped), speeds.resolve(k.speeds.mapped))
	k.products.values, k.speeds.values = products, speeds
	return err
}

// rows checks the records of the file one by one.
func (k *checker) rows(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for r, err := range k.file.records() {
			if err = cmp.Or(ctx.Err(), err); err != nil {
				yield(nil, err)
				return
			}
			if !k.saysNothing(r) && !yield(k.row(r.clone()), nil) {
				return
			}
		}
	}
}

// saysNothing reports whether a record has nothing but boxes without a tick: Google Sheets has them down to
// its last row.
func (k *checker) saysNothing(r record) bool {
	if r.fault != "" || len(k.productColumns) == 0 {
		return false
	}
	row := slices.Clone(k.splitter.split(r.text, r.ends))
	for _, c := range k.productColumns {
		if yes, known := parseYesNo(row.of(c)); known && !yes && c.Number <= len(row) {
			row[c.Number-1] = ""
		}
	}
	return !slices.ContainsFunc(row, filled)
}

// row checks one record and records its problems in the row.
func (k *checker) row(r record) *Row {
	row := &Row{Line: r.line, source: r}
	if r.fault != "" {
		row.Problems = []Problem{*shapeProblem(r)}
		return row
	}
	cells := k.splitter.split(r.text, r.ends)
	if k.file.options.Profile == Invoice && k.isTotalOrRemark(cells) {
		row.Problems = []Problem{{Line: r.line, Code: CodeTotalRow}}
		return row
	}
	if f, ok := k.shape(r); ok {
		k.fields(row, r, cells)
	} else {
		row.Problems = []Problem{{Line: r.line, Code: f.code, Args: f.args}}
		row.Document = normalizeDocument(cells.of(k.column(api.FieldDocument))).value // other lines with this document are held back
	}
	if len(row.Problems) == 0 || row.Document != "" {
		return row
	}
	switch code := k.headerCode(cells); {
	case code != "":
		row.Problems = []Problem{{Line: r.line, Code: code}}
	case k.isTotal(cells):
		row.Problems = []Problem{{Line: r.line, Code: CodeTotalRow}}
	}
	return row
}

// fields checks the cells of a record.
func (k *checker) fields(row *Row, r record, cells cells) {
	row.nameless = k.hasNameless(cells)
	row.Document = k.value(row, cells, api.FieldDocument, normalizeDocument)
	switch profile := k.file.options.Profile; {
	case profile == ActiveDocuments:
		k.status(row, cells)
	case profile == Invoice:
		k.invoiceLine(row, cells)
	case profile != Documents:
		k.subscriber(row, cells)
	}
	for _, n := range r.merged {
		if n <= len(k.file.Columns) && k.file.Columns[n-1].isRead() {
			row.repaired(k.file.Columns[n-1].Field, RepairMergedCells)
		}
	}
	slices.SortStableFunc(row.Problems, func(a, b Problem) int { return cmp.Compare(a.Column, b.Column) })
}

// headerCode returns [CodeRepeatedHeader] for a row that repeats the header, [CodeAnotherHeader] for
// the header of another file, or "". The header of another file has a byte order mark before it, or
// its names in other columns.
func (k *checker) headerCode(row cells) string {
	if k.file.header == nil {
		return ""
	}
	if at := slices.IndexFunc(k.file.Columns, func(c Column) bool { return c.Name == columns.ErrorColumn }); at >= 0 { // it holds names of columns
		row = row[:min(at, len(row))]
	}
	differs := func(c Column) bool { return c.isRead() && names.Fold(row.of(c)) != names.Fold(c.Name) }
	lacks := func(field string) bool {
		column := k.column(field)
		return !slices.ContainsFunc(row, func(cell string) bool {
			a, folded := k.file.layout.aliases.Find(cell), names.Fold(cell)
			return a != nil && a.Field == field || folded != "" && folded == names.Fold(column.Name)
		})
	}
	switch {
	case slices.ContainsFunc(k.file.options.Profile.required(), lacks):
		return ""
	case slices.ContainsFunc(k.file.Columns, differs) || strings.HasPrefix(row.of(k.file.Columns[0]), "\ufeff"):
		return CodeAnotherHeader
	}
	return CodeRepeatedHeader
}

// hasNameless reports whether a row has a value in a column without a name. Past the header only
// workbooks have such values: a text with too many columns is refused.
func (k *checker) hasNameless(row cells) bool {
	if k.file.options.Profile.onlyDocuments() {
		return false
	}
	return row.anyFilled(k.nameless) || slices.ContainsFunc(row[min(len(row), len(k.file.Columns)):], filled)
}

// isTotal reports whether a row is a total at the end of a sheet: its first cell says so, and it
// has no e-mail and no telephone number.
func (k *checker) isTotal(row cells) bool {
	first := slices.IndexFunc(row, filled)
	if first < 0 || row.anyFilled(k.columns[api.FieldEmail]) || row.anyFilled(k.columns[api.FieldPhone]) {
		return false
	}
	words := names.FoldEachWord(row[first])
	return len(words) > 0 && (words[0] == "total" || words[0] == "totais" || words[0] == "subtotal")
}

// shape returns the fault of a record as a whole, and whether it is sound.
func (k *checker) shape(r record) (fault, bool) {
	d, columns := k.file.Dialect, len(k.file.Columns)
	var code string
	switch {
	case len(r.ends) < k.last:
		code = CodeTooFewColumns
	case len(r.ends) > columns && !d.Workbook && !blank(r.text[1+r.ends[columns-1]:], d.Delimiter):
		code = CodeTooManyColumns
	case k.file.guessed && d.Encoding == Windows1252 && utf8.Valid(r.text) && utf8.RuneCount(r.text) < len(r.text):
		return fault{code: CodeMixedEncoding}, false
	case k.file.guessed && d.Encoding == Windows1252 && isMacOrDOS(r.text):
		return fault{code: CodeOldEncoding}, false
	default:
		return fault{}, true
	}
	return fault{code, map[string]string{
		"columns": number(len(r.ends)), "expected": number(columns), "delimiter": delimiterName(d.Delimiter)}}, false
}

// Check reads and checks the whole file against the catalog, once. Its error is a *Problem if the
// file is unusable, for example because columns are swapped; otherwise the summary and each row have
// the problems.
func (f *File) Check(ctx context.Context, c Catalog) (*Summary, error) {
	products := newProducts(c.Products, f.options.Profile)
	notices, err := f.layout.resolve(products)
	if err != nil {
		return nil, err
	}
	f.Notices = slices.Concat(f.Notices, notices, f.hiddenNotices())
	if f.checker, err = newChecker(f, products, newSpeeds(c.Speeds)); err != nil {
		return nil, err
	}
	emails := &tempfile.Sorter{Of: "the addresses of the file"}
	t, err := f.checkRows(ctx, emails)
	f.Notices = append(f.Notices, f.checker.savedNotices()...)
	if err == nil {
		t.SharedEmails, err = countShared(emails)
	}
	if err = errors.Join(err, emails.Close()); err != nil {
		return nil, err
	}
	return t.summary(), nil
}

// documents names the entries and outcomes in errors of the disk.
const documents = "the documents of the file"

// checkRows counts every row and finds the rows that share a document.
func (f *File) checkRows(ctx context.Context, emails *tempfile.Sorter) (*tally, error) {
	k, t := f.checker, &tally{problems: map[Count]int{}, repairs: map[Count]int{}, values: map[string]*Value{}}
	swaps := newSwappedColumns(f.Columns)
	for row, err := range k.rows(ctx) {
		if err != nil {
			return nil, err
		}
		t.row(row)
		if len(row.Problems) > 0 {
			if code := row.Problems[0].Code; code == CodeAnotherHeader || code == CodeOldEncoding {
				return nil, &row.Problems[0]
			}
			swaps.add(k.splitter.split(row.source.text, row.source.ends))
		}
		if f.options.Profile == Invoice {
			continue
		}
		if row.Line > maxLine {
			return nil, fmt.Errorf("the file has more than %d lines", uint32(maxLine))
		}
		if row.Email != "" {
			if err := emails.Add(tempfile.Record{maphash.String(k.seed, strings.ToLower(row.Email)), cpf.Document(row.Document).Number()}); err != nil {
				return nil, err
			}
		}
		set := k.sets.intern(row.ProductsIDs)
		if err := f.entries.Add(tempfile.Record(newEntry(cpf.Document(row.Document), len(row.Problems) > 0, set, row.Line, row.fingerprint(k.seed)))); err != nil {
			return nil, err
		}
	}
	if t.Rows == 0 {
		return nil, &Problem{Code: CodeNoRows}
	}
	if p := swaps.problem(t.Rows); p != nil {
		return nil, p
	}
	return t, f.decideDuplicates(t)
}

// countShared counts the addresses that occur with more than one document.
func countShared(emails *tempfile.Sorter) (shared int, err error) {
	var last tempfile.Record
	counted := false // the address of last
	for r, err := range emails.All() {
		if err != nil {
			return 0, err
		}
		if r[0] != last[0] {
			counted = false
		} else if r[1] != last[1] && !counted {
			counted = true
			shared++
		}
		last = r
	}
	return shared, nil
}

// Rows yields every row in order of line, including those with problems and those merged into
// others. It can be called any number of times after [File.Check]. The end of ctx ends it. After an
// error of the file it yields what the check knows of the remaining rows: line, document, and whether
// they were OK.
func (f *File) Rows(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		next, stop := iter.Pull2(f.outcomes.All())
		defer stop()
		decided, failed, _ := next()
		for row, err := range f.knownRows(ctx) {
			if err == nil && outcome(decided).line() == row.Line {
				f.checker.apply(row, outcome(decided))
				decided, failed, _ = next()
			}
			if failed != nil {
				yield(nil, failed)
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
