package server_test

import (
	"fmt"
	"strings"
	"testing"

	"ativa/internal/api"
)

func TestABatchAnswersForEveryDocumentInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, limit(2))
	f.register(1, 4)
	body := `{"contentSupplierProduct":"1","documents":["` + doc(1) + `","100.000.002-99","` + doc(3) + `","` + doc(1) + `","` + doc(99) + `","x"]}`
	body = strings.Replace(body, "100.000.002-99", doc(2)[:3]+"."+doc(2)[3:6]+"."+doc(2)[6:9]+"-"+doc(2)[9:], 1)
	want := map[string]string{
		"response": "partial", "operation": "activate", "content_supplier_product_id": "1",
		"summary.total": "6", "summary.accepted": "3", "summary.unchanged": "1", "summary.failed": "2",
		"results.0.result": "accepted", "results.0.status": "inProgress", "results.0.status_id": "10", "results.0.previous_status": "",
		"results.1.result": "accepted", "results.1.document": doc(2), "results.1.index": "1",
		"results.2.result": "accepted", "results.2.status": "limitReached", "results.2.queue_position": "1",
		"results.3.result": "unchanged", "results.3.previous_status": "inProgress",
		"results.4.result": "failed", "results.4.code": "subscriber_not_found", "results.4.status": "", "results.4.status_id": "",
		"results.5.result": "failed", "results.5.document": "x", "results.5.code": "invalid_characters",
	}
	f.do("POST", "/provision/activate/validate", body).want(200).has(want)
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services": "[]"})
	f.do("POST", "/provision/activate", body).want(200).has(want)
	f.do("POST", "/provision/activate", batch(basic, 1, 2, 3)).want(200).
		has(map[string]string{"response": "success", "summary.unchanged": "3", "results.2.queue_position": "1"})
	if n := len(f.links()); n != 2 {
		t.Errorf("got %d e-mails, want 2", n)
	}
}

func TestEveryOperationRunsAndCanBeTriedDry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	for _, c := range []struct{ operation, status, confirmed string }{
		{"suspend", "waitingSuspension", "suspend"},
		{"activate", "reactivated", "active"},
		{"overdue", "waitingSuspensionDueToOverdue", "overdue"},
		{"settle", "reactivated", "active"},
		{"deactivate", "waitingCancellation", "canceled"},
	} {
		before := f.do("GET", "/subscribers/"+doc(1), "").want(200)
		path := "/provision/" + c.operation
		want := map[string]string{"response": "success", "operation": c.operation, "results.0.result": "accepted", "results.0.status": c.status}
		f.do("POST", path+"/validate", batch(basic, 1)).want(200).has(want)
		if after := f.do("GET", "/subscribers/"+doc(1), ""); string(after.body) != string(before.body) {
			t.Errorf("%s/validate changed %s to %s", path, before.body, after.body)
		}
		f.do("POST", "/api"+path, batch(basic, 1)).want(200).has(want)
		f.confirm(1)
		f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": c.confirmed})
	}
}

func TestAChangeAnswersWithOneResultOrAPlainError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	change := func(to, from int, document string) string {
		return fmt.Sprintf(`{"product_id":%d,"previous_product_id":"%d","document":"%s"}`, to, from, document)
	}
	for _, path := range []string{"/provision/change/validate", "/provision/change"} {
		f.do("POST", path, change(premium, basic, doc(1))).want(200).has(map[string]string{
			"response": "success", "result.result": "accepted", "result.status": "changed", "result.previous_status": "active", "result.document": doc(1), "result.index": "0",
		})
	}
	for _, c := range []struct {
		body   string
		status int
		code   string
	}{
		{change(premium, basic, doc(1)), 200, ""},
		{change(basic, basic, doc(1)), 422, api.CodeSameProduct},
		{change(99, basic, doc(1)), 422, api.CodeUnknownProduct},
		{change(inactive, basic, doc(1)), 422, api.CodeProductInactive},
		{change(suspendOnly, basic, doc(1)), 422, api.CodeActionNotAllowed},
		{change(music, premium, doc(1)), 409, api.CodeOperationInProgress},
		{change(premium, music, doc(1)), 404, api.CodeServiceNotFound},
		{change(premium, basic, doc(2)), 404, api.CodeSubscriberNotFound},
		{change(premium, basic, "1"), 422, api.CodeValidationFailed},
		{`{}`, 422, api.CodeValidationFailed},
	} {
		f.do("POST", "/provision/change", c.body).want(c.status, c.code)
	}
	f.do("POST", "/provision/change", `{"product_id":null}`).has(map[string]string{
		"errors.0.pointer": "/product_id", "errors.1.pointer": "/previous_product_id", "errors.2.pointer": "/document"})
	f.confirm(1)
	f.do("POST", "/provision/change", change(music, premium, doc(1))).want(409, api.CodeNotReplaceable)
}

func TestAFaultOfTheWholeBatchIsRefusedBeforeAnyEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1)
	many := `{"contentSupplierProduct":1,"documents":[` + strings.TrimSuffix(strings.Repeat(`"1",`, 5001), ",") + `]}`
	for _, c := range []struct {
		body, code, pointer string
		status              int
	}{
		{`{"documents":["` + doc(1) + `"]}`, api.CodeValidationFailed, "/contentSupplierProduct", 422},
		{`{"contentSupplierProduct":1}`, api.CodeValidationFailed, "/documents", 422},
		{`{"contentSupplierProduct":1,"documents":[]}`, api.CodeValidationFailed, "/documents", 422},
		{`{"contentSupplierProduct":1,"documents":"` + doc(1) + `"}`, api.CodeValidationFailed, "/documents", 422},
		{`{"contentSupplierProduct":1,"documents":["` + doc(1) + `",5]}`, api.CodeValidationFailed, "/documents/1", 422},
		{`{"contentSupplierProduct":[1],"documents":[]}`, api.CodeValidationFailed, "/contentSupplierProduct", 422},
		{batch(99, 1), api.CodeUnknownProduct, "", 422},
		{batch(ungranted, 1), api.CodeUnknownProduct, "", 422},
		{batch(inactive, 1), api.CodeProductInactive, "", 422},
		{batch(suspendOnly, 1), api.CodeActionNotAllowed, "", 422},
		{many, api.CodeTooManyItems, "", 413},
		{`{"contentSupplierProduct":1,"documents":["` + doc(1) + `"]`, api.CodeMalformedJSON, "", 400},
	} {
		for _, path := range []string{"/provision/activate", "/provision/activate/validate"} {
			r := f.do("POST", path, c.body).want(c.status, c.code)
			if c.pointer != "" {
				r.has(map[string]string{"errors.0.pointer": c.pointer})
			}
		}
	}
	f.do("POST", "/provision/suspend", batch(basic, 1)).want(422, api.CodeBatchFailed).has(map[string]string{
		"operation": "suspend", "summary.failed": "1", "results.0.code": "service_not_found", "response": "error"})
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services": "[]"})
}
