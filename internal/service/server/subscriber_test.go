package server_test

import (
	"testing"
	"time"
)

// A PUT changes the fields in its body: an absent one stays, null removes the value.
func TestAPUTChangesOnlyTheFieldsInItsBody(t *testing.T) {
	f := newParallelFixture(t)
	f.do("POST", "/subscribers", subscriber(1, "internet_speed_id", "7", "customer_plan", `"Fibra"`)).want(201)
	path := "/subscribers/" + doc(1)
	before := f.do("GET", path, "").want(200)
	for _, body := range []string{`{}`, `{"document":"` + doc(1) + `"}`, subscriber(1)} {
		if got := f.do("PUT", path, body).want(200); string(got.body) != string(before.body) {
			t.Errorf("%s: got %s, want %s", body, got.body, before.body)
		}
	}
	f.do("PUT", path, `{"customer_plan":""}`).want(200).has(map[string]string{"subscriber.customer_plan": "", "subscriber.internet_speed_id": "7"})
	for _, number := range []string{`20`, `"20"`, `20.0`, `200E-1`} { // any spelling without a fraction (JSON Schema)
		f.do("PUT", path, `{"internet_speed_id":`+number+`}`).want(200).has(map[string]string{"subscriber.internet_speed_id": "20"})
	}
	f.do("PUT", path, `{"internet_speed_id":null}`).want(200).has(map[string]string{"subscriber.internet_speed_id": "38"}) // not informed
}

func TestAResendHasAResultForEachToken(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic, music)
	f.do("POST", "/provision/deactivate", batch(music, 1)).want(200)
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200).has(map[string]string{
		"results.0.result": "sent", "results.0.reason": "",
		"results.1.result": "skipped", "results.1.reason": "waitingCancellation",
	})
}

func TestServicesAreInOrderOfCreation(t *testing.T) {
	f := newParallelFixture(t)
	f.activate(1, music)
	f.do("POST", "/provision/deactivate", batch(music, 1)).want(200)
	f.confirm(doc(1), true)
	for _, product := range []int{basic, music} {
		f.advance(time.Hour)
		f.do("POST", "/provision/activate", batch(product, 1)).want(200)
	}
	for path, at := range map[string]string{"/subscribers/" + doc(1): "subscriber.services.", "/subscribers": "subscribers.0.services.", "/subscribers?paginate=S": "data.0.services."} {
		f.do("GET", path, "").want(200).has(map[string]string{
			at + "0.content_supplier_product_id": "3", at + "0.status": "canceled", at + "0.status_id": "3", at + "0.token_created_at": "2026-01-31T12:00:00.000000Z",
			at + "1.content_supplier_product_id": "1", at + "1.status": "inProgress", at + "1.token_created_at": "2026-01-31T13:00:00.000000Z",
			at + "2.content_supplier_product_code": "musica", at + "2.content_supplier_product_name": "Música", at + "2.token_created_at": "2026-01-31T14:00:00.000000Z",
		})
	}
}
