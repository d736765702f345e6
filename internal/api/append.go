package api

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// The AppendJSON methods of Subscriber and Service write what encoding/json
// writes without HTML escaping, at about a tenth of its cost. The plain list of a
// provider may have millions of subscribers: with encoding/json its request takes
// more than twice the CPU, as does a page of 500. So do imports and batches; other
// requests and responses would gain less than a fifth and use encoding/json.

// AppendJSON appends the subscriber as a JSON object.
func (s *Subscriber) AppendJSON(b []byte) []byte {
	b = appendText(b, `{"name":`, s.Name)
	b = appendText(b, `,"email":`, s.Email)
	b = appendText(b, `,"document":`, s.Document)
	b = appendText(b, `,"phone":`, s.Phone)
	b = appendInt(b, `,"internet_speed_id":`, int(s.InternetSpeedID))
	b = appendText(b, `,"customer_plan":`, s.CustomerPlan)
	b = s.CreatedAt.AppendJSON(append(b, `,"created_at":`...))
	return append(appendArray(append(b, `,"services":`...), s.Services, (*Service).AppendJSON), '}')
}

// AppendJSON appends the service as a JSON object.
func (s *Service) AppendJSON(b []byte) []byte {
	b = s.TokenCreatedAt.AppendJSON(append(b, `{"token_created_at":`...))
	b = appendText(b, `,"content_supplier_product_name":`, s.ProductName)
	b = appendText(b, `,"content_supplier_product_code":`, s.ProductCode)
	b = appendInt(b, `,"content_supplier_product_id":`, int(s.ProductID))
	b = s.StatusUpdatedAt.AppendJSON(append(b, `,"status_updated_at":`...))
	b = appendInt(b, `,"status_id":`, int(s.StatusID))
	return append(appendText(b, `,"status":`, s.Status), '}')
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become the
// replacement character, as in encoding/json.
func AppendString(b []byte, s string) []byte {
	if isPlain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	return appendEncoded(b, s)
}

// appendEncoded appends what encoding/json writes. v is of texts, numbers and times,
// which have no error.
func appendEncoded(b []byte, v any) []byte {
	text, _ := marshalUnescaped(v)
	return append(b, bytes.TrimSuffix(text, []byte("\n"))...)
}

// lineSeparator is the first byte of U+2028 and U+2029, which are escaped.
const lineSeparator = 0xE2

// isPlain reports whether s stands in JSON as it is. It may be wrong where the answer
// is no.
func isPlain(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == lineSeparator:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

// appendInt appends what comes before a number, and the number.
func appendInt(b []byte, before string, n int) []byte {
	return strconv.AppendInt(append(b, before...), int64(n), 10)
}

// appendText appends what comes before a string, and the string.
func appendText(b []byte, before, s string) []byte {
	return AppendString(append(b, before...), s)
}

func appendOrNull[T any](b []byte, before string, v *T, appendValue func([]byte, T) []byte) []byte {
	b = append(b, before...)
	if v == nil {
		return append(b, "null"...)
	}
	return appendValue(b, *v)
}

func appendArray[T any](b []byte, all []T, appendElement func(*T, []byte) []byte) []byte {
	b = append(b, '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendElement(&all[i], b)
	}
	return append(b, ']')
}
