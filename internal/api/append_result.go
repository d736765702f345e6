package api

import "strconv"

// AppendJSON appends the result of one document as encoding/json writes it without
// HTML escaping. A run of many documents keeps their results on disk so.
func (r BatchResult) AppendJSON(b []byte) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, int64(r.Index), 10)
	b = append(b, `,"document":`...)
	b = AppendString(b, r.Document)
	b = append(b, `,"result":`...)
	b = AppendString(b, r.Result)
	b = append(b, `,"status":`...)
	b = appendNullable(b, r.Status)
	b = append(b, `,"status_id":`...)
	if r.StatusID == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(*r.StatusID), 10)
	}
	b = append(b, `,"previous_status":`...)
	b = appendNullable(b, r.PreviousStatus)
	if r.QueuePosition != 0 {
		b = append(b, `,"queue_position":`...)
		b = strconv.AppendInt(b, int64(r.QueuePosition), 10)
	}
	b = appendFilled(b, `,"operation_id":`, r.OperationID)
	b = appendFilled(b, `,"code":`, r.Code)
	b = appendFilled(b, `,"detail":`, r.Detail)
	return append(b, '}')
}

func appendNullable(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendString(b, *s)
}

// appendFilled appends a member unless its value is empty.
func appendFilled(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return AppendString(append(b, name...), s)
}
