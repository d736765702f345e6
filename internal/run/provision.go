package run

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
)

// Provision performs one operation with a product for the documents of the rows. It is safe for
// concurrent use.
type Provision struct {
	Client    *client.Client
	Operation api.Operation
	Product   api.Int
	// DryRun asks the server what would happen and changes nothing. If the server has no dry runs,
	// the next status is predicted from api.md.
	DryRun    bool
	Validates bool // the server has dry runs
	// At is when the operation takes effect; zero means now. Until is when its effect ends: a
	// cancellation follows an activation, an overdue a settlement. Both need the extension
	// ExtSchedule.
	At, Until time.Time
}

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
	if !j.Until.IsZero() && !j.Until.After(time.Now()) { // the run is slow, or was interrupted before
		return nil, &failure.Failure{Exit: failure.ExitInvalidInput, Code: "too_late", Message: lang.Msg("the end that --until gives has passed; nothing more was sent"),
			Hint: lang.Msg("run it again with another --until")}
	}
	answer, err := j.post(ctx, documents, b.Key)
	if err != nil {
		return nil, j.markWholeRefusal(err)
	}
	if !answer.Detailed { // the server accepts the batch without details
		results, err := j.resultsFromStatus(ctx, b)
		if err != nil {
			err = client.Accepted(err)
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
	if !j.Until.IsZero() && !j.DryRun {
		j.scheduleEnd(ctx, b, results)
	}
	return results, nil
}

// scheduleEnd schedules the end of the effect for the rows that succeeded. If that fails, the
// result keeps its kind and gets the code and the reason.
func (j *Provision) scheduleEnd(ctx context.Context, b Batch, results []Result) {
	var documents []string
	var rows []int
	for i := range results {
		if results[i].Kind == api.ResultAccepted {
			documents, rows = append(documents, b.Rows[i].Document), append(rows, i)
		}
	}
	if len(documents) == 0 {
		return
	}
	request := api.ScheduleRequest{Operation: lifecycle.EndOf(j.Operation), Product: j.Product, Documents: documents, At: api.At(j.Until)}
	answer, err := j.Client.Schedule(ctx, request, b.Key+".until")
	ordered := inOrder(len(rows), answer.Value.Results, batchIndex)
	for n, i := range rows {
		switch r := ordered[n]; {
		case err != nil:
			results[i].Code, results[i].Detail = failure.OutcomeOf(err).Code, failure.Text(lang.English, err)
		case r == nil:
			results[i].Code = codeNoAnswer
		case r.Result == api.ResultFailed:
			results[i].Code, results[i].Detail = r.Code, r.Detail
		}
	}
}

func (j *Provision) post(ctx context.Context, documents []string, key string) (client.WriteResult[api.BatchResponse], error) {
	later := api.ScheduleRequest{Operation: j.Operation, Product: j.Product, Documents: documents, At: api.At(j.At)}
	switch {
	case !j.At.IsZero() && j.DryRun:
		return j.Client.ValidateSchedule(ctx, later)
	case !j.At.IsZero():
		return j.Client.Schedule(ctx, later, key)
	case j.DryRun:
		return j.Client.ValidateProvision(ctx, j.Operation, j.Product, documents)
	}
	return j.Client.Provision(ctx, j.Operation, j.Product, documents, key)
}

// markWholeRefusal wraps a refusal whose reason is in the request and not in one of its documents. All
// documents have the same time.
func (j *Provision) markWholeRefusal(err error) error {
	e, ok := refused(err)
	if ok && (!j.At.IsZero() || e.Status == http.StatusNotFound || slices.Contains([]string{api.CodeUnknownProduct, api.CodeProductInactive, api.CodeActionNotAllowed}, e.Code)) {
		return &wholeRefusal{err}
	}
	return err
}

func (j *Provision) result(r *api.BatchResult) Result {
	result := Result{Kind: r.Result, Services: services(batchService(j.Product, r))}
	if r.Result == api.ResultFailed {
		result.Code, result.Detail = r.Code, r.Detail
		if r.Code == "" {
			result.Detail = cmp.Or(r.Detail, noReason)
		}
	}
	return result
}

// ReadBack implements [Job]. A row was processed if its service has a status to which the
// operation leads.
func (j *Provision) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	if !j.At.IsZero() {
		return slices.Repeat([]Result{failed(codeNoAnswer, "", "no answer came; it may have been scheduled")}, len(b.Rows)), nil
	}
	results, err := j.resultsFromStatus(ctx, b)
	for i := range results {
		if results[i].Kind == api.ResultAccepted && (len(results[i].Services) == 0 || !lifecycle.Reached(results[i].Services[0].StatusID, j.Operation)) {
			results[i] = Result{}
		} else if results[i].Kind == api.ResultAccepted && !j.Until.IsZero() {
			results[i].Code = codeNoAnswer // the end may not be scheduled
		}
	}
	return results, err
}

// resultsFromStatus reads the services of a batch that the server accepted.
func (j *Provision) resultsFromStatus(ctx context.Context, b Batch) ([]Result, error) {
	return j.resultsFromServices(ctx, b, func(all []api.Service) Result { return acceptedAs(all, j.Product) })
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
			next.StatusID = lifecycle.Next(s.StatusID, j.Operation)
			if next.StatusID == api.StatusInProgress && slices.ContainsFunc(all, isLive) {
				next.StatusID = 0 // the activation may be a change
			}
			next.Status = api.StatusName(next.StatusID)
		}
		return result
	})
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
