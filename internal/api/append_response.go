package api

import (
	"slices"
	"strconv"
)

// The AppendJSON methods of the responses to imports and batches write what
// encoding/json writes without HTML escaping. Their results are as many as the
// request has elements, and are written in the transaction of the request.

// AppendJSON appends the response as a JSON object.
func (r *ImportResponse) AppendJSON(b []byte) []byte {
	const size = 144 // of most results
	b = slices.Grow(b, 128+size*len(r.Results))
	s := &r.Summary
	b = appendText(b, `{"response":`, r.Response)
	b = appendInt(b, `,"summary":{"total":`, s.Total)
	b = appendInt(b, `,"created":`, s.Created)
	b = appendInt(b, `,"existing":`, s.Existing)
	b = appendInt(b, `,"duplicate":`, s.Duplicate)
	b = appendInt(b, `,"failed":`, s.Failed)
	b = append(b, `},"results":`...)
	return append(appendArray(b, r.Results, (*ImportResult).appendJSON), '}')
}

func (r *ImportResult) appendJSON(b []byte) []byte {
	b = appendInt(b, `{"index":`, r.Index)
	b = appendText(b, `,"document":`, r.Document)
	b = appendText(b, `,"result":`, r.Result)
	b = append(b, `,"services":`...)
	b = appendArray(b, r.Services, (*ImportedService).appendJSON)
	if len(r.Differs) > 0 {
		b = append(b, `,"differs":`...)
		b = appendArray(b, r.Differs, func(s *string, b []byte) []byte { return AppendString(b, *s) })
	}
	if r.DuplicateOf != nil {
		b = appendInt(b, `,"duplicate_of":`, *r.DuplicateOf)
	}
	if len(r.Errors) > 0 {
		b = append(b, `,"errors":`...)
		b = appendArray(b, r.Errors, (*FieldError).appendJSON)
	}
	return append(b, '}')
}

func (s *ImportedService) appendJSON(b []byte) []byte {
	b = appendInt(b, `{"product_id":`, int(s.ProductID))
	b = appendText(b, `,"status":`, s.Status)
	b = appendInt(b, `,"status_id":`, int(s.StatusID))
	if s.QueuePosition != 0 {
		b = appendInt(b, `,"queue_position":`, s.QueuePosition)
	}
	return append(b, '}')
}

func (e *FieldError) appendJSON(b []byte) []byte {
	b = append(b, '{')
	if e.Pointer != "" {
		b = append(appendText(b, `"pointer":`, e.Pointer), ',')
	}
	b = appendText(b, `"field":`, e.Field)
	b = appendText(b, `,"code":`, e.Code)
	return append(appendText(b, `,"detail":`, e.Detail), '}')
}

// AppendJSON appends the response as a JSON object.
func (r *BatchResponse) AppendJSON(b []byte) []byte {
	const size = 192 // of most results
	b = slices.Grow(b, 192+size*len(r.Results))
	s := &r.Summary
	b = appendText(b, `{"response":`, r.Response)
	b = appendText(b, `,"operation":`, string(r.Operation))
	b = appendInt(b, `,"content_supplier_product_id":`, int(r.ProductID))
	b = appendInt(b, `,"summary":{"total":`, s.Total)
	b = appendInt(b, `,"accepted":`, s.Accepted)
	b = appendInt(b, `,"unchanged":`, s.Unchanged)
	b = appendInt(b, `,"failed":`, s.Failed)
	b = append(b, `},"results":`...)
	return append(appendArray(b, r.Results, (*BatchResult).AppendJSON), '}')
}

// AppendJSON appends the result of one document as encoding/json writes it without
// HTML escaping. A run of many documents keeps their results on disk so.
func (r *BatchResult) AppendJSON(b []byte) []byte {
	b = appendInt(b, `{"index":`, r.Index)
	b = appendText(b, `,"document":`, r.Document)
	b = appendText(b, `,"result":`, r.Result)
	b = appendOrNull(b, `,"status":`, r.Status, AppendString)
	b = appendOrNull(b, `,"status_id":`, r.StatusID, func(b []byte, n Int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	b = appendOrNull(b, `,"previous_status":`, r.PreviousStatus, AppendString)
	if r.QueuePosition != 0 {
		b = appendInt(b, `,"queue_position":`, r.QueuePosition)
	}
	if r.OperationID != "" {
		b = appendText(b, `,"operation_id":`, r.OperationID)
	}
	if r.Code != "" {
		b = appendText(b, `,"code":`, r.Code)
	}
	if r.Detail != "" {
		b = appendText(b, `,"detail":`, r.Detail)
	}
	return append(b, '}')
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
