package server_test

import (
	"strings"
	"testing"
)

func TestABatchHasAResultForEachDocumentInOrder(t *testing.T) {
	f := newParallelFixture(t, limit(2))
	f.register(1, 4)
	body := `{"contentSupplierProduct":"1","documents":["` + doc(1) + `","100.000.002-99","` + doc(3) + `","` + doc(1) + `","` + doc(99) + `","x"]}`
	body = strings.Replace(body, "100.000.002-99", doc(2)[:3]+"."+doc(2)[3:6]+"."+doc(2)[6:9]+"-"+doc(2)[9:], 1)
	const accepted = `"result":"accepted","previous_status":null,"operation_id":"op"`
	f.do("POST", "/provision/activate", body).want(200).is(`{
		"response":"partial","operation":"activate","content_supplier_product_id":1,"summary":{"total":6,"accepted":3,"unchanged":1,"failed":2},"results":[
		{"index":0,"document":"` + doc(1) + `","status":"inProgress","status_id":10,` + accepted + `},
		{"index":1,"document":"` + doc(2) + `","status":"inProgress","status_id":10,` + accepted + `},
		{"index":2,"document":"` + doc(3) + `","status":"limitReached","status_id":6,"queue_position":1,` + accepted + `},
		{"index":3,"document":"` + doc(1) + `","result":"unchanged","status":"inProgress","status_id":10,"previous_status":"inProgress"},
		{"index":4,"document":"` + doc(99) + `","result":"failed","status":null,"status_id":null,"previous_status":null,
			"code":"subscriber_not_found","detail":"no subscriber has this document"},
		{"index":5,"document":"x","result":"failed","status":null,"status_id":null,"previous_status":null,
			"code":"invalid_characters","detail":"a CPF is written with digits only or as ddd.ddd.ddd-dd"}]}`)
	f.do("POST", "/provision/activate", batch(basic, 1, 2, 3)).want(200).
		has(map[string]string{"response": "success", "summary.unchanged": "3", "results.2.queue_position": "1"})
}
