package server_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

func TestWrongFieldsAreNamedWithTheirPointer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct{ body, pointer, code string }{
		{subscriber(1, "name", `5`), "/name", "wrong_type"},
		{subscriber(1, "name", `["x"]`), "/name", "wrong_type"},
		{subscriber(1, "name", `null`), "/name", "required"},
		{subscriber(1, "email", ""), "/email", "required"},
		{subscriber(1, "document", `52998224725`), "/document", "wrong_type"},
		{subscriber(1, "document", `"52998224724"`), "/document", "invalid_check_digit"},
		{subscriber(1, "internet_speed_id", `"fast"`), "/internet_speed_id", "wrong_type"},
		{subscriber(1, "internet_speed_id", `1.5`), "/internet_speed_id", "wrong_type"},
		{subscriber(1, "internet_speed_id", `"20.0"`), "/internet_speed_id", "wrong_type"},
		{subscriber(1, "internet_speed_id", `1e99`), "/internet_speed_id", "wrong_type"},
		{subscriber(1, "internet_speed_id", `true`), "/internet_speed_id", "wrong_type"},
		{`[]`, "", "wrong_type"},
		{`"x"`, "", "wrong_type"},
	} {
		r := f.do("POST", "/subscribers", c.body).want(422, api.CodeValidationFailed)
		if got := r.text("errors", 0, "pointer"); got != c.pointer {
			t.Errorf("%s: pointer: got %q, want %q", c.body, got, c.pointer)
		}
		if got := r.text("errors", 0, "code"); got != c.code {
			t.Errorf("%s: code: got %q, want %q", c.body, got, c.code)
		}
	}
	f.do("POST", "/subscribers", `{"name":"","email":"x"}`).want(422).
		has(map[string]string{"errors.0.field": "name", "errors.1.field": "email", "errors.2.field": "document", "errors.3.field": "phone"})
}

// An integer is a number without a fraction in any spelling (JSON Schema).
func TestAnIntegerMayBeWrittenWithAPoint(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, number := range []string{`20`, `"20"`, `20.0`, `2e1`, `200E-1`} {
		f.do("POST", "/subscribers", subscriber(i+1, "internet_speed_id", number)).want(201).has(map[string]string{"subscriber.internet_speed_id": "20"})
	}
}

// A PUT changes the fields in its body: an absent one stays, null removes the value.
func TestAPUTChangesWhatItNamesAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do("POST", "/subscribers", subscriber(1, "internet_speed_id", "7", "customer_plan", `"Fibra"`)).want(201)
	path := "/subscribers/" + doc(1)
	before := f.do("GET", path, "").want(200)
	for _, body := range []string{`{}`, `{"document":"` + doc(1) + `"}`, subscriber(1)} {
		if got := f.do("PUT", path, body).want(200); string(got.body) != string(before.body) {
			t.Errorf("%s: got %s, want %s", body, got.body, before.body)
		}
	}
	for _, field := range []string{"name", "email", "document", "phone"} {
		f.do("PUT", path, `{"`+field+`":null}`).want(422, api.CodeValidationFailed).has(map[string]string{"errors.0.code": "required", "errors.0.pointer": "/" + field})
	}
	f.do("PUT", path, `{"customer_plan":""}`).want(200).has(map[string]string{"subscriber.customer_plan": "", "subscriber.internet_speed_id": "7"})
	f.do("PUT", path, `{"internet_speed_id":null}`).want(200).has(map[string]string{"subscriber.internet_speed_id": "38"}) // not informed
}

func TestPersonalDataNeverStandsInAnErrorOrTheLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1)
	canaries := []string{doc(1), "100.000.001-08", "canary@example.com", "Canário", "987654321", f.bearer, f.access}
	for _, r := range []reply{
		f.do("POST", "/subscribers", subscriber(1)).want(409),
		f.do("POST", "/subscribers", subscriber(1, "email", `"canary@example.com canary"`)).want(422),
		f.do("POST", "/subscribers", subscriber(1, "name", `{"canary@example.com":"Canário"}`)).want(422),
		f.do("PUT", "/subscribers/100.000.001-08", `{"document":"12345678900","name":"Canário\u0000"}`).want(422),
		f.do("GET", "/subscribers/search/C", "").want(422),
		f.do("GET", "/subscribers/canary@example.com", "").want(404),
		f.do("POST", "/authenticate", `{"access_token":"`+f.access+`x"}`).want(401),
		f.do("GET", "/nothing/"+doc(1), "").want(404),
	} {
		for _, canary := range canaries {
			if strings.Contains(string(r.body), canary) {
				t.Errorf("%q stands in %s", canary, r.body)
			}
		}
	}
	if !strings.Contains(f.log.String(), `"route":"/subscribers/{document}"`) {
		t.Error("the log lacks the template of the route")
	}
}

func TestResendSaysWhatWasDoneForEachToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1, basic, music)
	f.do("POST", "/provision/deactivate", batch(music, 1)).want(200)
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200).has(map[string]string{
		"response": "success", "document": doc(1), "results.0.result": "sent", "results.0.reason": "",
		"results.0.content_supplier_product_id": "1", "results.0.content_supplier_product_name": "Play Básico", "results.0.status": "inProgress",
		"results.1.result": "skipped", "results.1.reason": "waitingCancellation",
	})
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"123"}`).want(422, api.CodeValidationFailed).
		has(map[string]string{"errors.0.pointer": "/document", "errors.0.code": "invalid_length"})
}

func TestServicesAreInOrderOfTheirTokensCancelledOnesIncluded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, music)
	f.do("POST", "/provision/deactivate", batch(music, 1)).want(200)
	f.confirm(1)
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
