package run

import (
	"cmp"
	"errors"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// Result is the outcome of a row.
type Result struct {
	Kind     string    `json:"result,omitempty"`   // one of the api.Result constants, or empty if Err is set
	Services []Service `json:"services,omitempty"` // services of the row's products, as far as the server reports them
	Differs  []string  `json:"differs,omitempty"`  // fields of an existing subscriber that differ from the row
	Updated  bool      `json:"updated,omitempty"`  // these fields were changed to those of the row
	// Code, Field and Detail say why the row failed. Detail may come from
	// another server and is not written to the journal.
	Code   string `json:"code,omitempty"`
	Field  string `json:"field,omitempty"`
	Detail string `json:"-"`
	// Err is set if no answer came: it is unknown whether the row was processed, unless IsNotSent
	// says that it was not.
	Err error `json:"-"`
	// Cause is why the row failed, if its request was refused for this row alone or not answered.
	Cause error `json:"-"`
}

// Service is a service that the row asks for.
type Service struct {
	ProductID     api.Int `json:"product_id"`
	Status        string  `json:"status,omitempty"`
	StatusID      api.Int `json:"status_id,omitempty"`
	Previous      string  `json:"previous_status,omitempty"` // the status before the operation, if the server reports it
	QueuePosition int     `json:"-"`                         // counts from 1. It changes and is not written to the journal.
	OperationID   string  `json:"-"`                         // the operation of the row, if the server reports it; the journal stores it with the lines
}

// RowResult is a row of the file with its result.
type RowResult struct {
	Row *sheet.Row
	Result
	Replayed bool // the result is from an earlier run's journal
}

// BatchResult returns the result of an operation in the API's form, with its index.
func (r RowResult) BatchResult(index int) api.BatchResult {
	b := api.BatchResult{Index: index, Document: r.Row.Document, Result: r.Kind, Code: r.Code, Detail: r.Detail}
	if len(r.Services) > 0 {
		s := r.Services[0]
		b.QueuePosition, b.OperationID = s.QueuePosition, s.OperationID
		if s.Status != "" {
			b.Status, b.StatusID = &s.Status, &s.StatusID
		}
		if s.Previous != "" {
			b.PreviousStatus = &s.Previous
		}
	}
	return b
}

// services returns the only service of a result, none if the server does not report its status.
func services(s Service) []Service {
	if s.Status == "" && s.Previous == "" {
		return nil
	}
	return []Service{s}
}

// batchService returns the service of a batch result, the opposite of [RowResult.BatchResult].
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

// acceptedAs returns the result of an accepted row whose subscriber has these services now.
func acceptedAs(all []api.Service, product api.Int) Result {
	s, _ := lastService(all, product)
	return Result{Kind: api.ResultAccepted, Services: services(s)}
}

func failed(code, field, detail string) Result {
	return Result{Kind: api.ResultFailed, Code: code, Field: field, Detail: detail}
}

// noReason is the detail of a failed row if the server gives neither code nor text.
const noReason = "the server does not say why"

// refusal is the result of a row whose request the server refused.
func refusal(e *client.Error) Result {
	r := Result{Kind: api.ResultFailed, Code: e.Code, Detail: e.Message, Cause: e}
	if e.Problem.Code == "" && !lang.Has(e.Code) {
		r.Detail = cmp.Or(r.Detail, noReason)
	}
	return r
}

func errorResults(n int, err error) []Result {
	return slices.Repeat([]Result{{Err: err}}, n)
}

// inOrder returns the results of a response in the order of the n elements of the request, and nil
// for an element that the response leaves out.
func inOrder[R any](n int, answer []R, index func(*R) int) []*R {
	all := make([]*R, n)
	for i := range answer {
		if at := index(&answer[i]); at >= 0 && at < n {
			all[at] = &answer[i]
		}
	}
	return all
}

func batchIndex(r *api.BatchResult) int { return r.Index }

// leftOut returns the result of the i-th row if a response leaves it out.
func leftOut(b Batch, i int) Result {
	return Result{Err: &failure.Failure{Exit: failure.ExitError, Code: "error", Message: lang.Msg("the server's answer leaves out line %d", b.Rows[i].Line),
		Hint: failure.OutcomeOf(nil).Hint}}
}

func hasError(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Err != nil })
}

// notSentError is the error of a row for which the server has done nothing: the refusal of the whole
// request, or why the run ended before it.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// IsNotSent reports whether the server has done nothing for the row.
func (r Result) IsNotSent() bool {
	_, notSent := errors.AsType[*notSentError](r.Err)
	return notSent
}

// isUnsent reports whether the row is yet to be sent.
func (r Result) isUnsent() bool { return r.IsNotSent() || r.Kind == sheet.ResultWaiting }

// unsentLines returns the lines of the rows that are yet to be sent.
func unsentLines(b *pendingBatch, results []Result) (lines lineSet) {
	for i := range results {
		if results[i].isUnsent() {
			lines.add(b.Rows[i].Line)
		}
	}
	return lines
}

// IsUnscheduled reports whether the row succeeded but its end could not be scheduled.
func (r Result) IsUnscheduled() bool {
	return r.Code != "" && r.Kind == api.ResultAccepted
}
