package server

import (
	"net/http"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func (s *Server) batch(req domain.Request) func(*requestContext) error {
	return func(c *requestContext) error {
		var b batchBody
		if err := decodeBatch(c.body, &b, &b); err != nil {
			return err
		}
		return write(c, func(call rules.Call) ([]rules.Result, error) {
			return s.rules.Provision(c.r.Context(), call, req, *b.Product, b.Documents)
		}, b.response(c, req))
	}
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

// decodeBatch decodes the body of a batch into a struct that contains b.
func decodeBatch(body string, into any, b *batchBody) error {
	if err := decodeBody(body, into); err != nil {
		return err
	}
	if n := len(b.Documents); n > api.MaxBatchDocuments {
		return tooMany(api.MaxBatchDocuments, n)
	}
	return nil
}

// response returns the response, which depends on how many documents failed (decisions.md 4).
func (b *batchBody) response(c *requestContext, req domain.Request) func([]rules.Result) (response, error) {
	return func(results []rules.Result) (response, error) {
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
		return outcomeResponse(c, failed, len(results), &api.BatchResponse{Response: overallResult(failed), BatchOutcome: outcome},
			func(p api.Problem) any { return api.BatchProblem{Problem: p, BatchOutcome: outcome} })
	}
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

func (s *Server) changeProduct(c *requestContext) error {
	var b changeBody
	if err := decodeBody(c.body, &b); err != nil {
		return err
	}
	document, err := bodyDocument(*b.Document)
	if err != nil {
		return err
	}
	return write(c, func(call rules.Call) (rules.Result, error) {
		return s.rules.ChangeProduct(c.r.Context(), call, document, *b.From, *b.To)
	}, func(r rules.Result) (response, error) {
		return jsonResponse(http.StatusOK, api.ChangeResponse{Response: api.ResponseSuccess, Result: batchResult(c, 0, &r)})
	})
}
