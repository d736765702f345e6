package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// errorOf returns the error of a call alone.
func errorOf[T any](_ T, err error) error { return err }

func TestEveryMethodSendsTheRequestOfTheAPI(t *testing.T) {
	const doc = "52998224725"
	rows := []api.ImportRow{{SubscriberCreate: api.SubscriberCreate{Name: "Ana", Document: doc}, ProductsIDs: api.List[api.Int]{25}}}
	const row = `{"name":"Ana","email":"","document":"52998224725","phone":"","customer_plan":"","products_ids":[25]}`
	const batch = `{"contentSupplierProduct":25,"documents":["52998224725"]}`
	const change = `{"product_id":26,"previous_product_id":25,"document":"52998224725"}`
	created := api.SubscriberCreate{Name: "Ana", InternetSpeedID: api.Some(api.Int(3))}
	updated := api.SubscriberUpdate{CustomerPlan: api.Some("")}
	november := client.UsagePeriod{From: "2026-11-01", To: "2026-11-30", TZ: "UTC"}
	docs, moved := []string{doc}, api.ChangeRequest{ProductID: 26, PreviousProductID: 25, Document: doc}
	for _, c := range []struct {
		want string
		send func(*client.Client) error
	}{
		{"POST /subscribers " + `{"name":"Ana","email":"","document":"","phone":"","internet_speed_id":3,"customer_plan":""}` + " key",
			func(c *client.Client) error { return errorOf(c.CreateSubscriber(t.Context(), created, "key")) }},
		{"PUT /subscribers/" + doc + ` {"customer_plan":""} key`,
			func(c *client.Client) error { return errorOf(c.UpdateSubscriber(t.Context(), doc, updated, "key")) }},
		{"DELETE /subscribers/" + doc + "  key", func(c *client.Client) error { return errorOf(c.DeleteSubscriber(t.Context(), doc, "key")) }},
		{"POST /subscribers/resend_activation_email " + `{"document":"52998224725"} key`,
			func(c *client.Client) error { return errorOf(c.ResendActivationEmail(t.Context(), doc, "key")) }},
		{"POST /subscribers/import " + `{"subscribers":[` + row + `]} key`,
			func(c *client.Client) error { return errorOf(c.Import(t.Context(), rows, "key")) }},
		{"POST /subscribers/import/validate " + `{"subscribers":[` + row + `]} `,
			func(c *client.Client) error { return errorOf(c.ValidateImport(t.Context(), rows)) }},
		{"POST /provision/overdue " + batch + " key",
			func(c *client.Client) error { return errorOf(c.Provision(t.Context(), api.Overdue, 25, docs, "key")) }},
		{"POST /provision/settle/validate " + batch + " ",
			func(c *client.Client) error { return errorOf(c.ValidateProvision(t.Context(), api.Settle, 25, docs)) }},
		{"POST /provision/change " + change + " key",
			func(c *client.Client) error { return errorOf(c.Change(t.Context(), moved, "key")) }},
		{"POST /provision/change/validate " + change + " ",
			func(c *client.Client) error { return errorOf(c.ValidateChange(t.Context(), moved)) }},
		{"GET /subscribers/" + doc + "/history  ", func(c *client.Client) error { return errorOf(c.History(t.Context(), doc)) }},
		{"GET /events?after=c1&limit=7&wait=30  ",
			func(c *client.Client) error { return errorOf(c.Events(t.Context(), "c1", 7, 30*time.Second)) }},
		{"GET /subscribers/search/a%2Fb  ", func(c *client.Client) error { return errorOf(client.Collect(c.Search(t.Context(), "a/b"))) }},
		{"GET /provision/schedule?document=" + doc + "  ", func(c *client.Client) error { return errorOf(client.Collect(c.Schedules(t.Context(), doc))) }},
		{"GET /subscribers/internet_speeds  ", func(c *client.Client) error { return errorOf(c.InternetSpeeds(t.Context())) }},
		{"GET /reports/usage?from=2026-11-01&to=2026-11-30&tz=UTC  ", func(c *client.Client) error { return errorOf(c.Usage(t.Context(), november)) }},
		{"GET /reports/usage?detail=tokens&from=2026-11-01&to=2026-11-30&tz=UTC  ",
			func(c *client.Client) error {
				return errorOf(client.Collect(c.TokenUsage(t.Context(), november, new(api.Usage))))
			}},
	} {
		t.Run(strings.Join(strings.Fields(c.want)[:2], " "), func(t *testing.T) {
			var got string
			cl := apitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = fmt.Sprintf("%s %s %s %s", r.Method, r.URL, body, r.Header.Get(api.HeaderIdempotencyKey))
				if r.Header.Get("Authorization") != "Bearer bearer-1" || r.UserAgent() != "ativa/test" || (len(body) > 0 && r.Header.Get("Content-Type") != api.MediaJSON) {
					t.Errorf("headers: got %v", r.Header)
				}
				w.Header().Set(api.HeaderExtensions, api.Extensions)
				respond(w, 200, `{"data":[],"next_cursor":"c2","response":"success"}`)
			}), client.Options{UserAgent: "ativa/test"})
			if err := c.send(cl); err != nil {
				t.Error(err)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Our server's answer to a batch is decoded in one pass, also if every element failed; callers
// that show it also get its body. Without a result for each element a refusal stays an error.
func TestTheResultsOfARefusedBatchAreDecoded(t *testing.T) {
	const refusal = `{"response":"error","status":422,"code":"batch_failed"`
	for _, c := range []struct {
		status int
		body   string
		want   []api.BatchResult
	}{
		{200, `{"response":"success","operation":"suspend","content_supplier_product_id":25,"summary":{"total":1,"accepted":1,"unchanged":0,"failed":0},"results":[{"index":0,"document":"1","result":"accepted"}]}`,
			[]api.BatchResult{{Document: "1", Result: api.ResultAccepted}}},
		{422, refusal + `,"summary":{"total":1,"failed":1},"results":[{"index":0,"document":"1","result":"failed","code":"service_not_active","x":1}]}`,
			[]api.BatchResult{{Document: "1", Result: api.ResultFailed, Code: api.CodeServiceNotActive}}},
		{422, refusal + `}`, nil},
		{422, refusal + `,"summary":{"total":1,"failed":1}}`, nil},
		{422, refusal + `,"results":[]}`, nil},
		{422, refusal + `,"summary":{"total":1},"results":"none"}`, nil},
		{422, refusal + `,"summary":{"total":"one"},"results":[]}`, nil},
	} {
		got, err := apitest.Serve(t, answer(c.status, c.body), client.Options{}).Provision(t.Context(), api.Suspend, 25, []string{"1"}, "key")
		if !slices.Equal(got.Value.Results, c.want) || got.Detailed != (c.want != nil) || got.Detailed && (got.Value.Summary.Total != 1 || string(got.Raw) != c.body) {
			t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
		}
		if got.Detailed == client.HasCode(err, api.CodeBatchFailed) {
			t.Errorf("%s: got %v, want the error of the server if there are no results", c.body, err)
		}
	}
}

// A page of events without the next cursor would be read forever.
func TestEventsHaveTheCursorOfTheNextPage(t *testing.T) {
	const event = `{"id":"1","type":"service.status_changed","previous_status":null,"status":"inProgress","x":1}`
	for _, c := range []struct {
		body   string
		events int
		next   string
		ok     bool
	}{
		{`{"events":[` + event + `],"next_cursor":"c1"}`, 1, "c1", true},
		{`{"events":[]}`, 0, "", true},
		{`{"events":[` + event + `]}`, 0, "", false},
		{`{"events":[` + event + `],"next_cursor":7}`, 0, "", false},
	} {
		got, err := apitest.Serve(t, answer(200, c.body), client.Options{}).Events(t.Context(), "", 0, 0)
		if _, unexpected := errors.AsType[*client.UnexpectedResponseError](err); unexpected == c.ok || got.Next != c.next || len(got.Events) != c.events || c.events > 0 && got.Events[0].Value.StatusChange == nil {
			t.Errorf("%s: got %+v, %v", c.body, got, err)
		}
	}
}

// A server that ignores the wait of the event feed is not asked in a busy loop.
func TestFollowingPausesAfterAnEarlyEmptyPage(t *testing.T) {
	const next = `"next_cursor":"c1"`
	for _, c := range []struct {
		name, body   string
		answer, wait time.Duration
		cursor       string
		want         time.Duration
	}{
		{"ignored", `{"events":[],` + next + `}`, 0, 20 * time.Second, "c1", 500 * time.Millisecond},
		{"no wait asked", `{"events":[],` + next + `}`, 0, 0, "c1", 500 * time.Millisecond},
		{"no cursor", `{"events":[]}`, 0, 0, "c0", 500 * time.Millisecond},
		{"waited", `{"events":[],` + next + `}`, 20 * time.Second, 20 * time.Second, "c1", 20 * time.Second},
		{"an event", `{"events":[{"id":"1"}],` + next + `}`, 0, 20 * time.Second, "c1", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(c.answer)
				respond(w, 200, c.body)
			}
			began := time.Now()
			page, err := apitest.ServeInBubble(t, http.HandlerFunc(s), client.Options{}).FollowEvents(t.Context(), "c0", 7, c.wait)
			if took := time.Since(began); err != nil || page.Next != c.cursor || took != c.want {
				t.Errorf("%s: got %+v, %v after %v, want cursor %s after %v", c.name, page, err, took, c.cursor, c.want)
			}
		})
	}
}

func TestRawCallGivesTheBodyOfAnErrorToo(t *testing.T) {
	cl := apitest.Serve(t, answer(409, `{"code":"x"}`), client.Options{})
	got, err := cl.Do(t.Context(), client.Request{Method: "GET", Path: "/subscribers/52998224725"})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Route != "GET /subscribers/***" || got.Status != 409 || string(got.Body) != `{"code":"x"}` {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, path := range []string{"", "subscribers", "http://other.example.com/", "/x?%zz", "/%zz"} {
		_, err := cl.Do(t.Context(), client.Request{Method: "GET", Path: path})
		if !isUsage(err) {
			t.Errorf("%q: got %v, want an option error", path, err)
		}
	}
}
