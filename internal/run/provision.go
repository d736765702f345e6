package run

import (
	"context"
	"net/http"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/lifecycle"
)

// Provision does one operation with a product for the documents of the rows.
// It is safe for concurrent use.
type Provision struct {
	Client    *client.Client
	Operation api.Operation
	Product   api.Int
	// DryRun asks the server what would happen and changes nothing. Where the
	// server has no dry runs, the next status is predicted from api.md.
	DryRun    bool
	Validates bool // tells that the server has dry runs
}

var _ Job = (*Provision)(nil)

// Known implements [Job]. An operation does not depend on it.
func (j *Provision) Known(*csvfile.Row) bool { return false }

// Singly implements [Job].
func (j *Provision) Singly() bool { return false }

// Send implements [Job].
func (j *Provision) Send(ctx context.Context, b Batch) ([]Result, error) {
	documents := make([]string, len(b.Rows))
	for i, row := range b.Rows {
		documents[i] = row.Document
	}
	if j.DryRun && !j.Validates {
		return j.predictFromStatus(ctx, b)
	}
	answer, err := j.post(ctx, documents, b.Key)
	if err != nil {
		return nil, markWholeRefusal(err)
	}
	if !answer.Detailed { // a server that accepts the batch and says no more
		results, err := j.resultsFromStatus(ctx, b)
		if err != nil {
			results = errorResults(len(b.Rows), err)
		}
		return results, err
	}
	results := make([]Result, len(b.Rows))
	for i, r := range inOrder(len(results), answer.Value.Results, batchIndex) {
		if r != nil {
			results[i] = j.result(r)
		} else {
			results[i] = leftOut(b, i)
		}
	}
	return results, nil
}

func (j *Provision) post(ctx context.Context, documents []string, key string) (client.WriteResult[api.BatchResponse], error) {
	if j.DryRun {
		return j.Client.ValidateProvision(ctx, j.Operation, j.Product, documents)
	}
	return j.Client.Provision(ctx, j.Operation, j.Product, documents, key)
}

// markWholeRefusal wraps a refusal whose reason lies in the request and not in
// one of its documents.
func markWholeRefusal(err error) error {
	e, ok := refused(err)
	if ok && (e.Status == http.StatusNotFound || slices.Contains([]string{api.CodeUnknownProduct, api.CodeProductInactive, api.CodeActionNotAllowed}, e.Code)) {
		return &wholeRefusal{err}
	}
	return err
}

func (j *Provision) result(r *api.BatchResult) Result {
	result := Result{Kind: r.Result, Services: services(batchService(j.Product, r))}
	if r.Result == api.ResultFailed {
		result.Code, result.Detail = r.Code, r.Detail
	}
	return result
}

func services(s Service) []Service {
	if s.Status == "" && s.Previous == "" {
		return nil
	}
	return []Service{s}
}

func batchService(product api.Int, r *api.BatchResult) Service {
	s := Service{ProductID: product, QueuePosition: r.QueuePosition, OperationID: r.OperationID}
	if r.Status != nil {
		s.Status = *r.Status
	}
	if r.StatusID != nil {
		s.StatusID = *r.StatusID
	}
	if r.PreviousStatus != nil {
		s.Previous = *r.PreviousStatus
	}
	return s
}

// ReadBack implements [Job]. A row was processed when its service has a status
// to which the operation leads.
func (j *Provision) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	results, err := j.resultsFromStatus(ctx, b)
	for i := range results {
		if results[i].Kind == api.ResultAccepted && (len(results[i].Services) == 0 || !lifecycle.Reached(results[i].Services[0].StatusID, j.Operation)) {
			results[i] = Result{}
		}
	}
	return results, err
}

// resultsFromStatus reads the services of a batch that the server accepted.
func (j *Provision) resultsFromStatus(ctx context.Context, b Batch) ([]Result, error) {
	return j.resultsFromServices(ctx, b, func(all []api.Service) Result {
		s, _ := lastService(all, j.Product)
		return Result{Kind: api.ResultAccepted, Services: services(s)}
	})
}

// predictFromStatus reads the services of the batch and predicts the results.
func (j *Provision) predictFromStatus(ctx context.Context, b Batch) ([]Result, error) {
	return j.resultsFromServices(ctx, b, func(all []api.Service) Result {
		s, found := lastService(all, j.Product)
		result := Result{Kind: api.ResultAccepted, Services: []Service{{ProductID: j.Product, Previous: s.Status}}}
		next := &result.Services[0]
		switch {
		case !found && j.Operation != api.Activate:
			result = failed(api.CodeServiceNotFound, "", "")
		case lifecycle.Done(s.StatusID, j.Operation):
			result.Kind, next.Status, next.StatusID = api.ResultUnchanged, s.Status, s.StatusID
		case lifecycle.Ended(s.StatusID) && j.Operation != api.Activate:
			result.Kind, result.Code = api.ResultFailed, api.CodeServiceCanceled
		default:
			next.StatusID = j.nextStatus(s.StatusID, slices.ContainsFunc(all, isLive))
			next.Status = api.StatusName(next.StatusID)
		}
		return result
	})
}

// nextStatus returns the status to which the operation takes a service, or 0 where that
// is not predicted. live tells that the subscriber has a service that is not cancelled:
// an activation may be a change then.
func (j *Provision) nextStatus(status api.Int, live bool) api.Int {
	next := lifecycle.Next(status, j.Operation)
	if live && next == api.StatusInProgress {
		return 0
	}
	return next
}

func (j *Provision) resultsFromServices(ctx context.Context, b Batch, result func([]api.Service) Result) ([]Result, error) {
	found, err := readSubscribers(ctx, j.Client, b.Rows)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(b.Rows))
	for i, s := range found {
		if s == nil {
			results[i] = failed(api.CodeSubscriberNotFound, api.FieldDocument, "")
			continue
		}
		results[i] = result(s.Services)
	}
	return results, nil
}
