package sheet

import (
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
)

// maxDays is the maximum number of days in a line of an invoice: ten years.
const maxDays = 3660

// invoiceLine reads a billed line of a supplier: a document, its products and, if the file has them,
// the days.
func (k *checker) invoiceLine(row *Row, cells cells) {
	k.readProducts(row, cells)
	k.readProductColumns(row, cells)
	k.days(row, cells)
	if len(row.ProductsIDs) == 0 && len(k.productColumns) == 0 && !cells.anyFilled(k.columns[api.FieldProductsIDs]) {
		row.fail(k.column(api.FieldProductsIDs), "", fault{code: api.CodeRequired})
	}
}

// days reads the days of a line, such as 30, 30,0 or 30 dias.
func (k *checker) days(row *Row, cells cells) {
	c := k.column(columns.FieldDays)
	value, _ := clean(cells.of(c))
	text := trim(strings.TrimRight(strings.ToLower(value), "diasy ."))
	if digits, ok := decimalTail(text); ok {
		text = digits
	}
	switch days, err := strconv.Atoi(text); {
	case value == "":
	case err != nil || days < 0 || days > maxDays:
		row.fail(c, cells.of(c), fault{CodeInvalidDays, map[string]string{"max": number(maxDays)}})
	default:
		row.Days = api.Some(days)
	}
}

// isTotalOrRemark reports whether a row of an invoice is a total, a subtotal, or a remark without
// document and product.
func (k *checker) isTotalOrRemark(row cells) bool {
	document, _ := clean(row.of(k.column(api.FieldDocument)))
	if looksNumeric(document) {
		return false
	}
	return k.isTotal(row) || !row.anyFilled(k.columns[api.FieldProductsIDs]) && !row.anyFilled(k.productColumns)
}
