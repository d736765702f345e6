package api

// ImportRow is one element of an import: a subscriber and the products to
// activate for it.
type ImportRow struct {
	SubscriberCreate
	// ProductsIDs may be empty: then the subscriber is only registered.
	ProductsIDs List[Int] `json:"products_ids"`
}

// ImportRequest is the body of POST /subscribers/import and of its dry run.
type ImportRequest struct {
	Subscribers List[ImportRow] `json:"subscribers"`
}

// ImportResponse responds to an import. Response is ResponseSuccess when nothing
// failed and ResponsePartial when something did; when everything did, the
// response is an [ImportProblem].
type ImportResponse struct {
	Response string `json:"response"`
	ImportOutcome
}

// ImportProblem responds to an import of which every element failed. It reads as
// an ImportAnswer too.
type ImportProblem struct {
	Problem
	ImportOutcome
}

// ImportOutcome is what became of the elements, in order of the request.
type ImportOutcome struct {
	Summary ImportSummary      `json:"summary"`
	Results List[ImportResult] `json:"results"`
}

// ImportSummary counts elements by result.
type ImportSummary struct {
	Total     int `json:"total"`
	Created   int `json:"created"`
	Existing  int `json:"existing"`
	Duplicate int `json:"duplicate"`
	Failed    int `json:"failed"`
}

// ImportResult is what became of one element.
type ImportResult struct {
	// Index is the place in the request, from 0.
	Index    int    `json:"index"`
	Document string `json:"document"`
	// Result is ResultCreated, ResultExisting, ResultDuplicate or ResultFailed.
	Result   string                `json:"result"`
	Services List[ImportedService] `json:"services"`
	// Differs names the fields of an existing subscriber that are not as in
	// the request.
	Differs []string `json:"differs,omitempty"`
	// DuplicateOf is the index of the first element with the same document.
	DuplicateOf *int         `json:"duplicate_of,omitempty"`
	Errors      []FieldError `json:"errors,omitempty"`
}

// ImportedService is a service that an import asked for.
type ImportedService struct {
	ProductID Int    `json:"product_id"`
	Status    string `json:"status"`
	StatusID  Int    `json:"status_id"`
	// QueuePosition counts from 1; it is absent when the service is not queued.
	QueuePosition int `json:"queue_position,omitempty"`
}
