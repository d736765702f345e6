package server

import (
	"strconv"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// batch applies a request for one product to many subscribers.
func (s *Server) batch(req provision.Request) func(*exchange) error {
	return func(x *exchange) error {
		b, err := readBatch(x.body)
		if err != nil {
			return err
		}
		return write(x, b.run(x, req), b.tell(x, req))
	}
}

// validateOperation says what an operation would do.
func (s *Server) validateOperation(x *exchange) error {
	operation := api.Operation(x.r.PathValue(api.WildcardOperation))
	if operation == api.Change {
		c, err := readChange(x.body)
		if err != nil {
			return err
		}
		return dryRun(x, c.run(x), tellChange)
	}
	req, ok := requests()[operation]
	if !ok {
		return errNoRoute()
	}
	b, err := readBatch(x.body)
	if err != nil {
		return err
	}
	return dryRun(x, b.run(x, req), b.tell(x, req))
}

func requests() map[api.Operation]provision.Request {
	return map[api.Operation]provision.Request{
		api.Activate:   provision.RequestActivate,
		api.Suspend:    provision.RequestSuspend,
		api.Deactivate: provision.RequestDeactivate,
		api.Overdue:    provision.RequestOverdue,
		api.Settle:     provision.RequestSettle,
	}
}

// batchBody is what a batch asks for.
type batchBody struct {
	product   int
	documents []string
}

func readBatch(body string) (*batchBody, error) {
	var b batchBody
	var product provision.OptionalNumber
	sent, total := false, 0
	err := readForm(body, func(f *form, key string) error {
		switch key {
		case api.FieldProduct:
			return f.number(key, &product)
		case api.FieldDocuments:
			sent = f.c.kind() != 'n'
			return f.elements(key, func(n int) error {
				total = n + 1
				return b.readDocument(f, n)
			})
		}
		return f.c.skip()
	})
	if err != nil {
		return nil, err
	}
	var missing []api.FieldError
	if !product.Set || product.Null {
		missing = append(missing, required(api.FieldProduct))
	}
	if !sent {
		missing = append(missing, required(api.FieldDocuments))
	}
	if missing != nil {
		return nil, invalid(missing...)
	}
	if total > api.MaxBatchDocuments {
		return nil, tooMany(api.MaxBatchDocuments, total)
	}
	b.product = product.Value
	return &b, nil
}

func (b *batchBody) readDocument(f *form, n int) error {
	if f.c.kind() != '"' {
		return f.mistyped(api.FieldDocuments, "/"+api.FieldDocuments+"/"+strconv.Itoa(n), "must be a string")
	}
	d, err := f.c.text()
	b.documents = append(b.documents, d)
	return err
}

func (b *batchBody) run(x *exchange, req provision.Request) func(provision.Call) ([]provision.Result, error) {
	return func(call provision.Call) ([]provision.Result, error) {
		return x.s.m.Provision(x.r.Context(), call, req, b.product, b.documents)
	}
}

// tell answers by how many documents failed (decisions.md 4).
func (b *batchBody) tell(x *exchange, req provision.Request) func([]provision.Result) (answer, error) {
	return func(results []provision.Result) (answer, error) {
		outcome := api.BatchOutcome{
			Operation: api.Operation(req.String()), ProductID: api.Int(b.product),
			Summary: api.BatchSummary{Total: len(results)}, Results: make([]api.BatchResult, len(results)),
		}
		for i := range results {
			outcome.Results[i] = result(i, &results[i])
			switch results[i].Kind {
			case provision.ResultAccepted:
				outcome.Summary.Accepted++
			case provision.ResultUnchanged:
				outcome.Summary.Unchanged++
			default:
				outcome.Summary.Failed++
			}
		}
		failed := outcome.Summary.Failed
		return tellMany(x, failed, len(results), &api.BatchResponse{Response: response(failed), BatchOutcome: outcome},
			func(p api.Problem) any { return api.BatchProblem{Problem: p, BatchOutcome: outcome} })
	}
}

func result(i int, r *provision.Result) api.BatchResult {
	out := api.BatchResult{
		Index: i, Document: r.Document, Result: string(r.Kind), PreviousStatus: statusName(r.Previous),
		Status: statusName(r.Status), QueuePosition: r.QueuePosition, Code: string(r.Code), Detail: r.Detail,
	}
	if r.Status != provision.NoService {
		id := api.Int(r.Status)
		out.StatusID = &id
	}
	return out
}

// statusName is the name of a status, and nil without a service.
func statusName(s provision.Status) *string {
	if s == provision.NoService {
		return nil
	}
	name := s.String()
	return &name
}
