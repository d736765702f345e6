package api

import "strconv"

// The ReadJSON methods read what our server writes, at about a fifth of the cost of
// encoding/json. They report false for any other document, which may be valid: a
// member that they do not know, a number as a string. Such a document is read with
// encoding/json.

// errUnknown is the error of a document that only encoding/json may be able to read.
const errUnknown Malformed = "not as our server writes it"

// ReadJSON reads the response of an import of which not every element failed.
func (r *ImportResponse) ReadJSON(body []byte) bool {
	return readBatch(body, func(d *JSONReader, key string) (err error) {
		switch key {
		case "response":
			return d.success(&r.Response)
		case "summary":
			s := &r.Summary
			return d.counts(map[string]*int{"total": &s.Total, "created": &s.Created, "existing": &s.Existing, "duplicate": &s.Duplicate, "failed": &s.Failed})
		case "results":
			r.Results, err = readElements(d, r.Summary.Total, (*ImportResult).read)
			return err
		}
		return errUnknown
	})
}

func (r *ImportResult) read(d *JSONReader, key string) (err error) {
	switch key {
	case "index":
		return readInt(d, &r.Index)
	case "document":
		r.Document, err = d.Text()
	case "result":
		r.Result, err = d.Text()
	case "services":
		r.Services, err = readElements(d, 1, (*ImportedService).read)
	case "duplicate_of":
		r.DuplicateOf = new(int)
		return readInt(d, r.DuplicateOf)
	case "differs":
		r.Differs = []string{}
		return d.Array(func(int) error {
			field, err := d.Text()
			r.Differs = append(r.Differs, field)
			return err
		})
	case "errors":
		r.Errors, err = readElements(d, 1, (*FieldError).read)
	default:
		return errUnknown
	}
	return err
}

func (s *ImportedService) read(d *JSONReader, key string) (err error) {
	switch key {
	case "product_id":
		return readInt(d, &s.ProductID)
	case "status":
		s.Status, err = d.Text()
	case "status_id":
		return readInt(d, &s.StatusID)
	case "queue_position":
		return readInt(d, &s.QueuePosition)
	default:
		return errUnknown
	}
	return err
}

func (e *FieldError) read(d *JSONReader, key string) (err error) {
	switch key {
	case "field":
		e.Field, err = d.Text()
	case "code":
		e.Code, err = d.Text()
	case "detail":
		e.Detail, err = d.Text()
	default:
		return errUnknown
	}
	return err
}

// ReadJSON reads the response of a batch of which not every document failed.
func (r *BatchResponse) ReadJSON(body []byte) bool {
	return readBatch(body, func(d *JSONReader, key string) (err error) {
		switch key {
		case "response":
			return d.success(&r.Response)
		case "operation":
			var op string
			op, err = d.Text()
			r.Operation = Operation(op)
		case "content_supplier_product_id":
			return readInt(d, &r.ProductID)
		case "summary":
			s := &r.Summary
			return d.counts(map[string]*int{"total": &s.Total, "accepted": &s.Accepted, "unchanged": &s.Unchanged, "failed": &s.Failed})
		case "results":
			r.Results, err = readElements(d, r.Summary.Total, (*BatchResult).read)
		default:
			return errUnknown
		}
		return err
	})
}

// ReadJSON reads the result of one document.
func (r *BatchResult) ReadJSON(b []byte) bool {
	d, err := NewJSONReader(string(b))
	return err == nil && d.Object(func(key string) error { return r.read(d, key) }) == nil && d.End() == nil
}

func (r *BatchResult) read(d *JSONReader, key string) (err error) {
	switch key {
	case "index":
		return readInt(d, &r.Index)
	case "document":
		r.Document, err = d.Text()
	case "result":
		r.Result, err = d.Text()
	case "status":
		r.Status, err = readNullable(d, d.Text)
	case "status_id":
		r.StatusID, err = readNullable(d, func() (n Int, err error) { return n, readInt(d, &n) })
	case "previous_status":
		r.PreviousStatus, err = readNullable(d, d.Text)
	case "queue_position":
		return readInt(d, &r.QueuePosition)
	case "operation_id":
		r.OperationID, err = d.Text()
	case "code":
		r.Code, err = d.Text()
	case "detail":
		r.Detail, err = d.Text()
	default:
		return errUnknown
	}
	return err
}

// readBatch reads a body with its summary and its results.
func readBatch(body []byte, member func(d *JSONReader, key string) error) bool {
	d, err := NewJSONReader(string(body))
	if err != nil {
		return false
	}
	seen := 0
	err = d.Object(func(key string) error {
		if key == "response" || key == "summary" || key == "results" {
			seen++
		}
		return member(d, key)
	})
	return err == nil && d.End() == nil && seen == 3
}

// success reads the word of a response that is no error.
func (r *JSONReader) success(into *string) (err error) {
	if *into, err = r.Text(); err == nil && *into != ResponseSuccess && *into != ResponsePartial {
		return errUnknown
	}
	return err
}

func (r *JSONReader) counts(into map[string]*int) error {
	return r.Object(func(key string) error {
		n, ok := into[key]
		if !ok {
			return errUnknown
		}
		return readInt(r, n)
	})
}

// readElements reads an array of about so many objects; read reads a member of one.
func readElements[T any](d *JSONReader, about int, read func(element *T, d *JSONReader, key string) error) ([]T, error) {
	all := make([]T, 0, max(0, min(about, MaxImportRows)))
	err := d.Array(func(n int) error {
		var element T
		all = append(all, element)
		return d.Object(func(key string) error { return read(&all[n], d, key) })
	})
	return all, err
}

func readInt[T ~int | ~int64](d *JSONReader, into *T) error {
	text, err := d.Number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return errUnknown
	}
	*into = T(n)
	return nil
}

// readNullable reads null as nil.
func readNullable[T any](d *JSONReader, read func() (T, error)) (*T, error) {
	if d.Peek() == 'n' {
		return nil, d.Literal("null")
	}
	v, err := read()
	return &v, err
}
