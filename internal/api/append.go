package api

import (
	"strconv"
	"unicode/utf8"
)

// The AppendJSON methods of Subscriber and Service write what encoding/json
// writes without HTML escaping, at about a tenth of its cost. The plain list of a
// provider may have millions of subscribers: with encoding/json its request takes
// more than twice the CPU. So do imports and batches; other requests and responses
// would gain less than a fifth and use encoding/json.

// AppendJSON appends the subscriber as a JSON object.
func (s *Subscriber) AppendJSON(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = AppendString(b, s.Name)
	b = append(b, `,"email":`...)
	b = AppendString(b, s.Email)
	b = append(b, `,"document":`...)
	b = AppendString(b, s.Document)
	b = append(b, `,"phone":`...)
	b = AppendString(b, s.Phone)
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
