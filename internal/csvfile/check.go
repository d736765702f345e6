package csvfile

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"ativa/internal/api"
)

// checker turns records into rows. It keeps what it learnt of repeated cells.
type checker struct {
	file     *File
	places   map[string]Column // by slotName
	columns  map[string]int    // how many each field has
	last     int               // the number of the last column that is read
	nameless []int             // the numbers of columns without a name
	products *products
	ticks    []Column // named like a product
	speeds   *speeds
	statuses map[string]ValueMapping // what the user said of values, by valueKey
	sets     *productSets
	seed     maphash.Seed
	rows     *unmarshaller
	utf8     []byte
}

func newChecker(f *File) (*checker, error) {
	rows, err := newUnmarshaller(f.Columns, f.Dialect.Delimiter)
	if err != nil {
		return nil, err
	}
	k := &checker{
		file: f, places: map[string]Column{}, columns: map[string]int{}, rows: rows, seed: maphash.MakeSeed(),
		products: newProducts(f.catalog.Products), speeds: newSpeeds(f.catalog.Speeds), sets: newProductSets(),
	}
	if err := k.mean(f.options.Values); err != nil {
		return nil, err
	}
	for _, c := range f.Columns {
		if c.product != nil {
			k.ticks = append(k.ticks, c)
			k.last = c.Number
			continue
		}
		k.columns[c.Field]++
		k.places[slotName(c.Field, k.columns[c.Field])] = c
		if c.Field == "" && trim(c.Name) == "" {
			k.nameless = append(k.nameless, c.Number)
		}
		if c.Field != "" && c.Field != FieldIgnore {
			k.last = c.Number
		}
	}
	return k, nil
}

// mean notes what the user said of values.
func (k *checker) mean(all []ValueMapping) error {
	k.statuses = meanings(all, FieldStatus)
	for _, m := range k.statuses {
		if _, ok := parseStatus(m.Meaning); !ok {
			return meaningless(m, fault{})
		}
	}
	if k.file.options.Profile == Documents { // of which no catalogue is asked
		return nil
	}
	return cmp.Or(k.products.mean(meanings(all, api.FieldProductsIDs)), k.speeds.mean(meanings(all, api.FieldInternetSpeedID)))
}

// row checks one record. What is wrong with it stands in the row; an error
// would be ours.
func (k *checker) row(r record) (*Row, error) {
	row := &Row{Line: r.line, raw: r.raw, long: r.long, text: r.text, cells: r.cells, hidden: r.hidden}
	if r.fault != "" {
		row.Problems = []Problem{*shapeProblem(r)}
		return row, nil
	}
	text := r.text
	if k.file.Dialect.Encoding == Windows1252 {
		k.utf8 = Windows1252.toUTF8(k.utf8[:0], text)
		text = k.utf8
	}
	if f, ok := k.shape(r); !ok {
		row.Problems = []Problem{{Line: r.line, Code: f.code, Args: f.args}}
		k.documentOnly(row, text)
		return row, nil
	}
	row.nameless = k.hasNameless(r, text)
	c, err := k.rows.read(text)
	if err != nil {
		return nil, err
	}
	k.document(row, c.Document)
	if k.file.options.Profile != Documents {
		k.subscriber(row, c)
		k.readTicks(row, text)
	}
	k.dates(row, r, text)
	if len(row.Problems) == 0 {
		return row, nil
	}
	slices.SortStableFunc(row.Problems, func(a, b Problem) int { return cmp.Compare(a.Column, b.Column) })
	switch {
	case bytes.Equal(r.text, k.file.header):
		row.Problems = []Problem{{Line: r.line, Code: CodeRepeatedHeader}}
	case row.document == "" && isTotal(split(text, k.file.Dialect.Delimiter), c):
		row.Problems = []Problem{{Line: r.line, Code: CodeTotalRow}}
	}
	return row, nil
}

// hasNameless reports whether a row has a value that no header names. Behind the
// header only a workbook has one: in a text it would be a slip of the quotes.
func (k *checker) hasNameless(r record, text []byte) bool {
	if len(k.nameless) == 0 && r.cells <= len(k.file.Columns) || k.file.options.Profile == Documents {
		return false
	}
	for i, cell := range split(text, k.file.Dialect.Delimiter) {
		if (i >= len(k.file.Columns) || slices.Contains(k.nameless, i+1)) && trim(cell) != "" {
			return true
		}
	}
	return false
}

// isTotal reports whether a row is what a sheet ends with: a first cell that
// says so, and nothing by which a subscriber could be reached.
func isTotal(all []string, c *cells) bool {
	filled := func(cell string) bool { return trim(cell) != "" }
	phones := c.phones()
	first := slices.IndexFunc(all, filled)
	if first < 0 || filled(c.Email) || slices.ContainsFunc(phones[:], filled) {
		return false
	}
	words := foldWords(all[first])
	return len(words) > 0 && (words[0] == "total" || words[0] == "totais" || words[0] == "subtotal")
}

// shape finds what is wrong with a record as a whole.
func (k *checker) shape(r record) (fault, bool) {
	d, columns := k.file.Dialect, len(k.file.Columns)
	var code string
	switch {
	case r.cells < k.last:
		code = CodeTooFewColumns
	case r.cells > columns && !d.Workbook && !blank(r.text[1+cellEnd(r.text, d.Delimiter, columns):], d.Delimiter):
		code = CodeTooManyColumns
	case k.file.guessed && d.Encoding == Windows1252 && !isASCII(r.text) && utf8.Valid(r.text):
		return fault{code: CodeMixedEncoding}, false
	default:
		return fault{}, true
	}
	return fault{code, map[string]string{
		"columns": number(r.cells), "expected": number(columns), "delimiter": delimiterName(d.Delimiter)}}, false
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// documentOnly finds the document of a row that cannot be read as a whole, so
// that other lines with it are held back.
func (k *checker) documentOnly(row *Row, text []byte) {
	column := k.places[api.FieldDocument]
	if cells := split(text, k.file.Dialect.Delimiter); column.Number <= len(cells) {
		value, _ := clean(cells[column.Number-1])
		row.document, _, _ = mendDocument(value)
	}
}
