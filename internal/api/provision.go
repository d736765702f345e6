package api

import "slices"

// BatchRequest is the body of every provisioning operation except change.
type BatchRequest struct {
	Product   Int          `json:"contentSupplierProduct"`
	Documents List[string] `json:"documents"`
}

// ChangeRequest is the body of POST /provision/change.
type ChangeRequest struct {
	ProductID         Int    `json:"product_id"`
	PreviousProductID Int    `json:"previous_product_id"`
	Document          string `json:"document"`
}

// BatchResponse is the response of a batch. Response is ResponseSuccess if no
// document failed and ResponsePartial if some did. If all did, the body is a
// [BatchProblem].
type BatchResponse struct {
	Response string `json:"response"`
	BatchOutcome
}

// BatchProblem is the response of a batch in which all documents failed. It also decodes as a
// BatchResponse.
type BatchProblem struct {
	Problem
	BatchOutcome
}

// BatchOutcome contains the results of the documents, in order of the request.
type BatchOutcome struct {
	Operation Operation         `json:"operation"`
	ProductID Int               `json:"content_supplier_product_id"`
	Summary   BatchSummary      `json:"summary"`
	Results   List[BatchResult] `json:"results"`
}

// HasResults is like [ImportOutcome.HasResults].
func (o *BatchOutcome) HasResults() bool {
	return !slices.ContainsFunc(o.Results, func(r BatchResult) bool { return r.Result == "" })
}

// BatchSummary counts documents by result.
type BatchSummary struct {
	Total     int `json:"total"`
	Accepted  int `json:"accepted"`
	Unchanged int `json:"unchanged"`
	Failed    int `json:"failed"`
}

// BatchResult is the result of one document.
type BatchResult struct {
	Index          int     `json:"index"` // the position in the request, from 0
	Document       string  `json:"document"`
	Result         string  `json:"result"` // ResultAccepted, ResultUnchanged or ResultFailed
	Status         *string `json:"status"` // Status and StatusID are null if there is no service
	StatusID       *Int    `json:"status_id"`
	PreviousStatus *string `json:"previous_status"`         // null if there was no service before
	QueuePosition  int     `json:"queue_position,omitzero"` // from 1; absent if the service is not queued
	OperationID    string  `json:"operation_id,omitzero"`   // the latest operation of the service; set by our server if the result is ResultAccepted
	ScheduleID     string  `json:"schedule_id,omitzero"`    // ScheduleID and Replaced only of POST /provision/schedule
	Replaced       bool    `json:"replaced,omitzero"`       // another schedule of the operation was cancelled for this one
	Code           string  `json:"code,omitzero"`           // Code and Detail are set if the result is ResultFailed
	Detail         string  `json:"detail,omitzero"`
}

// ChangeResponse is the response of POST /provision/change.
type ChangeResponse struct {
	Response string      `json:"response"`
	Result   BatchResult `json:"result"`
}

// HasResults is like [ImportOutcome.HasResults].
func (r *ChangeResponse) HasResults() bool { return r.Result.Result != "" }
