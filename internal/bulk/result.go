package bulk

import (
	"ativa/internal/api"
	"ativa/internal/csvfile"
)

// Result is what became of one row.
type Result struct {
	// Word is a result word of the API; empty when Err is set.
	Kind string `json:"result,omitempty"`
	// Services are those of the products of the row, as far as the server says.
	Services []Service `json:"services,omitempty"`
	// Differs names the fields of an existing subscriber that are not as in the row.
	Differs []string `json:"differs,omitempty"`
	// Updated tells that these fields were then changed to those of the row.
	Updated bool `json:"updated,omitempty"`
	// Code, Field and Detail say why it failed. Detail may come from another
	// server and is not kept in the journal.
	Code   string `json:"code,omitempty"`
	Field  string `json:"field,omitempty"`
	Detail string `json:"-"`
	// Err is set when no answer came: whether it was done is not known then.
	Err error `json:"-"`
}

// Service is a service that the row asked for.
type Service struct {
	ProductID api.Int `json:"product_id"`
	Status    string  `json:"status,omitempty"`
	StatusID  api.Int `json:"status_id,omitempty"`
	// Previous is the status before, where an operation tells it.
	Previous string `json:"previous_status,omitempty"`
	// QueuePosition counts from 1. It is not kept in the journal: it changes.
	QueuePosition int `json:"-"`
}

// RowResult is what became of one row of the file.
type RowResult struct {
	Row *csvfile.Row
	Result
	// Replayed tells that an earlier run had done it: the journal says so.
	Replayed bool
}

// failed is the result of a row that was refused.
func failed(code, field, detail string) Result {
	return Result{Kind: api.ResultFailed, Code: code, Field: field, Detail: detail}
}

// allErrors gives every row the same error: none has an answer.
func allErrors(n int, err error) []Result {
	results := make([]Result, n)
	for i := range results {
		results[i].Err = err
	}
	return results
}

// reason is why a row failed.
func (r Result) reason() string {
	if r.Detail == "" {
		return r.Code
	}
	return r.Code + ": " + r.Detail
}
