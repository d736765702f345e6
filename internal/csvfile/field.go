package csvfile

import (
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

func (k *checker) document(row *Row, cell string) {
	value, repair := clean(cell)
	d, mended, bad := mendDocument(value)
	if code := textFault(value); code == CodeFormulaError || code == CodeControlCharacter {
		bad = code
	}
	if bad != "" {
		args := map[string]string{"digits": number(len(cpf.OnlyDigits(value)))}
		k.fail(row, api.FieldDocument, cell, fault{bad, args})
		return
	}
	row.document, row.Document = d, string(d)
	row.repaired(api.FieldDocument, repair, mended)
}

func (k *checker) subscriber(row *Row, c *cells) {
	row.Name = k.text(row, api.FieldName, c.Name, maxName)
	k.surname(row, c.Surname)
	row.CustomerPlan = k.text(row, api.FieldCustomerPlan, c.Plan, maxPlan)
	k.email(row, c.Email)
	k.phone(row, c.phones(), c.areas())
	k.speed(row, c.Speed)
	k.readProducts(row, c.products())
	k.status(row, c.statuses())
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
func (k *checker) phone(row *Row, cells, areas [MaxColumns]string) {
	wrong, bad := 0, api.CodeRequired
	for i, cell := range cells {
		value, repair := clean(cell)
		if value == "" {
			continue
		}
		phone, mended, code := mendPhone(value)
		joined := ""
		if code == cpf.CodeMissingAreaCode {
			if area := k.area(areas, i); area != "" {
				phone, mended, code = mendPhone(area + value)
				joined = RepairAreaCode
			}
		}
		if code == "" {
			if bad != api.CodeRequired {
				mended = RepairSeveralPhones
			}
			row.Phone = phone
			row.repaired(api.FieldPhone, repair, mended, joined)
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
		k.addProducts(row, p.ids)
	}
}

// addProducts gives a row further products.
func (k *checker) addProducts(row *Row, ids []api.Int) {
	row.ProductsIDs = k.sets.lists[k.sets.union(k.sets.intern(row.ProductsIDs), k.sets.intern(ids))]
}

// fail notes a problem of a cell.
func (k *checker) fail(row *Row, slot, cell string, f fault) {
	c := k.places[slot]
	if c.Field == "" {
		c.Field = slot
	}
	row.fail(c, cell, f)
}

func (r *Row) fail(c Column, cell string, f fault) {
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
