package api

import (
	"strconv"
	"unicode/utf8"
)

// The AppendJSON methods write what encoding/json writes without HTML escaping,
// at a fifth to a half of its cost. Lists and imports have millions of elements.

// AppendJSON appends the subscriber as a JSON object.
func (s *Subscriber) AppendJSON(b []byte) []byte {
	b = appendFields(b, s.Name, s.Email, s.Document, s.Phone)
	b = append(b, `,"internet_speed_id":`...)
	b = strconv.AppendInt(b, int64(s.InternetSpeedID), 10)
	b = append(b, `,"customer_plan":`...)
	b = AppendString(b, s.CustomerPlan)
	b = append(b, `,"created_at":`...)
	b = s.CreatedAt.AppendJSON(b)
	b = append(b, `,"services":[`...)
	for i := range s.Services {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.Services[i].AppendJSON(b)
	}
	return append(b, ']', '}')
}

// AppendJSON appends the service as a JSON object.
func (s *Service) AppendJSON(b []byte) []byte {
	b = append(b, `{"token_created_at":`...)
	b = s.TokenCreatedAt.AppendJSON(b)
	b = append(b, `,"content_supplier_product_name":`...)
	b = AppendString(b, s.ProductName)
	b = append(b, `,"content_supplier_product_code":`...)
	b = AppendString(b, s.ProductCode)
	b = append(b, `,"content_supplier_product_id":`...)
	b = strconv.AppendInt(b, int64(s.ProductID), 10)
	b = append(b, `,"status_updated_at":`...)
	b = s.StatusUpdatedAt.AppendJSON(b)
	b = append(b, `,"status_id":`...)
	b = strconv.AppendInt(b, int64(s.StatusID), 10)
	b = append(b, `,"status":`...)
	b = AppendString(b, s.Status)
	return append(b, '}')
}

// AppendJSON appends the row as a JSON object.
func (r *ImportRow) AppendJSON(b []byte) []byte {
	b = appendFields(b, r.Name, r.Email, r.Document, r.Phone)
	if speed := r.InternetSpeedID; speed.Set {
		b = append(b, `,"internet_speed_id":`...)
		if speed.Null {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendInt(b, int64(speed.Value), 10)
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

// AppendJSON appends the whole body of an import.
func (r *ImportRequest) AppendJSON(b []byte) []byte {
	b = append(b, `{"subscribers":[`...)
	for i := range r.Subscribers {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Subscribers[i].AppendJSON(b)
	}
	return append(b, ']', '}')
}

func appendFields(b []byte, name, email, document, phone string) []byte {
	b = append(b, `{"name":`...)
	b = AppendString(b, name)
	b = append(b, `,"email":`...)
	b = AppendString(b, email)
	b = append(b, `,"document":`...)
	b = AppendString(b, document)
	b = append(b, `,"phone":`...)
	return AppendString(b, phone)
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become the
// replacement character, as in encoding/json.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			b = appendEscaped(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[start:i]...)
			b = append(b, `\u`...)
			b = appendHex(b, byte(r>>8))
			b = appendHex(b, byte(r))
			start = i + size
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	default:
		return appendHex(append(b, `\u00`...), c)
	}
}

func appendHex(b []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	return append(b, digits[c>>4], digits[c&15])
}
