package api

import "strconv"

// AppendJSON appends the response of an import as a JSON object.
func (a *ImportResponse) AppendJSON(b []byte) []byte {
	b = append(b, `{"response":`...)
	b = AppendString(b, a.Response)
	s := a.Summary
	b = appendNumber(b, `,"summary":{"total":`, s.Total)
	b = appendNumber(b, `,"created":`, s.Created)
	b = appendNumber(b, `,"existing":`, s.Existing)
	b = appendNumber(b, `,"duplicate":`, s.Duplicate)
	b = appendNumber(b, `,"failed":`, s.Failed)
	b = appendList(b, `},"results":[`, a.Results, (*ImportResult).AppendJSON)
	return append(b, '}')
}

// AppendJSON appends the result as a JSON object.
func (r *ImportResult) AppendJSON(b []byte) []byte {
	b = appendNumber(b, `{"index":`, r.Index)
	b = append(b, `,"document":`...)
	b = AppendString(b, r.Document)
	b = append(b, `,"result":`...)
	b = AppendString(b, r.Result)
	b = appendList(b, `,"services":[`, r.Services, (*ImportedService).AppendJSON)
	if len(r.Differs) > 0 {
		b = appendList(b, `,"differs":[`, r.Differs, func(s *string, b []byte) []byte { return AppendString(b, *s) })
	}
	if r.DuplicateOf != nil {
		b = appendNumber(b, `,"duplicate_of":`, *r.DuplicateOf)
	}
	if len(r.Errors) > 0 {
		b = appendList(b, `,"errors":[`, r.Errors, (*FieldError).AppendJSON)
	}
	return append(b, '}')
}

// AppendJSON appends the service as a JSON object.
func (s *ImportedService) AppendJSON(b []byte) []byte {
	b = appendNumber(b, `{"product_id":`, int(s.ProductID))
	b = append(b, `,"status":`...)
	b = AppendString(b, s.Status)
	b = appendNumber(b, `,"status_id":`, int(s.StatusID))
	if s.QueuePosition != 0 {
		b = appendNumber(b, `,"queue_position":`, s.QueuePosition)
	}
	return append(b, '}')
}

// AppendJSON appends the error as a JSON object.
func (e *FieldError) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	if e.Pointer != "" {
		b = append(b, `"pointer":`...)
		b = append(AppendString(b, e.Pointer), ',')
	}
	b = append(b, `"field":`...)
	b = AppendString(b, e.Field)
	b = append(b, `,"code":`...)
	b = AppendString(b, e.Code)
	b = append(b, `,"detail":`...)
	b = AppendString(b, e.Detail)
	return append(b, '}')
}

// AppendJSON appends the response of a batch as a JSON object.
func (a *BatchResponse) AppendJSON(b []byte) []byte {
	b = append(b, `{"response":`...)
	b = AppendString(b, a.Response)
	b = append(b, `,"operation":`...)
	b = AppendString(b, string(a.Operation))
	b = appendNumber(b, `,"content_supplier_product_id":`, int(a.ProductID))
	s := a.Summary
	b = appendNumber(b, `,"summary":{"total":`, s.Total)
	b = appendNumber(b, `,"accepted":`, s.Accepted)
	b = appendNumber(b, `,"unchanged":`, s.Unchanged)
	b = appendNumber(b, `,"failed":`, s.Failed)
	b = appendList(b, `},"results":[`, a.Results, (*BatchResult).AppendJSON)
	return append(b, '}')
}

// AppendJSON appends the result as a JSON object.
func (r *BatchResult) AppendJSON(b []byte) []byte {
	b = appendNumber(b, `{"index":`, r.Index)
	b = append(b, `,"document":`...)
	b = AppendString(b, r.Document)
	b = append(b, `,"result":`...)
	b = AppendString(b, r.Result)
	b = appendNullableString(append(b, `,"status":`...), r.Status)
	if r.StatusID == nil {
		b = append(b, `,"status_id":null`...)
	} else {
		b = appendNumber(b, `,"status_id":`, int(*r.StatusID))
	}
	b = appendNullableString(append(b, `,"previous_status":`...), r.PreviousStatus)
	if r.QueuePosition != 0 {
		b = appendNumber(b, `,"queue_position":`, r.QueuePosition)
	}
	if r.Code != "" {
		b = AppendString(append(b, `,"code":`...), r.Code)
	}
	if r.Detail != "" {
		b = AppendString(append(b, `,"detail":`...), r.Detail)
	}
	return append(b, '}')
}

func appendNumber(b []byte, before string, n int) []byte {
	return strconv.AppendInt(append(b, before...), int64(n), 10)
}

// appendNullableString appends a string, or null when there is none.
func appendNullableString(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendString(b, *s)
}

// appendList appends the elements and the bracket that closes what before opens.
func appendList[T any](b []byte, before string, all []T, one func(*T, []byte) []byte) []byte {
	b = append(b, before...)
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(&all[i], b)
	}
	return append(b, ']')
}
