package server_test

import (
	"testing"
)

func TestAnImportHasAResultForEachRowInOrder(t *testing.T) {
	f := newParallelFixture(t, limit(1))
	f.register(9, 9)
	failed := func(index, document, field, code, detail string) string {
		return `{"index":` + index + `,"document":"` + document + `","result":"failed","services":[],
			"errors":[{"field":"` + field + `","code":"` + code + `","detail":"` + detail + `"}]}`
	}
	f.do("POST", "/api/subscribers/import", rows(
		subscriber(1, "products_ids", `["1",1,3]`),
		subscriber(9, "email", `"outro@example.com"`),
		`{"name":5,"document":"`+doc(3)+`"}`,
		subscriber(1, "products_ids", `[3,1]`),
		subscriber(1, "name", `"Outra"`),
		subscriber(7, "products_ids", `[1,null]`),
		`7`,
		subscriber(8, "products_ids", `null`),
	)).want(200).is(`{"response":"partial","summary":{"total":8,"created":2,"existing":1,"duplicate":1,"failed":4},"results":[
		{"index":0,"document":"` + doc(1) + `","result":"created","services":[
			{"product_id":1,"status":"inProgress","status_id":10},{"product_id":3,"status":"limitReached","status_id":6,"queue_position":1}]},
		{"index":1,"document":"` + doc(9) + `","result":"existing","services":[],"differs":["email"]},
		` + failed("2", doc(3), "name", "wrong_type", "must be a string") + `,
		{"index":3,"document":"` + doc(1) + `","result":"duplicate","services":[],"duplicate_of":0},
		{"index":4,"document":"` + doc(1) + `","result":"failed","services":[],"duplicate_of":0,
			"errors":[{"field":"document","code":"duplicate_in_request","detail":"the document is in an earlier row with other data"}]},
		` + failed("5", doc(7), "products_ids", "wrong_type", "not an integer") + `,
		` + failed("6", "", "", "wrong_type", "must be an object") + `,
		{"index":7,"document":"` + doc(8) + `","result":"created","services":[]}]}`)
}
