package sheet

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

func (k *checker) document(row *Row, cells cells) {
	c := k.column(api.FieldDocument)
	cell := cells.of(c)
	value, repair := clean(cell)
	d, how, bad := normalizeDocument(value)
	if code := textFault(value); code == CodeFormulaError || code == CodeControlCharacter {
		bad = code
	}
	if bad != "" {
		whole, _, _ := normalizeNumber(value) // a decimal tail has none of its digits
		args := map[string]string{"digits": number(len(cpf.OnlyDigits(whole)))}
		row.fail(c, cell, fault{bad, args})
		return
	}
	row.document, row.Document = d, string(d)
	row.repaired(api.FieldDocument, repair, how)
}

func (k *checker) subscriber(row *Row, cells cells) {
	row.Name = k.text(row, cells, api.FieldName, maxName)
	k.surname(row, cells)
	row.CustomerPlan = k.text(row, cells, api.FieldCustomerPlan, maxPlan)
	k.email(row, cells)
	k.phone(row, cells)
	k.speed(row, cells)
	k.readProducts(row, cells)
	k.status(row, cells)
	k.readProductColumns(row, cells)
	if row.unserved {
		row.ProductsIDs = nil
	}
}

// text reads the column of a free-text field of at most most characters.
func (k *checker) text(row *Row, cells cells, field string, most int) string {
	c := k.column(field)
	value, repair, f := normalizeText(cells.of(c), field, most)
	if f.code != "" {
		row.fail(c, cells.of(c), f)
		return ""
	}
	row.repaired(field, repair)
	return value
}

func (k *checker) email(row *Row, cells cells) {
	c := k.column(api.FieldEmail)
	email, repairs, f := normalizeEmail(cells.of(c))
	if f.code != "" {
		row.fail(c, cells.of(c), f)
		return
	}
	row.Email = email
	row.repaired(api.FieldEmail, repairs[:]...)
}

// phone takes the first valid number of the telephone columns.
func (k *checker) phone(row *Row, cells cells) {
	wrong, bad := k.column(api.FieldPhone), api.CodeRequired
	for i, c := range k.columns[api.FieldPhone] {
		value, repair := clean(cells.of(c))
		if value == "" {
			row.repaired(api.FieldPhone, repair)
			continue
		}
		phone, how, code := normalizePhone(value)
		joined := ""
		if code == cpf.CodeMissingAreaCode && !isDate(value) {
			if area := k.area(cells, i); area != "" {
				phone, how, code = normalizePhone(area + value)
				joined = RepairAreaCode
			}
		}
		if code == "" {
			if bad != api.CodeRequired {
				how = RepairSeveralPhones
			}
			row.Phone = phone
			row.repaired(api.FieldPhone, repair, how, joined)
			return
		}
		if bad == api.CodeRequired {
			wrong, bad = c, code
		}
	}
	row.fail(wrong, cells.of(wrong), fault{code: bad})
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
	r.Problems = append(r.Problems, Problem{
		Line: r.Line, Column: c.Number, Name: c.Name, Field: c.Field, Code: f.code, Value: trim(cell), Args: f.args})
}

func (r *Row) repaired(field string, codes ...string) {
	for _, code := range codes {
		if code != "" {
			r.Repairs = append(r.Repairs, Repair{field, code})
		}
	}
}

// refuse refuses cells with untrustworthy text: dates, because no field of a subscriber is a date, so
// a spreadsheet converted the typed text; and cells of type error. Telephone columns are
// exempt if another one holds a valid number.
func (k *checker) refuse(row *Row, numbers []int, code string, cells cells) {
	for _, c := range k.readColumns(numbers) {
		switch c.Field {
		case api.FieldName:
			row.Name = ""
		case api.FieldCustomerPlan:
			row.CustomerPlan = ""
		case api.FieldDocument:
			row.document, row.Document = "", ""
		case columns.FieldDays:
			row.Days = api.Optional[int]{}
		case api.FieldPhone:
			if row.Phone != "" {
				continue
			}
		}
		row.Problems = slices.DeleteFunc(row.Problems, func(p Problem) bool { return p.Column == c.Number })
		row.fail(c, cells.of(c), fault{code: code})
	}
}

// readColumns returns the columns with the numbers that are read.
func (k *checker) readColumns(numbers []int) (read []Column) {
	for _, n := range numbers {
		if n <= len(k.file.Columns) && k.file.Columns[n-1].isRead() {
			read = append(read, k.file.Columns[n-1])
		}
	}
	return read
}

// surname appends the surname to the name, unless the name ends with it already.
func (k *checker) surname(row *Row, cells cells) {
	if row.Name == "" || len(k.columns[columns.FieldSurname]) == 0 {
		return
	}
	rest := k.text(row, cells, columns.FieldSurname, maxName)
	if rest == "" || slices.Equal(lastWords(row.Name, len(strings.Fields(rest))), names.FoldEachWord(rest)) {
		return
	}
	if row.Name += " " + rest; utf8.RuneCountInString(row.Name) > maxName {
		row.fail(k.column(api.FieldName), row.Name, fault{CodeTooLong, map[string]string{"max": number(maxName)}})
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
