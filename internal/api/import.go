package api

import "slices"

// ImportRow is one element of an import: a subscriber and the products to
// activate for it.
type ImportRow struct {
	SubscriberCreate
	ProductsIDs List[Int] `json:"products_ids"` // may be empty to register the subscriber only
}

// ImportRequest is the body of POST /subscribers/import and of its dry run.
type ImportRequest struct {
	Subscribers List[ImportRow] `json:"subscribers"`
}

// ImportResponse is the response of an import. Response is ResponseSuccess if no
// element failed and ResponsePartial if some did. If all did, the body is an
// [ImportProblem].
type ImportResponse struct {
	Response string `json:"response"`
	ImportOutcome
}

// ImportProblem is the response of an import in which all elements failed. It also decodes as an
// ImportResponse.
type ImportProblem struct {
	Problem
	ImportOutcome
}

// ImportOutcome contains the results of the elements, in order of the request.
type ImportOutcome struct {
	Summary ImportSummary      `json:"summary"`
	Results List[ImportResult] `json:"results"`
}

// HasResults reports whether every element has a result, as from our server. The response of
// another server may have members with the same names.
func (o *ImportOutcome) HasResults() bool {
	return !slices.ContainsFunc(o.Results, func(r ImportResult) bool { return r.Result == "" })
}

// ImportSummary counts elements by result.
type ImportSummary struct {
	Total     int `json:"total"`
	Created   int `json:"created"`
	Existing  int `json:"existing"`
	Duplicate int `json:"duplicate"`
	Failed    int `json:"failed"`
}

// ImportResult is the result of one element.
type ImportResult struct {
	Index    int                   `json:"index"` // the position in the request, from 0
	Document string                `json:"document"`
	Result   string                `json:"result"` // ResultCreated, ResultExisting, ResultDuplicate or ResultFailed
	Services List[ImportedService] `json:"services"`
	// Differs names the fields of an existing subscriber that differ from the
	// request.
	Differs     []string     `json:"differs,omitempty"`
	DuplicateOf *int         `json:"duplicate_of,omitzero"` // the index of the first element with the same document
	Errors      []FieldError `json:"errors,omitempty"`
}

// ImportedService is a service that an import requested.
type ImportedService struct {
	ProductID     Int    `json:"product_id"`
	Status        string `json:"status"`
	StatusID      Int    `json:"status_id"`
	QueuePosition int    `json:"queue_position,omitzero"` // from 1; absent if the service is not queued
}
