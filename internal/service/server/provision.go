package server

import (
	"net/http"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func (s *Server) batch(req domain.Request) func(*requestContext) error {
	return withBody(func(c *requestContext, b batchBody) error {
		return c.writeBatch(b, req, func(call rules.Call) ([]rules.Result, error) {
			return s.rules.Provision(c.r.Context(), call, req, *b.Product, b.Documents)
		})
	})
}

// validateOperation runs the operation in the path as a dry run.
func (s *Server) validateOperation(c *requestContext) error {
	req, ok := requestNamed(c.r.PathValue(api.WildcardOperation))
	if !ok {
		return notFoundError()
	}
	return s.batch(req)(c)
}

func requestNamed(name string) (req domain.Request, ok bool) {
	for req := domain.RequestActivate; req <= domain.RequestSettle; req++ {
		if req.String() == name {
			return req, true
		}
	}
	return 0, false
}

type batchBody struct {
	Product   *int     `json:"contentSupplierProduct" required:"yes"`
	Documents []string `json:"documents" required:"yes"`
}

// writeBatch runs an operation on a batch of documents and sends the response, which depends on how
// many failed (decisions.md 4).
func (c *requestContext) writeBatch(b batchBody, req domain.Request, run func(rules.Call) ([]rules.Result, error)) error {
	if err := checkLength(len(b.Documents), api.MaxBatchDocuments); err != nil {
		return err
	}
	results, err := write(c, run)
	if err != nil {
		return err
	}
	outcome := api.BatchOutcome{
		Operation: api.Operation(req.String()), ProductID: api.Int(*b.Product),
		Summary: api.BatchSummary{Total: len(results)}, Results: make([]api.BatchResult, len(results)),
	}
	for i := range results {
		outcome.Results[i] = batchResult(c, i, &results[i])
		switch results[i].Kind {
		case rules.ResultAccepted:
			outcome.Summary.Accepted++
		case rules.ResultUnchanged:
			outcome.Summary.Unchanged++
		default:
			outcome.Summary.Failed++
		}
	}
	failed := outcome.Summary.Failed
	if failed < len(results) {
		return c.writeJSON(http.StatusOK, &api.BatchResponse{Response: overallResult(failed), BatchOutcome: outcome})
	}
	e := batchFailed()
	return c.writeProblem(e, api.BatchProblem{Problem: e.problem(c.id), BatchOutcome: outcome})
}

func batchResult(c *requestContext, i int, r *rules.Result) api.BatchResult {
	out := api.BatchResult{
		Index: i, Document: r.Document, Result: string(r.Kind), PreviousStatus: statusName(r.Previous),
		Status: statusName(r.Status), QueuePosition: r.QueuePosition, Replaced: r.Replaced, Code: string(r.Code), Detail: r.Detail,
	}
	if r.Status != domain.NoService {
		id := api.Int(r.Status)
		out.StatusID = &id
	}
	if r.Kind == rules.ResultAccepted && r.Operation != 0 && !c.route.dryRun { // the id of a dry run may become another operation's
		out.OperationID = r.Operation.String()
	}
	if r.Schedule != 0 {
		out.ScheduleID = r.Schedule.String()
	}
	return out
}

// statusName returns the name of a status, or nil if there is no service.
func statusName(s domain.Status) *string {
	if s == domain.NoService {
		return nil
	}
	name := s.String()
	return &name
}

type changeBody struct {
	To       *int    `json:"product_id" required:"yes"`
	From     *int    `json:"previous_product_id" required:"yes"`
	Document *string `json:"document" required:"yes"`
}

func (s *Server) changeProduct(c *requestContext, b changeBody) error {
	document, err := bodyDocument(*b.Document)
	if err != nil {
		return err
	}
	result, err := write(c, func(call rules.Call) (rules.Result, error) {
		return s.rules.ChangeProduct(c.r.Context(), call, document, *b.From, *b.To)
	})
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.ChangeResponse{Response: api.ResponseSuccess, Result: batchResult(c, 0, &result)})
}
