package api

import (
	"slices"
	"strconv"
)

// AppendJSON appends the body of an import as encoding/json writes it without HTML
// escaping.
func (r ImportRequest) AppendJSON(b []byte) []byte {
	const size = 256 // of most rows
	b = slices.Grow(b, size*len(r.Subscribers))
	return append(appendArray(append(b, `{"subscribers":`...), r.Subscribers, (*ImportRow).appendJSON), '}')
}

func (r *ImportRow) appendJSON(b []byte) []byte {
	b = appendText(b, `{"name":`, r.Name)
	b = appendText(b, `,"email":`, r.Email)
	b = appendText(b, `,"document":`, r.Document)
	b = appendText(b, `,"phone":`, r.Phone)
	switch s := r.InternetSpeedID; {
	case !s.Set:
	case s.Null:
		b = append(b, `,"internet_speed_id":null`...)
	default:
		b = appendInt(b, `,"internet_speed_id":`, int(s.Value))
	}
	b = appendText(b, `,"customer_plan":`, r.CustomerPlan)
	products := func(id *Int, b []byte) []byte { return strconv.AppendInt(b, int64(*id), 10) }
	return append(appendArray(append(b, `,"products_ids":`...), r.ProductsIDs, products), '}')
}

// AppendJSON appends the body of a batch as encoding/json writes it without HTML
// escaping.
func (r BatchRequest) AppendJSON(b []byte) []byte {
	const size = len(`"52998224725",`)
	b = slices.Grow(b, 64+size*len(r.Documents))
	b = appendInt(b, `{"contentSupplierProduct":`, int(r.Product))
	return append(appendArray(append(b, `,"documents":`...), r.Documents, appendElement), '}')
}

// appendElement appends one string of an array.
func appendElement(s *string, b []byte) []byte { return AppendString(b, *s) }
