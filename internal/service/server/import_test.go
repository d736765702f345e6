package server_test

import "testing"

// The example of /docs has a row that is created, one that exists and one that fails.
func TestAnImportHasAResultForEachRowInOrder(t *testing.T) {
	f := newParallelFixture(t, limit(1))
	f.do("POST", "/api/subscribers/import", rows(
		subscriber(1, "products_ids", `["1",1,3]`),
		subscriber(1, "products_ids", `[3,1]`),
		subscriber(1, "name", `"Outra"`),
		`7`,
		subscriber(8, "products_ids", `null`),
	)).want(200).is(`{"response":"partial","summary":{"total":5,"created":2,"existing":0,"duplicate":1,"failed":2},"results":[
		{"index":0,"document":"` + doc(1) + `","result":"created","services":[
			{"product_id":1,"status":"inProgress","status_id":10},{"product_id":3,"status":"limitReached","status_id":6,"queue_position":1}]},
		{"index":1,"document":"` + doc(1) + `","result":"duplicate","services":[],"duplicate_of":0},
		{"index":2,"document":"` + doc(1) + `","result":"failed","services":[],"duplicate_of":0,
			"errors":[{"field":"document","code":"duplicate_in_request","detail":"the document is in an earlier row with other data"}]},
		{"index":3,"document":"","result":"failed","services":[],"errors":[{"field":"","code":"wrong_type","detail":"must be an object"}]},
		{"index":4,"document":"` + doc(8) + `","result":"created","services":[]}]}`)
}
