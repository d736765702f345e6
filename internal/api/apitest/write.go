package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"ativa/internal/api"
)

// input has the members of the bodies of all writes.
type input struct {
	api.ImportRequest
	api.BatchRequest
	api.ChangeRequest
}

// decode sets the product and the documents of a request from its body, and reports whether the
// body can be read.
func (r *Request) decode() bool {
	if len(r.Body) > 0 && json.Unmarshal(r.Body, &r.in) != nil {
		return false
	}
	r.Product, r.Documents = r.in.Product, r.in.Documents
	for _, row := range r.in.Subscribers {
		r.Documents = append(r.Documents, row.Document)
	}
	if r.in.Document != "" {
		r.Product, r.Documents = r.in.ProductID, []string{r.in.Document}
	}
	return true
}

func (s *Server) write(w http.ResponseWriter, q Request) {
	if s.Drop != nil && s.Drop(q) {
		panic(http.ErrAbortHandler)
	}
	if s.Refuse != nil {
		if status, code := s.Refuse(q); status != 0 {
			w.WriteHeader(status)
			write(w, map[string]any{"response": "error", "code": code, "message": "refused: " + code})
			return
		}
	}
	if at, ok := strings.CutSuffix(q.Path, "/validate"); ok && strings.Contains(s.Extensions, api.ExtValidate) {
		s.validate(w, at, q)
		return
	} else if ok {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	before, replayed := s.stored[q.Key]
	replayed = replayed && strings.Contains(s.Extensions, api.ExtIdempotency)
	if replayed && !bytes.Equal(before.body, q.Body) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		write(w, map[string]string{"response": "error", "code": api.CodeIdempotencyKeyReused, "message": "another body"})
		return
	}
	response := before.response
	if !replayed {
		s.CarriedOut = append(s.CarriedOut, q)
		document, ok := strings.CutPrefix(q.Path, "/subscribers/")
		switch {
		case q.Path == api.PathSubscribers:
			_ = json.Unmarshal(q.Body, s.Add(q.in.Document)) // it was read before
		case ok && q.Method == http.MethodDelete:
			if !s.delete(w, document) {
				return
			}
		case ok && s.Subscribers[document] != nil:
			_ = json.Unmarshal(q.Body, s.Subscribers[document]) // sets the members of the body; it was read before
		}
		response = s.do(q)
		s.stored[q.Key] = stored{q.Body, response}
	}
	if s.Lose != nil && s.Lose(q) {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.Copy(w, bytes.NewReader(response))
}

// delete deletes a subscriber, or refuses to.
func (s *Server) delete(w http.ResponseWriter, document string) bool {
	one := s.Subscribers[document]
	switch {
	case one == nil:
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		return false
	case slices.ContainsFunc(one.Services, func(s api.Service) bool { return s.StatusID != api.StatusCanceled }):
		http.Error(w, `{"message":"it has services"}`, http.StatusConflict)
		return false
	}
	delete(s.Subscribers, document)
	s.Documents = slices.DeleteFunc(s.Documents, func(d string) bool { return d == document })
	return true
}

// validate responds to a dry run of a batch, or of a change.
func (s *Server) validate(w http.ResponseWriter, at string, q Request) {
	q.Path = at
	var results []api.BatchResult
	for i, d := range q.Documents {
		r := api.BatchResult{Index: i, Document: d, Result: api.ResultAccepted}
		if q.Is("import") {
			r.Result = api.ResultCreated
		}
		if s.Fails != nil {
			if r.Code = s.Fails(q, d); r.Code != "" {
				r.Result = api.ResultFailed
			}
		}
		results = append(results, r)
	}
	switch {
	case !q.Is("change"):
		write(w, api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Results: results}})
	case results[0].Code != "":
		w.WriteHeader(http.StatusConflict)
		write(w, map[string]string{"response": "error", "code": results[0].Code})
	default:
		write(w, api.ChangeResponse{Response: "success", Result: results[0]})
	}
}

// do carries out a request and returns the response.
func (s *Server) do(q Request) []byte {
	var imported []api.ImportResult
	var provisioned []api.BatchResult
	for i, d := range q.Documents {
		if s.Only != nil && i >= s.Only(q) {
			break
		}
		s.step()
		switch {
		case q.Is("import"):
			imported = append(imported, s.importRow(i, q.in.Subscribers[i], q.N))
		case strings.HasPrefix(q.Path, "/provision/"):
			provisioned = append(provisioned, s.provision(q, i, d))
		}
	}
	s.step()
	if s.Omits != nil {
		imported = slices.DeleteFunc(imported, func(r api.ImportResult) bool { return s.Omits(q, r.Document) })
		provisioned = slices.DeleteFunc(provisioned, func(r api.BatchResult) bool { return s.Omits(q, r.Document) })
	}
	var v any = api.Response{Response: "success"}
	switch {
	case s.Extensions == "":
	case q.Is("import"):
		v = api.ImportResponse{Response: "success", ImportOutcome: api.ImportOutcome{Results: imported}}
	case q.Is("change"):
		v = api.ChangeResponse{Response: "success", Result: provisioned[0]}
	case provisioned != nil:
		v = api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{ProductID: q.Product, Results: provisioned}}
	}
	var response bytes.Buffer
	write(&response, v)
	return response.Bytes()
}

func (s *Server) importRow(i int, row api.ImportRow, n int) api.ImportResult {
	r := api.ImportResult{Index: i, Document: row.Document, Result: api.ResultCreated}
	if before := s.Subscribers[row.Document]; before != nil {
		r.Result = api.ResultExisting
		if before.Name != row.Name {
			r.Differs = []string{api.FieldName}
		}
		return r
	}
	one := s.Add(row.Document)
	one.Name, one.Email, one.Phone, one.CustomerPlan = row.Name, row.Email, row.Phone, row.CustomerPlan
	for _, product := range row.ProductsIDs {
		s.begin(one, product, s.Become["import"], n)
	}
	return r
}

func (s *Server) provision(q Request, i int, document string) api.BatchResult {
	r := api.BatchResult{Index: i, Document: document, Result: api.ResultFailed, Code: api.CodeSubscriberNotFound}
	one := s.Subscribers[document]
	if one == nil {
		return r
	}
	if s.Fails != nil {
		if r.Code = s.Fails(q, document); r.Code != "" {
			return r
		}
	}
	to := s.Become[path.Base(q.Path)]
	r.Result, r.Code, r.Status, r.StatusID = api.ResultAccepted, "", &to.Name, &to.ID
	now, has := api.NewestService(one.Services, q.Product)
	if q.Is("activate") && now.StatusID != api.StatusSuspend { // also where there is one already
		if has {
			r.PreviousStatus = &now.Status
		}
		s.begin(one, q.Product, to, q.N)
		return r
	}
	for n := len(one.Services) - 1; n >= 0; n-- {
		if at := &one.Services[n]; at.ProductID == q.Product || q.Is("change") && at.ProductID == q.in.PreviousProductID {
			r.PreviousStatus = new(at.Status)
			at.ProductID, at.StatusID, at.Status = q.Product, to.ID, to.Name
			break
		}
	}
	return r
}
