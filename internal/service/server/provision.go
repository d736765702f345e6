package server

import (
	"maps"
	"net/http"
	"slices"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func (s *Server) batch(req domain.Request) func(*requestContext) error {
	return func(c *requestContext) error {
		b, err := decodeBatch(c.body, nil)
		if err != nil {
			return err
		}
		return write(c, func(call rules.Call) ([]rules.Result, error) {
			return s.rules.Provision(c.r.Context(), call, req, b.product, b.documents)
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

type batchRequest struct {
	product   int
	documents []string
}

// decodeBatch decodes the body of a batch, which must have the strings of more, too.
func decodeBatch(body string, more map[string]*domain.Optional[string]) (*batchRequest, error) {
	var b batchRequest
	var product domain.Optional[int]
	sent, total := false, 0
	err := decodeBody(body, func(d *bodyDecoder, key string) error {
		switch key {
		case api.FieldProduct:
			return d.number(key, &product)
		case api.FieldDocuments:
			sent = d.json.PeekKind() != 'n'
			return d.array(key, func(n int) error {
				total = n + 1
				return d.element(key, n, &b.documents)
			})
		}
		if into := more[key]; into != nil {
			return d.text(key, into)
		}
		return d.skip()
	})
	if err != nil {
		return nil, err
	}
	needed := []field{{api.FieldProduct, product.Set && !product.Null}, {api.FieldDocuments, sent}}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		needed = append(needed, field{name, more[name].Set && !more[name].Null})
	}
	if err := missingFields(needed...); err != nil {
		return nil, err
	}
	if total > api.MaxBatchDocuments {
		return nil, tooMany(api.MaxBatchDocuments, total)
	}
	b.product = product.Value
	return &b, nil
}

// response returns the response, which depends on how many documents failed (decisions.md 4).
func (b *batchRequest) response(c *requestContext, req domain.Request) func([]rules.Result) (response, error) {
	return func(results []rules.Result) (response, error) {
		outcome := api.BatchOutcome{
			Operation: api.Operation(req.String()), ProductID: api.Int(b.product),
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
	if r.Kind == rules.ResultAccepted && r.Operation != 0 && !c.route.dryRun { // that of a dry run will be another's
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

func (s *Server) changeProduct(c *requestContext) error {
	req, err := decodeChange(c.body)
	if err != nil {
		return err
	}
	return write(c, func(call rules.Call) (rules.Result, error) {
		return s.rules.ChangeProduct(c.r.Context(), call, req.document, req.from, req.to)
	}, func(r rules.Result) (response, error) {
		return jsonResponse(http.StatusOK, api.ChangeResponse{Response: api.ResponseSuccess, Result: batchResult(c, 0, &r)})
	})
}

type changeRequest struct {
	document cpf.Document
	from, to int
}

func decodeChange(body string) (*changeRequest, error) {
	var from, to domain.Optional[int]
	var document domain.Optional[string]
	err := decodeFields(body, map[string]any{api.FieldProductID: &to, api.FieldPreviousProductID: &from, api.FieldDocument: &document})
	if err != nil {
		return nil, err
	}
	err = missingFields(field{api.FieldProductID, to.Set && !to.Null}, field{api.FieldPreviousProductID, from.Set && !from.Null},
		field{api.FieldDocument, document.Set && !document.Null})
	if err != nil {
		return nil, err
	}
	d, err := bodyDocument(document)
	return &changeRequest{document: d, from: from.Value, to: to.Value}, err
}
