package csvfile

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// checker turns records into rows. It keeps what it learnt of repeated cells.
type checker struct {
	file     *File
	places   map[string]Column // by slotName
	last     int               // the number of the last column that is read
	products *products
	speeds   *speeds
	sets     *productSets
	seed     maphash.Seed
	rows     *unmarshaller
	utf8     []byte
}

func newChecker(f *File, c Catalog) (*checker, error) {
	rows, err := newUnmarshaller(f.Columns, f.Dialect.Delimiter)
	if err != nil {
		return nil, err
	}
	k := &checker{
		file: f, places: map[string]Column{}, rows: rows, seed: maphash.MakeSeed(),
		products: newProducts(c.Products), speeds: newSpeeds(c.Speeds), sets: newProductSets(),
	}
	seen := map[string]int{}
	for _, c := range f.Columns {
		seen[c.Field]++
		k.places[slotName(c.Field, seen[c.Field])] = c
		if c.Field != "" && c.Field != FieldIgnore {
			k.last = c.Number
		}
	}
	return k, nil
}

// row checks one record. What is wrong with it stands in the row; an error
// would be ours.
func (k *checker) row(r record) (*Row, error) {
	row := &Row{Line: r.line, raw: r.raw, text: r.text, cells: r.cells}
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
	c, err := k.rows.read(text)
	if err != nil {
		return nil, err
	}
	k.document(row, c.Document)
	if k.file.profile != Documents {
		k.subscriber(row, &c)
	}
	slices.SortStableFunc(row.Problems, func(a, b Problem) int { return cmp.Compare(a.Column, b.Column) })
	if len(row.Problems) > 0 && bytes.Equal(r.text, k.file.header) {
		row.Problems = []Problem{{Line: r.line, Code: CodeRepeatedHeader}}
	}
	return row, nil
}

// shape finds what is wrong with a record as a whole.
func (k *checker) shape(r record) (fault, bool) {
	d := k.file.Dialect
	args := map[string]string{
		"columns": number(r.cells), "expected": number(len(k.file.Columns)), "delimiter": delimiterName(d.Delimiter)}
	switch {
	case r.cells < k.last:
		return fault{CodeTooFewColumns, args}, false
	case r.cells > len(k.file.Columns) && !blank(r.text[1+cellEnd(r.text, d.Delimiter, len(k.file.Columns)):], d.Delimiter):
		return fault{CodeTooManyColumns, args}, false
	case k.file.guessed && d.Encoding == Windows1252 && !isASCII(r.text) && utf8.Valid(r.text):
		return fault{code: CodeMixedEncoding}, false
	}
	return fault{}, true
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

func (k *checker) document(row *Row, cell string) {
	value, repair := clean(cell)
	d, mended, bad := mendDocument(value)
	if code := textFault(value); code == CodeFormulaError || code == CodeControlCharacter {
		bad = code
	}
	if bad != "" {
		args := map[string]string{"digits": number(len(cpf.Digits(value)))}
		k.fail(row, api.FieldDocument, cell, fault{bad, args})
		return
	}
	row.document, row.Document = d, string(d)
	row.repaired(api.FieldDocument, repair, mended)
}

func (k *checker) subscriber(row *Row, c *cells) {
	row.Name = k.text(row, api.FieldName, c.Name, maxName)
	row.CustomerPlan = k.text(row, api.FieldCustomerPlan, c.Plan, maxPlan)
	k.email(row, c.Email)
	k.phone(row, c.phones())
	k.speed(row, c.Speed)
	k.readProducts(row, c.products())
	if value := trim(c.Status); value != "" {
		status, ok := parseStatus(value)
		if !ok {
			k.fail(row, FieldStatus, c.Status, fault{code: CodeUnknownStatus})
		}
		row.Status = status
	}
}

func (k *checker) text(row *Row, field, cell string, most int) string {
	value, repair := clean(cell)
	if strings.Contains(value, "\u00a0") {
		value = strings.ReplaceAll(value, "\u00a0", " ")
	}
	f := fault{code: textFault(value)}
	switch {
	case value == "" && field == api.FieldName:
		f.code = api.CodeRequired
	case f.code == "" && len(value) > most && utf8.RuneCountInString(value) > most:
		f = fault{CodeTooLong, map[string]string{"max": number(most)}}
	}
	if f.code != "" {
		k.fail(row, field, cell, f)
		return ""
	}
	row.repaired(field, repair, "")
	return value
}

func (k *checker) email(row *Row, cell string) {
	value, repair := clean(cell)
	email, mended, f := mendEmail(value)
	if code := textFault(value); code != "" {
		f.code = code
	}
	if f.code != "" {
		k.fail(row, api.FieldEmail, cell, f)
		return
	}
	row.Email = email
	row.repaired(api.FieldEmail, repair, mended)
}

// phone takes the first valid number of the telephone columns.
func (k *checker) phone(row *Row, cells [MaxColumns]string) {
	wrong, bad := 0, api.CodeRequired
	for i, cell := range cells {
		value, repair := clean(cell)
		if value == "" {
			continue
		}
		phone, mended, code := mendPhone(value)
		if code == "" {
			if bad != api.CodeRequired {
				mended = RepairSeveralPhones
			}
			row.Phone = phone
			row.repaired(api.FieldPhone, repair, mended)
			return
		}
		if spreadsheetError(value) {
			code = CodeFormulaError
		}
		if bad == api.CodeRequired {
			wrong, bad = i, code
		}
	}
	k.fail(row, slotName(api.FieldPhone, wrong+1), cells[wrong], fault{code: bad})
}

func (k *checker) speed(row *Row, cell string) {
	row.InternetSpeedID = api.Some(api.Int(api.DefaultInternetSpeed))
	value, _ := clean(cell)
	if value == "" {
		return
	}
	s := k.speeds.read(value, k.places[api.FieldInternetSpeedID].reading)
	if s.fault.code != "" {
		k.fail(row, api.FieldInternetSpeedID, cell, s.fault)
		return
	}
	row.InternetSpeedID.Value = s.id
}

func (k *checker) readProducts(row *Row, cells [MaxColumns]string) {
	for i, cell := range cells {
		value, _ := clean(cell)
		if value == "" {
			continue
		}
		p := k.products.read(value)
		if p.fault.code != "" {
			k.fail(row, slotName(api.FieldProductsIDs, i+1), cell, p.fault)
		}
		row.repaired(api.FieldProductsIDs, p.repair, "")
		if row.ProductsIDs == nil {
			row.ProductsIDs = k.sets.lists[k.sets.intern(p.ids)]
			continue
		}
		row.ProductsIDs = k.sets.lists[k.sets.union(k.sets.intern(row.ProductsIDs), k.sets.intern(p.ids))]
	}
}

// fail notes a problem of a cell.
func (k *checker) fail(row *Row, slot, cell string, f fault) {
	c := k.places[slot]
	field := c.Field
	if field == "" {
		field = slot
	}
	row.Problems = append(row.Problems, Problem{
		Line: row.Line, Column: c.Number, Name: c.Name, Field: field, Code: f.code, Value: trim(cell), Args: f.args})
}

func (r *Row) repaired(field string, codes ...string) {
	for _, code := range codes {
		if code != "" {
			r.Repairs = append(r.Repairs, Repair{field, code})
		}
	}
}
