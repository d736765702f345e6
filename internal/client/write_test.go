package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

func TestEveryMethodSendsTheRequestOfTheAPI(t *testing.T) {
	const doc = "52998224725"
	rows := []api.ImportRow{{SubscriberCreate: api.SubscriberCreate{Name: "Ana", Document: doc}, ProductsIDs: api.List[api.Int]{25}}}
	const row = `{"name":"Ana","email":"","document":"52998224725","phone":"","customer_plan":"","products_ids":[25]}`
	const batch = `{"contentSupplierProduct":25,"documents":["52998224725"]}`
	const change = `{"product_id":26,"previous_product_id":25,"document":"52998224725"}`
	november := client.UsagePeriod{From: "2026-11-01", To: "2026-11-30", TZ: "UTC"}
	docs, moved := []string{doc}, api.ChangeRequest{ProductID: 26, PreviousProductID: 25, Document: doc}
	for _, c := range []struct {
		want string
		send func(*client.Client) error
	}{
		{"POST /subscribers " + `{"name":"Ana","email":"","document":"","phone":"","internet_speed_id":3,"customer_plan":""}` + " key",
			func(c *client.Client) error {
				_, err := c.CreateSubscriber(t.Context(), api.SubscriberCreate{Name: "Ana", InternetSpeedID: api.Some(api.Int(3))}, "key")
				return err
			}},
		{"PUT /subscribers/" + doc + ` {"customer_plan":""} key`, func(c *client.Client) error {
			_, err := c.UpdateSubscriber(t.Context(), doc, api.SubscriberUpdate{CustomerPlan: api.Some("")}, "key")
			return err
		}},
		{"DELETE /subscribers/" + doc + "  key", func(c *client.Client) error { _, err := c.DeleteSubscriber(t.Context(), doc, "key"); return err }},
		{"POST /subscribers/resend_activation_email " + `{"document":"52998224725"} key`,
			func(c *client.Client) error { _, err := c.ResendActivationEmail(t.Context(), doc, "key"); return err }},
		{"POST /subscribers/import " + `{"subscribers":[` + row + `]} key`,
			func(c *client.Client) error { _, err := c.Import(t.Context(), rows, "key"); return err }},
		{"POST /subscribers/import/validate " + `{"subscribers":[` + row + `]} `,
			func(c *client.Client) error { _, err := c.ValidateImport(t.Context(), rows); return err }},
		{"POST /provision/overdue " + batch + " key",
			func(c *client.Client) error {
				_, err := c.Provision(t.Context(), api.Overdue, 25, docs, "key")
				return err
			}},
		{"POST /provision/settle/validate " + batch + " ",
			func(c *client.Client) error {
				_, err := c.ValidateProvision(t.Context(), api.Settle, 25, docs)
				return err
			}},
		{"POST /provision/change " + change + " key",
			func(c *client.Client) error { _, err := c.Change(t.Context(), moved, "key"); return err }},
		{"POST /provision/change/validate " + change + " ",
			func(c *client.Client) error { _, err := c.ValidateChange(t.Context(), moved); return err }},
		{"GET /subscribers/" + doc + "/history  ", func(c *client.Client) error { _, err := c.History(t.Context(), doc); return err }},
		{"GET /events?after=c1&limit=7&wait=30  ",
			func(c *client.Client) error { _, err := c.Events(t.Context(), "c1", 7, 30*time.Second); return err }},
		{"GET /subscribers/search/a%2Fb  ", func(c *client.Client) error { _, err := client.Collect(c.Search(t.Context(), "a/b")); return err }},
		{"GET /subscribers/internet_speeds  ", func(c *client.Client) error { _, err := c.InternetSpeeds(t.Context()); return err }},
		{"GET /reports/usage?from=2026-11-01&to=2026-11-30&tz=UTC  ", func(c *client.Client) error { _, err := c.Usage(t.Context(), november); return err }},
		{"GET /reports/usage?detail=tokens&from=2026-11-01&to=2026-11-30&tz=UTC  ",
			func(c *client.Client) error {
				_, err := client.Collect(c.TokenUsage(t.Context(), november, new(api.Usage)))
				return err
			}},
		{`PATCH /x?y=1 {} key`, func(c *client.Client) error {
			_, err := c.Do(t.Context(), client.Request{Method: "PATCH", Path: "/x?y=1", Body: []byte("{}"), Key: "key"})
			return err
		}},
	} {
		t.Run(strings.Join(strings.Fields(c.want)[:2], " "), func(t *testing.T) {
			var got string
			cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// The body of an import equals that of encoding/json without HTML escapes: the key of an
// interrupted run is valid for no other body.
func TestABatchIsEncodedLikeEncodingJSON(t *testing.T) {
	rows := []api.ImportRow{
		{SubscriberCreate: api.SubscriberCreate{Name: "José <Zé> & \"Filhos\"", Document: "52998224725", InternetSpeedID: api.Some(api.Int(38)), CustomerPlan: "\u2028"}, ProductsIDs: api.List[api.Int]{1, 25}},
		{SubscriberCreate: api.SubscriberCreate{Name: "Ana"}},
	}
	for _, rows := range [][]api.ImportRow{nil, rows, rows[1:]} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		must(t, e.Encode(api.ImportRequest{Subscribers: rows}))
		cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got, err := io.ReadAll(r.Body); err != nil || string(got)+"\n" != want.String() {
				t.Errorf("got %s, %v, want %s", got, err, &want)
			}
			respond(w, 200, `{"response":"success"}`)
		}), client.Options{})
		if _, err := cl.Import(t.Context(), rows, "key"); err != nil {
			t.Error(err)
		}
	}
}

// Our server's answer to an import or a batch is decoded in one pass; callers that show it also get
// its body.
func TestTheAnswerToABatchHasItsResults(t *testing.T) {
	const batch = `{"response":"success","operation":"suspend","content_supplier_product_id":25,"summary":{"total":1,"accepted":1,"unchanged":0,"failed":0},"results":[{"index":0,"document":"52998224725","result":"accepted"}]}`
	const rows = `{"response":"success","summary":{"total":1,"created":0,"existing":1,"duplicate":0,"failed":0},"results":[{"index":0,"document":"52998224725","result":"existing"}]}`
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/provision/") {
			respond(w, 200, batch)
		} else {
			respond(w, 200, rows)
		}
	}), client.Options{})
	b, err := cl.Provision(t.Context(), api.Suspend, 25, []string{"52998224725"}, "key")
	if err != nil || !b.Detailed || len(b.Value.Results) != 1 || b.Value.Results[0].Result != api.ResultAccepted || string(b.Raw) != batch {
		t.Errorf("batch: got %+v, %v", b, err)
	}
	i, err := cl.Import(t.Context(), []api.ImportRow{{}}, "key")
	if err != nil || !i.Detailed || len(i.Value.Results) != 1 || i.Value.Results[0].Result != api.ResultExisting || string(i.Raw) != rows {
		t.Errorf("import: got %+v, %v", i, err)
	}
}

func TestBatchThatFailedAltogetherIsAResponse(t *testing.T) {
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(api.HeaderIdempotencyReplayed, "true")
		respond(w, 422, `{"response":"error","status":422,"code":"batch_failed","summary":{"total":1,"failed":1},`+
			`"results":[{"index":0,"document":"1","result":"failed","code":"service_not_active","x":1}]}`)
	}), client.Options{})
	got, err := cl.Provision(t.Context(), api.Suspend, 25, []string{"1"}, "")
	if err != nil || !got.Detailed || got.Value.Response != api.ResponseError {
		t.Fatalf("got %+v, %v", got, err)
	}
	if r := got.Value.Results; len(r) != 1 || r[0].Code != api.CodeServiceNotActive || got.Value.Summary.Failed != 1 {
		t.Errorf("got %+v", got.Value)
	}
}

// Without a result for each element the refusal of a batch stays an error.
func TestBatchThatFailedWithoutResultsIsAnError(t *testing.T) {
	for _, rest := range []string{
		`}`, `,"summary":{"total":1,"failed":1}}`, `,"results":[]}`, `,"summary":{"total":1},"results":"none"}`, `,"summary":{"total":"one"},"results":[]}`,
	} {
		cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 422, `{"response":"error","status":422,"code":"batch_failed"`+rest)
		}), client.Options{})
		got, err := cl.Provision(t.Context(), api.Suspend, 25, []string{"1"}, "")
		if e, ok := errors.AsType[*client.Error](err); !ok || e.Status != 422 || e.Code != api.CodeBatchFailed || got.Detailed {
			t.Errorf("%s: got %+v, %v, want the error of the server", rest, got, err)
		}
	}
}

func TestEventsContinueFromTheirCursor(t *testing.T) {
	want := ""
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.RawQuery; got != want {
			t.Errorf("got query %q, want %q", got, want)
		}
		respond(w, 200, `{"events":[{"id":"1","type":"service.status_changed","previous_status":null,"status":"inProgress","x":1}],"next_cursor":"c1"}`)
	}), client.Options{})
	got, err := cl.Events(t.Context(), "", 0, 0)
	if err != nil || got.Next != "c1" || len(got.Events) != 1 || got.Events[0].Value.StatusChange == nil {
		t.Errorf("got %+v, %v", got, err)
	}
	want = "after=c1&limit=1&wait=1"
	if _, err := cl.Events(t.Context(), got.Next, 1, time.Second); err != nil {
		t.Error(err)
	}
}

func TestRawCallGivesTheBodyOfAnErrorToo(t *testing.T) {
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { respond(w, 409, `{"code":"x"}`) }), client.Options{})
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

// A page of events without the next cursor would be read forever.
func TestEventsWithoutACursorAreAnError(t *testing.T) {
	for body, fine := range map[string]bool{
		`{"events":[{"id":"1","type":"x"}]}`: false, `{"events":[{"id":"1","type":"x"}],"next_cursor":7}`: false, `{"events":[]}`: true,
	} {
		cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, body) }), client.Options{})
		_, err := cl.Events(t.Context(), "", 0, 0)
		if _, unexpected := errors.AsType[*client.UnexpectedResponseError](err); unexpected == fine {
			t.Errorf("%s: got %v", body, err)
		}
	}
}

// Extensions are not guessed while the server does not answer.
func TestExtensionsAreUnknownWithoutAnAnswer(t *testing.T) {
	cl := serveTCP(t, status(401), client.Options{Retry: noRetry()})
	if has, err := cl.HasExtension(t.Context(), api.ExtEvents); has || client.KindOf(err) != client.KindAuth {
		t.Errorf("got %v, %v, want the refusal", has, err)
	}
}
