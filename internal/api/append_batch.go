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
	b = appendArray(append(b, `,"services":`...), r.Services, (*ImportedService).appendJSON)
	if len(r.Differs) > 0 {
		b = appendArray(append(b, `,"differs":`...), r.Differs, appendElement)
	}
	if r.DuplicateOf != nil {
		b = appendInt(b, `,"duplicate_of":`, *r.DuplicateOf)
	}
	if len(r.Errors) > 0 {
		b = appendArray(append(b, `,"errors":`...), r.Errors, (*FieldError).appendJSON)
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
