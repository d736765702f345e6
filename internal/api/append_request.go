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
	b = append(b, `{"subscribers":[`...)
	for i := range r.Subscribers {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Subscribers[i].appendJSON(b)
	}
	return append(b, ']', '}')
}

func (r *ImportRow) appendJSON(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = AppendString(b, r.Name)
	b = append(b, `,"email":`...)
	b = AppendString(b, r.Email)
	b = append(b, `,"document":`...)
	b = AppendString(b, r.Document)
	b = append(b, `,"phone":`...)
	b = AppendString(b, r.Phone)
	if s := r.InternetSpeedID; s.Set {
		b = append(b, `,"internet_speed_id":`...)
		if s.Null {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendInt(b, int64(s.Value), 10)
		}
	}
	b = append(b, `,"customer_plan":`...)
	b = AppendString(b, r.CustomerPlan)
	b = append(b, `,"products_ids":[`...)
	for i, id := range r.ProductsIDs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']', '}')
}

// AppendJSON appends the body of a batch as encoding/json writes it without HTML
// escaping.
func (r BatchRequest) AppendJSON(b []byte) []byte {
	const size = len(`"52998224725",`)
	b = slices.Grow(b, 64+size*len(r.Documents))
	b = append(b, `{"contentSupplierProduct":`...)
	b = strconv.AppendInt(b, int64(r.Product), 10)
	b = append(b, `,"documents":[`...)
	for i, d := range r.Documents {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, d)
	}
	return append(b, ']', '}')
}
