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
	f.do("POST", "/provision/activate", body).want(200).has(want)
	f.do("POST", "/provision/activate", batch(basic, 1, 2, 3)).want(200).
		has(map[string]string{"response": "success", "summary.unchanged": "3", "results.2.queue_position": "1"})
}
