package server_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"ativa/internal/api"
)

// A wrong request is refused with all its errors, as "status code", and "place code" for each field,
// where the place is the pointer to a member of the body or the name of a parameter. Nothing changes.
func TestWrongRequestsAreRefusedWithEveryErrorAndChangeNothing(t *testing.T) {
	f := newParallelFixture(t)
	f.activate(1, basic)
	f.register(2, 2)
	operation := f.suspend(4).String()
	schedule := f.do("POST", "/provision/schedule", scheduled("suspend", basic, laterOn, 1)).text("results", 0, "schedule_id")
	one, words := "/subscribers/"+doc(2), ""
	for i := range 33 {
		words += fmt.Sprintf("%%20w%02d", i)
	}
	event := func(kind, operation string) string {
		return fmt.Sprintf(`{"type":%q,"operation_id":%q}`, kind, operation)
	}
	before := f.state()
	const confirmed, invalid = "service.suspension.confirmed", "422 validation_failed "
	for _, c := range []struct{ request, body, want string }{
		{"POST /subscribers", subscriber(3, "name", `{"canary@example.com":"Canário"}`), invalid + "/name wrong_type"},
		{"POST /subscribers", subscriber(3, "email", `"canary@example.com canary"`), invalid + "/email invalid_email"},
		{"POST /subscribers", subscriber(3, "internet_speed_id", `1.5`), invalid + "/internet_speed_id wrong_type"},
		{"POST /subscribers", subscriber(3, "internet_speed_id", `"20.0"`), invalid + "/internet_speed_id wrong_type"},
		{"POST /subscribers", subscriber(3, "internet_speed_id", `1e99`), invalid + "/internet_speed_id wrong_type"},
		{"POST /subscribers", `[]`, invalid + " wrong_type"},
		{"POST /subscribers", `{"name":"","email":"x"}`, invalid + "/name required, /email invalid_email, /document required, /phone required"},
		{"PUT " + one, `{"name":null}`, invalid + "/name required"},
		{"PUT /subscribers/100.000.002-80", `{"document":"12345678900","name":"Canário\u0000"}`, invalid + "/name control_character, /document invalid_check_digit"},
		{"GET /subscribers/canary@example.com", "", "404 subscriber_not_found"},
		{"GET /subscribers/search/", "", invalid + "searchValue too_short"},
		{"GET /subscribers/search/" + words, "", invalid + "searchValue too_many_words"},
		{"POST /subscribers/resend_activation_email", `{"document":"123"}`, invalid + "/document invalid_length"},

		{"POST /subscribers/import", `{}`, invalid + "/subscribers required"},
		{"POST /subscribers/import", `{"subscribers":[]}`, invalid + "/subscribers required"},
		{"POST /subscribers/import", `{"subscribers":{}}`, invalid + "/subscribers wrong_type"},
		{"POST /subscribers/import", `{"subscribers":[{"name":"a","name":"b"}]}`, "400 malformed_json"},
		{"POST /subscribers/import", rows(strings.TrimSuffix(strings.Repeat("{},", api.MaxImportRows+1), ",")), "413 too_many_items 5001 of 5000"},

		{"POST /provision/activate", `{"documents":["` + doc(2) + `"]}`, invalid + "/contentSupplierProduct required"},
		{"POST /provision/activate", `{"contentSupplierProduct":1,"documents":"` + doc(2) + `"}`, invalid + "/documents wrong_type"},
		{"POST /provision/activate", `{"contentSupplierProduct":1,"documents":["` + doc(2) + `",5]}`, invalid + "/documents/1 wrong_type"},
		{"POST /provision/activate", strings.Repeat(" ", api.MaxBatchBytes+1), "413 payload_too_large 1.048577e+06 of 1.048576e+06"},
		{"POST /provision/activate", batch(basic, make([]int, api.MaxBatchDocuments+1)...), "413 too_many_items 5001 of 5000"},
		{"POST /provision/activate", batch(ungranted, 2), "422 unknown_product"}, // of other providers
		{"POST /provision/change", `{"product_id":null}`, invalid + "/product_id required, /previous_product_id required, /document required"},

		{"POST /provision/schedule", scheduled("suspend", basic, f.clock(), 1), invalid + "/at invalid"},
		{"POST /provision/schedule", scheduled("suspend", basic, f.clock().Add(367*24*time.Hour), 1), invalid + "/at invalid"},
		{"POST /provision/schedule", scheduled("suspend", basic, laterOn), invalid + "/documents required"},
		{"POST /provision/schedule", scheduled("change", basic, laterOn, 1), invalid + "/operation invalid"},
		{"POST /provision/schedule", `{"operation":"suspend","at":"x","contentSupplierProduct":1,"documents":["1"]}`, invalid + "/at invalid"},
		{"POST /provision/schedule", `{"operation":"suspend","at":"0001-01-01T00:00:00Z","contentSupplierProduct":1,"documents":["1"]}`, invalid + "/at invalid"},
		{"POST /provision/schedule", batch(basic, 1), invalid + "/operation required, /at required"},
		{"POST /provision/schedule/validate", scheduled("suspend", basic, laterOn, 2, 1), "200"},
		{"GET /provision/schedule?document=" + doc(9), "", "404 subscriber_not_found"},
		{"GET /provision/schedule?document=x", "", "404 subscriber_not_found"},
		{"DELETE /provision/schedule/" + strings.ToUpper(schedule), "", "404 schedule_not_found"},

		{"POST /tokens", `{"name":"x","expires_at":"2027-01-31"}`, invalid + "/expires_at invalid"},
		{"POST /tokens", `{"name":"x","scopes":[]}`, invalid + "/scopes invalid"},
		{"POST /tokens", `{"name":"x","scopes":["read",1]}`, invalid + "/scopes/1 wrong_type"},
		{"POST /tokens", `{"name":"x","scopes":["write"]}`, invalid + "/scopes/0 invalid"},
		{"POST /tokens", `{}`, invalid + "/name required"},
		{"POST /tokens/tok_1/rotate", `{"grace_seconds":-1}`, invalid + "/grace_seconds invalid"},
		{"POST /tokens/tok_1/rotate", `{"grace_seconds":31622401}`, invalid + "/grace_seconds invalid"},
		{"POST /tokens/default/rotate", "", "404 not_found"},

		{"GET /events?after=ev_", "", "422 invalid_cursor after invalid_cursor"},
		{"GET /reports/usage", "", invalid + "from required, to required"},
		{"GET /reports/usage?from=x&to=2026-01-32&tz=Local", "", invalid + "from invalid, to invalid, tz invalid"},

		{"POST /authenticate", `{}`, invalid + "/access_token required"},
		{"POST /authenticate", `{"access_token":"` + f.access + `x"}`, "401 invalid_access_token"},
		{"POST /partner/events", event("service.suspension", operation), invalid + "/type unknown_type"},
		{"POST /partner/events", event("service.overdue.confirmed", operation), invalid + "/type unknown_type"},
		{"POST /partner/events", event(confirmed, "x"), invalid + "/operation_id invalid_operation_id"},
		{"POST /partner/events", `{}`, invalid + "/type unknown_type, /operation_id invalid_operation_id"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		var headers []string
		if path == api.PathPartnerEvents {
			headers = f.sign("wrong", c.body, 0)
		}
		r := f.do(method, path, c.body, headers...)
		got := fmt.Sprint(r.status, " ", r.text("code"))
		if r.text("actual") != "" {
			got += " " + r.text("actual") + " of " + r.text("limit")
		}
		var fields []string
		wrong, _ := r.get("errors").([]any)
		for i := range wrong {
			place := cmp.Or(r.text("errors", i, "pointer"), r.text("errors", i, "field"))
			fields = append(fields, place+" "+r.text("errors", i, "code"))
		}
		if got = strings.TrimSpace(got + " " + strings.Join(fields, ", ")); got != c.want {
			t.Errorf("%s %.200s: got %q, want %q", c.request, c.body, got, c.want)
		}
		if diff := gocmp.Diff(before, f.state()); diff != "" {
			t.Errorf("%s %.200s changed the database (-before +after):\n%s", c.request, c.body, diff)
		}
	}
}
