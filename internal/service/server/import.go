package server

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func (s *Server) importSubscribers(c *requestContext) error {
	rows, err := decodeImport(c.body)
	if err != nil {
		return err
	}
	return write(c, func(call rules.Call) ([]rules.ImportResult, error) {
		return s.rules.Import(c.r.Context(), call, rows)
	}, func(results []rules.ImportResult) (response, error) {
		return importResponse(c, results)
	})
}

func decodeImport(body string) ([]rules.Registration, error) {
	var rows []rules.Registration
	sent, total := false, 0
	err := decodeBody(body, func(d *bodyDecoder, key string) error {
		if key != api.FieldSubscribers {
			return d.skip()
		}
		sent = d.json.PeekKind() != 'n'
		return d.array(key, func(n int) error {
			total = n + 1
			if n >= api.MaxImportRows {
				return d.skip()
			}
			row, err := decodeRow(d.json)
			rows = append(rows, row)
			return err
		})
	})
	switch {
	case err != nil:
		return nil, err
	case !sent:
		return nil, invalidFields(requiredField(api.FieldSubscribers))
	case total > api.MaxImportRows:
		return nil, tooMany(api.MaxImportRows, total)
	}
	return rows, nil
}

// decodeRow decodes a row. Values of a wrong type fail the row by itself.
func decodeRow(body *jsontext.Decoder) (row rules.Registration, err error) {
	d := bodyDecoder{json: body}
	err = d.object("", func(key string) error {
		if key == api.FieldProductsIDs {
			return d.products(&row)
		}
		return d.subscriber(key, &row.Fields)
	})
	for _, e := range d.errs {
		row.Wrong = append(row.Wrong, domain.FieldError{Field: e.Field, Code: domain.Code(e.Code), Message: e.Detail})
	}
	return row, err
}

func (d *bodyDecoder) products(row *rules.Registration) error {
	return d.array(api.FieldProductsIDs, func(n int) error {
		id, ok, err := d.integer()
		if !ok && err == nil {
			d.addError(api.FieldProductsIDs, "/"+api.FieldProductsIDs+"/"+strconv.Itoa(n), "must hold integers")
		}
		row.Products = append(row.Products, id)
		return err
	})
}

// importResult returns the result of row i. Its errors have no pointers: the result has the index
// of the row.
func importResult(i int, r *rules.ImportResult) api.ImportResult {
	out := api.ImportResult{Index: i, Document: r.Document, Result: string(r.Kind), Differs: r.Differs}
	for _, s := range r.Services {
		out.Services = append(out.Services, api.ImportedService{
			ProductID: api.Int(s.ProductID), Status: s.Status.String(), StatusID: api.Int(s.Status), QueuePosition: s.QueuePosition,
		})
	}
	twice := r.Kind == rules.ResultDuplicate
	for _, e := range r.Errors {
		twice = twice || e.Code == domain.DuplicateInRequest
		out.Errors = append(out.Errors, api.FieldError{Field: e.Field, Code: string(e.Code), Detail: e.Message})
	}
	if twice {
		out.DuplicateOf = &r.DuplicateOf
	}
	return out
}

// importResponse returns the response, which depends on how many rows failed (decisions.md 3).
func importResponse(c *requestContext, results []rules.ImportResult) (response, error) {
	outcome := api.ImportOutcome{Summary: api.ImportSummary{Total: len(results)}, Results: make([]api.ImportResult, len(results))}
	for i := range results {
		outcome.Results[i] = importResult(i, &results[i])
		switch results[i].Kind {
		case rules.ResultCreated:
			outcome.Summary.Created++
		case rules.ResultExisting:
			outcome.Summary.Existing++
		case rules.ResultDuplicate:
			outcome.Summary.Duplicate++
		default:
			outcome.Summary.Failed++
		}
	}
	failed := outcome.Summary.Failed
	return outcomeResponse(c, failed, len(results), &api.ImportResponse{Response: overallResult(failed), ImportOutcome: outcome},
		func(p api.Problem) any { return api.ImportProblem{Problem: p, ImportOutcome: outcome} })
}

// outcomeResponse is the response to a request of many elements: the outcome, or a
// problem if all of them failed and the request had no effect.
func outcomeResponse(c *requestContext, failed, total int, done any, problem func(api.Problem) any) (response, error) {
	if failed < total {
		return jsonResponse(http.StatusOK, done)
	}
	e := &httpError{code: api.CodeBatchFailed, detail: "every element of the request failed; the results say why"}
	c.code = e.code
	return jsonResponse(e.status(), problem(e.problem(c.id)))
}

// overallResult returns the value of the member "response", given the number of failed elements.
func overallResult(failed int) string {
	if failed > 0 {
		return api.ResponsePartial
	}
	return api.ResponseSuccess
}
