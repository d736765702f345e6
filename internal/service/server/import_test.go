package server_test

import (
	"testing"

	"ativa/internal/api"
)

func TestAnImportHasAResultForEachRowInOrder(t *testing.T) {
	f := newParallelFixture(t, limit(1))
	f.register(9, 9)
	body := rows(
		subscriber(1, "products_ids", `["1",1,3]`),
		subscriber(9, "email", `"outro@example.com"`),
		`{"name":5,"document":"`+doc(3)+`"}`,
		subscriber(1, "products_ids", `[3,1]`),
		subscriber(1, "name", `"Outra"`),
		subscriber(4, "products_ids", `[99]`),
		subscriber(5, "products_ids", `[1,2]`),
		subscriber(6, "products_ids", `"1"`),
		subscriber(7, "products_ids", `[1,null]`),
		`7`,
		subscriber(8, "products_ids", `null`),
	)
	want := map[string]string{
		"response": "partial", "summary.total": "11", "summary.created": "2", "summary.existing": "1", "summary.duplicate": "1", "summary.failed": "7",
		"results.0.result": "created", "results.0.index": "0", "results.0.document": doc(1),
		"results.0.services.0.product_id": "1", "results.0.services.0.status": "inProgress", "results.0.services.0.status_id": "10", "results.0.services.0.queue_position": "",
		"results.0.services.1.product_id": "3", "results.0.services.1.status": "limitReached", "results.0.services.1.queue_position": "1",
		"results.1.result": "existing", "results.1.differs": "[email]", "results.1.services": "[]",
		"results.2.result": "failed", "results.2.index": "2", "results.2.document": doc(3), "results.2.errors.0.field": "name", "results.2.errors.0.code": "wrong_type",
		"results.2.errors.0.pointer": "",
		"results.3.result":           "duplicate", "results.3.duplicate_of": "0",
		"results.4.result": "failed", "results.4.duplicate_of": "0", "results.4.errors.0.code": "duplicate_in_request",
		"results.5.result": "failed", "results.5.errors.0.field": "products_ids", "results.5.errors.0.code": "unknown_product",
		"results.6.errors.0.code": "family_conflict",
		"results.7.errors.0.code": "wrong_type",
		"results.8.errors.0.code": "wrong_type",
		"results.9.errors.0.code": "wrong_type", "results.9.document": "",
		"results.10.result": "created", "results.10.index": "10",
	}
	f.do("POST", "/api/subscribers/import", body).want(200).has(want)
}

// If nothing is created, the response is a problem with the results. It still has the digits of
// documents, and the index of the first of two equal rows.
func TestAnImportWithoutASuccessIsAProblemWithItsResults(t *testing.T) {
	f := newParallelFixture(t)
	f.do("POST", "/subscribers/import", rows(`{"document":"529.982.247-25","name":5}`, subscriber(1, "email", `"x"`), `5`, `{"document":"x.1"}`)).
		want(422, api.CodeBatchFailed).has(map[string]string{
		"response": "error", "status": "422", "summary.failed": "4", "results.0.document": "52998224725", "results.0.errors.0.code": "wrong_type",
		"results.1.errors.0.code": "invalid_email", "results.2.errors.0.code": "wrong_type", "results.3.document": "x.1",
	})
	f.do("POST", "/subscribers/import", rows(`{}`, `{"name":1}`, subscriber(1), subscriber(1))).want(200).
		has(map[string]string{"results.3.result": "duplicate", "results.3.duplicate_of": "2"})
}
