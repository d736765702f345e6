package server

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func (s *Server) importSubscribers(c *requestContext) error {
	rows, err := decodeImport(c.body)
	if err != nil {
		return err
	}
	return write(c, rows.run(c), rows.response(c))
}

// importRequest is the body of an import. A row of the wrong type fails by itself
// and is not passed to package rules.
type importRequest struct {
	total     int
	rows      []rules.Registration
	index     []int // index of each of rows in the request
	undecoded map[int][]api.FieldError
	document  map[int]string // of the undecoded rows
}

func decodeImport(body string) (*importRequest, error) {
	in := &importRequest{undecoded: map[int][]api.FieldError{}, document: map[int]string{}}
	sent := false
	err := decodeBody(body, func(d *bodyDecoder, key string) error {
		if key != api.FieldSubscribers {
			return d.skip()
		}
		sent = d.json.PeekKind() != 'n'
		return d.array(key, func(n int) error {
			in.total = n + 1
			if n >= api.MaxImportRows {
				return d.skip()
			}
			return in.decodeRow(d.json, n)
		})
	})
	switch {
	case err != nil:
		return nil, err
	case !sent:
		return nil, invalidFields(requiredField(api.FieldSubscribers))
	case in.total > api.MaxImportRows:
		return nil, tooMany(api.MaxImportRows, in.total)
	}
	return in, nil
}

func (in *importRequest) decodeRow(body *jsontext.Decoder, n int) error {
	d := bodyDecoder{json: body}
	var row rules.Registration
	err := d.object("", func(key string) error {
		if key == api.FieldProductsIDs {
			return d.products(&row)
		}
		return d.subscriber(key, &row.Fields)
	})
	if err != nil {
		return err
	}
	if len(d.errs) > 0 {
		for i := range d.errs {
			d.errs[i].Pointer = "" // the result already has the index of the row
		}
		in.undecoded[n], in.document[n] = d.errs, cpf.StripPunctuation(row.Document.Value)
		return nil
	}
	in.rows = append(in.rows, row)
	in.index = append(in.index, n)
	return nil
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

func (in *importRequest) run(c *requestContext) func(rules.Call) ([]rules.ImportResult, error) {
	return func(call rules.Call) ([]rules.ImportResult, error) {
		if in.total > 0 && len(in.rows) == 0 {
			return nil, nil // no row could be decoded
		}
		return c.s.rules.Import(c.r.Context(), call, in.rows)
	}
}

func (in *importRequest) response(c *requestContext) func([]rules.ImportResult) (response, error) {
	return func(decided []rules.ImportResult) (response, error) {
		results := make([]api.ImportResult, in.total)
		for n, errs := range in.undecoded {
			results[n] = api.ImportResult{Index: n, Document: in.document[n], Result: api.ResultFailed, Errors: errs}
		}
		for i := range decided {
			results[in.index[i]] = in.result(i, &decided[i])
		}
		return importResponse(c, results)
	}
}

// result returns the result of row i of those passed to package rules.
func (in *importRequest) result(i int, r *rules.ImportResult) api.ImportResult {
	out := api.ImportResult{Index: in.index[i], Document: r.Document, Result: string(r.Kind), Differs: r.Differs}
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
		out.DuplicateOf = &in.index[r.DuplicateOf]
	}
	return out
}

// importResponse returns the response, which depends on how many rows failed (decisions.md 3).
func importResponse(c *requestContext, results []api.ImportResult) (response, error) {
	outcome := api.ImportOutcome{Results: results, Summary: api.ImportSummary{Total: len(results)}}
	for i := range results {
		switch results[i].Result {
		case api.ResultCreated:
			outcome.Summary.Created++
		case api.ResultExisting:
			outcome.Summary.Existing++
		case api.ResultDuplicate:
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
