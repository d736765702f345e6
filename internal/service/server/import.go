package server

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// importBody is the body of an import.
type importBody struct {
	Rows *importRows `json:"subscribers" required:"yes"`
}

// importRows are the rows of an import. total counts them all; rows has at most MaxImportRows.
type importRows struct {
	rows  []rules.Registration
	total int
}

type importRow struct {
	subscriberBody
	Products []int `json:"products_ids"`
}

func (s *Server) importSubscribers(c *requestContext, body importBody) error {
	if err := checkLength(body.Rows.total, api.MaxImportRows); err != nil {
		return err
	}
	results, err := write(c, func(call rules.Call) ([]rules.ImportResult, error) {
		return s.rules.Import(c.r.Context(), call, body.Rows.rows)
	})
	if err != nil {
		return err
	}
	return c.writeImport(results)
}

// rows decodes an array of rows. Values of a wrong type fail only their row.
func (d *bodyDecoder) rows(in *jsontext.Decoder, into *importRows) error {
	if in.PeekKind() != '[' {
		return d.mistyped(in, "must be an array")
	}
	_, err := in.ReadToken()
	for ; err == nil && in.PeekKind() != ']'; into.total++ {
		if into.total >= api.MaxImportRows {
			err = in.SkipValue()
			continue
		}
		var row importRow
		d.row = "/" + api.FieldSubscribers + "/" + strconv.Itoa(into.total)
		err = d.object(in, &row)
		registration := rules.Registration{Fields: rules.Fields(row.subscriberBody), Products: row.Products}
		for _, e := range d.errs {
			registration.Wrong = append(registration.Wrong, domain.FieldError{Field: e.Field, Code: domain.Code(e.Code), Message: e.Detail})
		}
		into.rows = append(into.rows, registration)
		d.errs, d.row = nil, ""
	}
	if err != nil {
		return err
	}
	_, err = in.ReadToken()
	return err
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
	duplicate := r.Kind == rules.ResultDuplicate
	for _, e := range r.Errors {
		duplicate = duplicate || e.Code == domain.DuplicateInRequest
		out.Errors = append(out.Errors, api.FieldError{Field: e.Field, Code: string(e.Code), Detail: e.Message})
	}
	if duplicate {
		out.DuplicateOf = &r.DuplicateOf
	}
	return out
}

// writeImport sends the response, which depends on how many rows failed (decisions.md 3).
func (c *requestContext) writeImport(results []rules.ImportResult) error {
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
	if failed < len(results) {
		return c.writeJSON(http.StatusOK, &api.ImportResponse{Response: overallResult(failed), ImportOutcome: outcome})
	}
	e := batchFailed()
	return c.writeProblem(e, api.ImportProblem{Problem: e.problem(c.id), ImportOutcome: outcome})
}

// batchFailed returns the error for a request whose elements all failed, so that it had no effect.
func batchFailed() *httpError {
	return &httpError{code: api.CodeBatchFailed, detail: "every element of the request failed; the results say why"}
}

// overallResult returns the value of the member "response", given the number of failed elements.
func overallResult(failed int) string {
	if failed > 0 {
		return api.ResponsePartial
	}
	return api.ResponseSuccess
}
