package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

// errorCases has a request and its status for each error code.
func errorCases() map[string]struct {
	status int
	by     func(f *fixture) reply
} {
	type c = struct {
		status int
		by     func(f *fixture) reply
	}
	change := func(to, from, n int) string {
		return fmt.Sprintf(`{"product_id":%d,"previous_product_id":%d,"document":"%s"}`, to, from, doc(n))
	}
	post := func(path, body string) func(f *fixture) reply {
		return func(f *fixture) reply { return f.do("POST", path, body) }
	}
	// after runs operations on an active service, then requests a change.
	after := func(confirmed bool, operations ...string) func(f *fixture) reply {
		return func(f *fixture) reply {
			f.activate(1, basic)
			for _, o := range operations {
				f.do("POST", "/provision/"+o, batch(basic, 1)).want(200)
				f.confirmWith(1, confirmed)
			}
			return f.do("POST", "/provision/change", change(premium, basic, 1))
		}
	}
	running := func(f *fixture) reply {
		f.activate(1, basic)
		f.do("POST", "/provision/suspend", batch(basic, 1)).want(200)
		return f.do("POST", "/provision/change", change(premium, basic, 1))
	}
	return map[string]c{
		api.CodeMalformedJSON:       {400, post("/subscribers", `{`)},
		api.CodeUnsupportedEncoding: {400, func(f *fixture) reply { return f.do("POST", "/subscribers", `{}`, "Content-Encoding: br") }},
		api.CodeTokenMissing:        {401, func(f *fixture) reply { return f.do("GET", "/products", "", "Authorization") }},
		api.CodeTokenInvalid:        {401, func(f *fixture) reply { return f.do("GET", "/products", "", "Authorization: Bearer x") }},
		api.CodeTokenExpired: {401, func(f *fixture) reply {
			f.advance(api.BearerSeconds * 1e9)
			return f.do("GET", "/products", "")
		}},
		api.CodeInvalidAccessToken: {401, post("/authenticate", `{"access_token":"x"}`)},
		api.CodeInvalidSignature:   {401, post("/partner/events", `{}`)},
		api.CodeNotFound:           {404, post("/nothing", "")},
		api.CodeSubscriberNotFound: {404, func(f *fixture) reply { return f.do("GET", "/subscribers/"+doc(1), "") }},
		api.CodeServiceNotFound: {404, func(f *fixture) reply {
			f.register(1, 1)
			return f.do("POST", "/provision/change", change(premium, basic, 1))
		}},
		api.CodeScheduleNotFound: {404, func(f *fixture) reply { return f.do("DELETE", "/provision/schedule/sch_1", "") }},
		api.CodeScheduleEnded: {409, func(f *fixture) reply {
			f.activate(1, basic)
			path := api.SchedulePath(f.do("POST", "/provision/schedule", scheduled("suspend", basic, laterOn, 1)).want(200).text("results", 0, "schedule_id"))
			f.do("DELETE", path, "").want(200)
			return f.do("DELETE", path, "")
		}},
		api.CodeMethodNotAllowed:      {405, post("/products", "")},
		api.CodeUnsupportedMediaType:  {415, func(f *fixture) reply { return f.do("POST", "/subscribers", `{}`, "Content-Type: text/csv") }},
		api.CodeSubscriberExists:      {409, func(f *fixture) reply { f.register(1, 1); return f.do("POST", "/subscribers", subscriber(1)) }},
		api.CodeSubscriberHasServices: {409, func(f *fixture) reply { f.register(1, 1, basic); return f.do("DELETE", "/subscribers/"+doc(1), "") }},
		api.CodeOperationInProgress:   {409, running},
		api.CodeServiceNotActive:      {409, after(true, "suspend")},
		api.CodeServiceOverdue:        {409, after(true, "overdue")},
		api.CodeServiceCanceled:       {409, after(true, "deactivate")},
		api.CodeServiceInError:        {409, after(false, "suspend")},
		api.CodeServiceSuspended: {422, func(f *fixture) reply {
			after(true, "suspend")(f)
			return f.do("POST", "/provision/activate", batch(premium, 1))
		}},
		api.CodeCancellationUnresolved: {422, func(f *fixture) reply {
			after(false, "deactivate")(f)
			return f.do("POST", "/provision/activate", batch(basic, 1))
		}},
		api.CodeNotReplaceable: {409, func(f *fixture) reply {
			f.activate(1, basic)
			return f.do("POST", "/provision/change", change(music, basic, 1))
		}},
		api.CodeFamilyConflict: {422, post("/subscribers/import", rows(subscriber(1, "products_ids", "[1,2]")))},
		api.CodeNothingToResend: {409, func(f *fixture) reply {
			f.register(1, 1)
			return f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`)
		}},
		api.CodeNameTaken: {409, post("/tokens", `{"name":"default"}`)},
		api.CodeTokenLimit: {409, func(f *fixture) reply {
			for n := range api.MaxTokens - 1 {
				f.do("POST", "/tokens", fmt.Sprintf(`{"name":"t%d"}`, n)).want(201)
			}
			return f.do("POST", "/tokens", `{"name":"one more"}`)
		}},
		api.CodeLastAdminToken: {409, func(f *fixture) reply {
			return f.do("DELETE", "/tokens/"+f.do("GET", "/tokens", "").text("tokens", 0, "id"), "")
		}},
		api.CodeAccessTokenEnded: {409, func(f *fixture) reply {
			id := f.do("POST", "/tokens", `{"name":"x"}`).text("token", "id")
			f.do("DELETE", "/tokens/"+id, "").want(200)
			return f.do("POST", "/tokens/"+id+"/rotate", "")
		}},
		api.CodeRequestInProgress: {409, func(f *fixture) reply { return f.sendTwice() }},
		api.CodeLinkInvalid: {410, func(f *fixture) reply {
			f.register(1, 1, basic)
			link := f.links()[doc(1)]
			f.do("POST", "/activate/"+link, "").want(200)
			f.do("POST", "/provision/deactivate", batch(basic, 1)).want(200)
			return f.do("GET", "/activate/"+link, "", "Accept: application/json")
		}},
		api.CodePayloadTooLarge:      {413, post("/subscribers", strings.Repeat(" ", api.MaxBodyBytes+1))},
		api.CodeTooManyItems:         {413, post("/provision/activate", batch(basic, make([]int, 5001)...))},
		api.CodeValidationFailed:     {422, post("/subscribers", `{}`)},
		api.CodeUnknownProduct:       {422, post("/provision/activate", batch(99, 1))},
		api.CodeProductInactive:      {422, post("/provision/activate", batch(inactive, 1))},
		api.CodeActionNotAllowed:     {422, post("/provision/activate", batch(suspendOnly, 1))},
		api.CodeSameProduct:          {422, post("/provision/change", change(basic, basic, 1))},
		api.CodeInvalidCursor:        {422, func(f *fixture) reply { return f.do("GET", "/events?after=x", "") }},
		api.CodeUnknownInternetSpeed: {422, post("/subscribers", subscriber(1, "internet_speed_id", "99"))},
		api.CodeBatchFailed:          {422, post("/provision/activate", batch(basic, 1))},
		api.CodeIdempotencyKeyReused: {422, func(f *fixture) reply {
			f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(201)
			return f.do("POST", "/subscribers", subscriber(2), "Idempotency-Key: k")
		}},
		api.CodeRateLimited: {429, func(f *fixture) reply {
			f.do("POST", "/authenticate", `{}`)
			return f.do("POST", "/authenticate", `{}`)
		}},
		api.CodeUnavailable: {503, func(f *fixture) reply { f.server.BeginShutdown(); return f.do("GET", "/readyz", "") }},
		api.CodeInternal: {500, func(f *fixture) reply {
			f.store.update = func(context.Context) error { return fmt.Errorf("the disk is gone") }
			return f.do("POST", "/subscribers", subscriber(1))
		}},
	}
}

// sendTwice repeats a request while the first one still runs, and returns the second response.
func (f *fixture) sendTwice() (second reply) {
	f.store.update = func(context.Context) error {
		if second.body == nil {
			f.store.update = nil
			second = f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k")
		}
		return nil
	}
	f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(201)
	return second
}

func TestEveryCodeComesWithItsStatus(t *testing.T) {
	t.Parallel()
	cases := errorCases()
	d, err := apicheck.Description()
	must(t, err)
	for _, v := range d.Components.Schemas["Code"].Value.Enum {
		code := v.(string)
		if code == api.CodeInsufficientScope {
			continue // the fixture's token has all scopes
		}
		c, ok := cases[code]
		if !ok {
			t.Errorf("%s: no case provokes it", code)
			continue
		}
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(o *server.Options, _ *domain.Provider) {
				if code == api.CodeRateLimited {
					o.AuthenticateBurst = 1
				}
			})
			if r := c.by(f).want(c.status); !strings.Contains(string(r.body), `"code":"`+code+`"`) {
				t.Errorf("got %s, want code %s", r.body, code)
			}
		})
	}
}
