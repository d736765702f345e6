package sheet

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

// value reads the column of a field. If the cell has a fault, the row has the problem, and the value is
// "".
func (k *checker) value(row *Row, cells cells, field string, normalize func(cell string) normalized) string {
	c := k.column(field)
	n := normalize(cells.of(c))
	if row.isDate(c) {
		n = faulty(CodeSpreadsheetDate)
	}
	if n.fault.code == "" || n.fault.code == api.CodeRequired {
		row.repaired(field, n.repairs[:]...)
	}
	if n.fault.code != "" {
		row.fail(c, cells.of(c), n.fault)
	}
	return n.value
}

func (k *checker) subscriber(row *Row, cells cells) {
	row.Name = k.value(row, cells, api.FieldName, normalizeName)
	k.surname(row, cells)
	row.CustomerPlan = k.value(row, cells, api.FieldCustomerPlan, normalizeText)
	row.Email = k.value(row, cells, api.FieldEmail, normalizeEmail)
	k.phone(row, cells)
	k.speed(row, cells)
	k.readProducts(row, cells)
	k.status(row, cells)
	k.readProductColumns(row, cells)
	if row.unserved {
		row.ProductsIDs = nil
	}
}

// phone takes the first valid number of the telephone columns.
func (k *checker) phone(row *Row, cells cells) {
	wrong, bad := k.column(api.FieldPhone), fault{code: api.CodeRequired}
	for i, c := range k.columns[api.FieldPhone] {
		n := normalizePhone(cells.of(c), k.area(cells, i))
		switch {
		case n.fault.code == api.CodeRequired:
			row.repaired(api.FieldPhone, n.repairs[:]...)
		case n.fault.code == "":
			if bad.code != api.CodeRequired {
				n.repairs[1] = RepairSeveralPhones
			}
			row.Phone = n.value
			row.repaired(api.FieldPhone, n.repairs[:]...)
			return
		case bad.code == api.CodeRequired:
			wrong, bad = c, n.fault
		}
	}
	row.fail(wrong, cells.of(wrong), bad)
}

// isDate reports whether value is a date as programs write it: it has as many digits as a
// telephone number.
func isDate(value string) bool {
	_, err := time.Parse(time.DateOnly, value)
	return err == nil
}

func (k *checker) speed(row *Row, cells cells) {
	c := k.column(api.FieldInternetSpeedID)
	row.InternetSpeedID = api.Some(api.Int(api.DefaultInternetSpeed))
	value, repair := clean(cells.of(c))
	row.repaired(api.FieldInternetSpeedID, repair)
	if value == "" {
		return
	}
	s := k.speeds.read(value, c.reading)
	if s.fault.code != "" {
		row.fail(c, cells.of(c), s.fault)
		return
	}
	row.InternetSpeedID.Value = s.ids[0]
}

func (k *checker) readProducts(row *Row, cells cells) {
	for _, c := range k.columns[api.FieldProductsIDs] {
		value, repair := clean(cells.of(c))
		row.repaired(api.FieldProductsIDs, repair)
		if value == "" {
			continue
		}
		p := k.products.read(value)
		if p.fault.code != "" {
			row.fail(c, cells.of(c), p.fault)
		}
		row.repaired(api.FieldProductsIDs, p.repair, "")
		k.addProducts(row, p.ids)
	}
}

func (k *checker) addProducts(row *Row, ids []api.Int) {
	row.ProductsIDs = k.sets.lists[k.sets.union(k.sets.intern(row.ProductsIDs), k.sets.intern(ids))]
}

func (r *Row) fail(c Column, cell string, f fault) {
	if value, _ := clean(cell); spreadsheetError(value) {
		f = fault{code: CodeFormulaError}
	}
	if r.isDate(c) {
		f = fault{code: CodeSpreadsheetDate}
	}
	r.Problems = append(r.Problems, Problem{
		Line: r.Line, Column: c.Number, Name: c.Name, Field: c.Field, Code: f.code, Value: trim(cell), Args: f.args})
}

// isDate reports whether a workbook shows the row's cell in a column as a date: no field is one, so the
// spreadsheet converted the typed text.
func (r *Row) isDate(c Column) bool { return slices.Contains(r.source.dates, c.Number) }

func (r *Row) repaired(field string, codes ...string) {
	for _, code := range codes {
		if code != "" {
			r.Repairs = append(r.Repairs, Repair{field, code})
		}
	}
}

// surname appends the surname to the name, unless the name ends with it already.
func (k *checker) surname(row *Row, cells cells) {
	if row.Name == "" || len(k.columns[columns.FieldSurname]) == 0 {
		return
	}
	rest := k.value(row, cells, columns.FieldSurname, normalizeText)
	if rest == "" || slices.Equal(lastWords(row.Name, len(strings.Fields(rest))), names.FoldEachWord(rest)) {
		return
	}
	if row.Name += " " + rest; utf8.RuneCountInString(row.Name) > maxText {
		row.fail(k.column(api.FieldName), row.Name, tooLong(maxText))
		row.Name = ""
	}
}

// lastWords returns the last n words of a name, folded.
func lastWords(name string, n int) []string {
	words := names.FoldEachWord(name)
	return words[max(0, len(words)-n):]
}

// area returns the area code from a separate column for the i-th telephone number, or "". A single
// such column applies to all numbers; several apply to one number each.
func (k *checker) area(cells cells, i int) string {
	columns := k.columns[columns.FieldAreaCode]
	switch n := len(columns); {
	case n == 0 || n > 1 && n != len(k.columns[api.FieldPhone]):
		return ""
	case n == 1:
		i = 0
	}
	area, _ := clean(cells.of(columns[i]))
	area = strings.Trim(area, "() ")
	if digits, ok := decimalTail(area); ok {
		area = digits
	}
	if area = strings.TrimPrefix(area, "0"); len(area) != 2 || !digitsOnly(area) {
		return ""
	}
	return area
}
