package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

// errorCase is a request that is refused. before prepares it; its result replaces the $ in the
// request.
type errorCase struct {
	status                int
	before                func(f *fixture) string
	request, body, header string
}

// errorCases has a case for each error code.
func errorCases() map[string]errorCase {
	change := func(to, from int) string {
		return fmt.Sprintf(`{"product_id":%d,"previous_product_id":%d,"document":"%s"}`, to, from, doc(1))
	}
	document := `{"document":"` + doc(1) + `"}`
	run := func(do func(f *fixture)) func(*fixture) string { return func(f *fixture) string { do(f); return "" } }
	registered := run(func(f *fixture) { f.register(1, 1) })
	waiting := run(func(f *fixture) { f.register(1, 1, basic) })
	active := run(func(f *fixture) { f.activate(1, basic) })
	after := func(operation string, confirmed bool) func(*fixture) string {
		return run(func(f *fixture) {
			f.activate(1, basic)
			f.do("POST", "/provision/"+operation, batch(basic, 1)).want(200)
			f.confirm(doc(1), confirmed)
		})
	}
	return map[string]errorCase{
		api.CodeMalformedJSON:          {400, nil, "POST /subscribers", `{`, ""},
		api.CodeUnsupportedEncoding:    {400, nil, "POST /subscribers", `{}`, "Content-Encoding: br"},
		api.CodeTokenMissing:           {401, nil, "GET /products", "", "Authorization"},
		api.CodeTokenInvalid:           {401, nil, "GET /products", "", "Authorization: Bearer x"},
		api.CodeTokenExpired:           {401, run(func(f *fixture) { f.advance(api.BearerSeconds * 1e9) }), "GET /products", "", ""},
		api.CodeInvalidAccessToken:     {401, nil, "POST /authenticate", `{"access_token":"x"}`, ""},
		api.CodeInvalidSignature:       {401, nil, "POST /partner/events", `{}`, ""},
		api.CodeInsufficientScope:      {403, run(func(f *fixture) { _, f.bearer, _ = strings.Cut(f.token("x", domain.ScopeRead), "Bearer ") }), "POST /subscribers", "", ""},
		api.CodeNotFound:               {404, nil, "POST /nothing", "", ""},
		api.CodeSubscriberNotFound:     {404, nil, "GET /subscribers/" + doc(1), "", ""},
		api.CodeServiceNotFound:        {404, registered, "POST /provision/change", change(premium, basic), ""},
		api.CodeScheduleNotFound:       {404, nil, "DELETE /provision/schedule/sch_1", "", ""},
		api.CodeScheduleEnded:          {409, endedSchedule, "DELETE /provision/schedule/$", "", ""},
		api.CodeMethodNotAllowed:       {405, nil, "POST /products", "", ""},
		api.CodeUnsupportedMediaType:   {415, nil, "POST /subscribers", `{}`, "Content-Type: text/csv"},
		api.CodeSubscriberExists:       {409, registered, "POST /subscribers", subscriber(1), ""},
		api.CodeSubscriberHasServices:  {409, waiting, "DELETE /subscribers/" + doc(1), "", ""},
		api.CodeOperationInProgress:    {409, run(func(f *fixture) { f.suspend(1) }), "POST /provision/change", change(premium, basic), ""},
		api.CodeServiceNotActive:       {409, after("suspend", true), "POST /provision/change", change(premium, basic), ""},
		api.CodeServiceOverdue:         {409, after("overdue", true), "POST /provision/change", change(premium, basic), ""},
		api.CodeServiceCanceled:        {409, after("deactivate", true), "POST /provision/change", change(premium, basic), ""},
		api.CodeServiceInError:         {409, after("suspend", false), "POST /provision/change", change(premium, basic), ""},
		api.CodeServiceSuspended:       {422, after("suspend", true), "POST /provision/activate", batch(premium, 1), ""},
		api.CodeCancellationUnresolved: {422, after("deactivate", false), "POST /provision/activate", batch(basic, 1), ""},
		api.CodeNotReplaceable:         {409, active, "POST /provision/change", change(music, basic), ""},
		api.CodeFamilyConflict:         {422, nil, "POST /subscribers/import", rows(subscriber(1, "products_ids", "[1,2]")), ""},
		api.CodeNothingToResend:        {409, registered, "POST /subscribers/resend_activation_email", document, ""},
		api.CodeNameTaken:              {409, nil, "POST /tokens", `{"name":"default"}`, ""},
		api.CodeTokenLimit:             {409, manyTokens, "POST /tokens", `{"name":"one more"}`, ""},
		api.CodeLastAdminToken:         {409, func(f *fixture) string { return f.do("GET", "/tokens", "").text("tokens", 0, "id") }, "DELETE /tokens/$", "", ""},
		api.CodeAccessTokenEnded:       {409, endedToken, "POST /tokens/$/rotate", "", ""},
		api.CodeRequestInProgress:      {409, startedRequest, "POST /subscribers", subscriber(1), "Idempotency-Key: k"},
		api.CodeLinkInvalid:            {410, usedLink, "GET /activate/$", "", "Accept: application/json"},
		api.CodePayloadTooLarge:        {413, nil, "POST /subscribers", strings.Repeat(" ", api.MaxBodyBytes+1), ""},
		api.CodeTooManyItems:           {413, nil, "POST /provision/activate", batch(basic, make([]int, 5001)...), ""},
		api.CodeValidationFailed:       {422, nil, "POST /subscribers", `{}`, ""},
		api.CodeUnknownProduct:         {422, nil, "POST /provision/activate", batch(99, 1), ""},
		api.CodeProductInactive:        {422, nil, "POST /provision/activate", batch(inactive, 1), ""},
		api.CodeActionNotAllowed:       {422, nil, "POST /provision/activate", batch(suspendOnly, 1), ""},
		api.CodeSameProduct:            {422, nil, "POST /provision/change", change(basic, basic), ""},
		api.CodeInvalidCursor:          {422, nil, "GET /events?after=x", "", ""},
		api.CodeUnknownInternetSpeed:   {422, nil, "POST /subscribers", subscriber(1, "internet_speed_id", "99"), ""},
		api.CodeBatchFailed:            {422, nil, "POST /provision/activate", batch(basic, 1), ""},
		api.CodeIdempotencyKeyReused: {422, run(func(f *fixture) { f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(201) }),
			"POST /subscribers", subscriber(2), "Idempotency-Key: k"},
		api.CodeRateLimited: {429, run(func(f *fixture) { f.do("POST", "/authenticate", `{}`) }), "POST /authenticate", `{}`, ""},
		api.CodeUnavailable: {503, run(func(f *fixture) { f.server.BeginShutdown() }), "GET /readyz", "", ""},
		api.CodeInternal: {500, run(func(f *fixture) {
			f.store.update = func(context.Context) error { return errors.New("the disk is gone") }
		}),
			"POST /subscribers", subscriber(1), ""},
	}
}

func endedSchedule(f *fixture) (id string) {
	f.activate(1, basic)
	id = f.do("POST", "/provision/schedule", scheduled("suspend", basic, laterOn, 1)).want(200).text("results", 0, "schedule_id")
	f.do("DELETE", "/provision/schedule/"+id, "").want(200)
	return id
}

func endedToken(f *fixture) (id string) {
	id = f.do("POST", "/tokens", `{"name":"x"}`).want(201).text("token", "id")
	f.do("DELETE", "/tokens/"+id, "").want(200)
	return id
}

func manyTokens(f *fixture) string {
	for n := range api.MaxTokens - 1 {
		f.do("POST", "/tokens", fmt.Sprintf(`{"name":"t%d"}`, n)).want(201)
	}
	return ""
}

func usedLink(f *fixture) (link string) {
	f.register(1, 1, basic)
	link = f.links()[doc(1)]
	f.do("POST", "/activate/"+link, "").want(200)
	f.do("POST", "/provision/deactivate", batch(basic, 1)).want(200)
	return link
}

// startedRequest begins a request with a key, which runs until the end of the test.
func startedRequest(f *fixture) string {
	begun, end := make(chan struct{}), make(chan struct{})
	f.store.update = func(context.Context) error { close(begun); <-end; return nil }
	go func() { _, _ = f.send("POST", "/subscribers", subscriber(1), "Idempotency-Key: k") }()
	<-begun
	f.t.Cleanup(func() { close(end) })
	return ""
}

func TestEveryCodeComesWithItsStatus(t *testing.T) {
	t.Parallel()
	d, err := apicheck.Description()
	must(t, err)
	for _, v := range d.Components.Schemas["Code"].Value.Enum {
		code := v.(string)
		t.Run(code, func(t *testing.T) {
			f := newParallelFixture(t, func(o *server.Options, _ *domain.Provider) {
				if code == api.CodeRateLimited {
					o.AuthenticateBurst = 1
				}
			})
			c, covered := errorCases()[code]
			if !covered {
				t.Fatal("no case provokes it")
			}
			method, path, _ := strings.Cut(c.request, " ")
			if c.before != nil {
				path = strings.Replace(path, "$", c.before(f), 1)
			}
			if r := f.do(method, path, c.body, c.header).want(c.status); !strings.Contains(string(r.body), `"code":"`+code+`"`) {
				t.Errorf("got %s, want code %s", r.body, code)
			}
		})
	}
}
