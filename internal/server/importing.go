package server

import (
	"net/http"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// importSubscribers registers subscribers and activates their products.
func (s *Server) importSubscribers(x *exchange) error {
	rows, err := readImport(x.body)
	if err != nil {
		return err
	}
	return write(x, rows.run(x), rows.tell(x))
}

// validateImport says what an import would do.
func (s *Server) validateImport(x *exchange) error {
	rows, err := readImport(x.body)
	if err != nil {
		return err
	}
	return dryRun(x, rows.run(x), rows.tell(x))
}

// importRows are the elements of an import. Those that could not be read fail
// by themselves and are not given to the rules.
type importRows struct {
	total    int
	rows     []provision.Registration
	index    []int // of each row in the request
	unread   map[int][]api.FieldError
	document map[int]string // of the rows that could not be read
}

func readImport(body string) (*importRows, error) {
	in := &importRows{unread: map[int][]api.FieldError{}, document: map[int]string{}}
	sent := false
	err := readForm(body, func(f *form, key string) error {
		if key != api.FieldSubscribers {
			return f.c.skip()
		}
		sent = f.c.kind() != 'n'
		return f.elements(key, func(n int) error {
			in.total = n + 1
			if n >= api.MaxImportRows {
				return f.c.skip()
			}
			return in.read(f.c, n)
		})
	})
	switch {
	case err != nil:
		return nil, err
	case !sent:
		return nil, invalid(required(api.FieldSubscribers))
	case in.total > api.MaxImportRows:
		return nil, tooMany(api.MaxImportRows, in.total)
	}
	return in, nil
}

// read reads element n.
func (in *importRows) read(c *cursor, n int) error {
	f := form{c: c}
	var row provision.Registration
	err := f.object("", func(key string) error {
		if key == api.FieldProductsIDs {
			return f.products(&row)
		}
		return f.subscriber(key, &row.Fields)
	})
	if err != nil {
		return err
	}
	if len(f.wrong) > 0 {
		for i := range f.wrong {
			f.wrong[i].Pointer = "" // the result names its element
		}
		in.unread[n], in.document[n] = f.wrong, cpf.StripPunctuation(row.Document.Value)
		return nil
	}
	in.rows = append(in.rows, row)
	in.index = append(in.index, n)
	return nil
}

func (f *form) products(row *provision.Registration) error {
	return f.elements(api.FieldProductsIDs, func(n int) error {
		id, ok, err := f.integer()
		if !ok && err == nil {
			f.complain(api.FieldProductsIDs, f.pointer+"/"+api.FieldProductsIDs+"/"+strconv.Itoa(n), "must hold integers")
		}
		row.Products = append(row.Products, id)
		return err
	})
}

func (in *importRows) run(x *exchange) func(provision.Call) ([]provision.ImportResult, error) {
	return func(call provision.Call) ([]provision.ImportResult, error) {
		if in.total > 0 && len(in.rows) == 0 {
			return nil, nil // nothing is left for the rules to decide
		}
		return x.s.m.Import(x.r.Context(), call, in.rows)
	}
}

func (in *importRows) tell(x *exchange) func([]provision.ImportResult) (answer, error) {
	return func(decided []provision.ImportResult) (answer, error) {
		results := make([]api.ImportResult, in.total)
		for n, errs := range in.unread {
			results[n] = api.ImportResult{Index: n, Document: in.document[n], Result: api.ResultFailed, Errors: errs}
		}
		for i := range decided {
			results[in.index[i]] = in.result(i, &decided[i])
		}
		return tellImport(x, results)
	}
}

// result is what the rules decided of row i.
func (in *importRows) result(i int, r *provision.ImportResult) api.ImportResult {
	out := api.ImportResult{Index: in.index[i], Document: r.Document, Result: string(r.Kind), Differs: r.Differs}
	for _, s := range r.Services {
		out.Services = append(out.Services, api.ImportedService{
			ProductID: api.Int(s.ProductID), Status: s.Status.String(), StatusID: api.Int(s.Status), QueuePosition: s.QueuePosition,
		})
	}
	twice := r.Kind == provision.ImportDuplicate
	for _, e := range r.Errors {
		twice = twice || e.Code == provision.DuplicateInRequest
		out.Errors = append(out.Errors, api.FieldError{Field: e.Field, Code: string(e.Code), Detail: e.Message})
	}
	if twice {
		out.DuplicateOf = &in.index[r.DuplicateOf]
	}
	return out
}

// tellImport answers by how many rows failed (decisions.md 3).
func tellImport(x *exchange, results []api.ImportResult) (answer, error) {
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
	return tellMany(x, failed, len(results), &api.ImportResponse{Response: response(failed), ImportOutcome: outcome},
		func(p api.Problem) any { return api.ImportProblem{Problem: p, ImportOutcome: outcome} })
}

// tellMany answers for a request of many elements: with what it did, or with a
// problem when all of them failed and nothing took effect.
func tellMany(x *exchange, failed, total int, done any, problem func(api.Problem) any) (answer, error) {
	if failed < total {
		return tellJSON(http.StatusOK, done)
	}
	r := &refusal{code: api.CodeBatchFailed, detail: "every element of the request failed; the results say why"}
	x.code = r.code
	a, err := tellJSON(r.status(), problem(r.problem(x.id)))
	a.refused = true
	return a, err
}

// response is the word for an answer of which some elements may have failed.
func response(failed int) string {
	if failed > 0 {
		return api.ResponsePartial
	}
	return api.ResponseSuccess
}
