package client_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"ativa/internal/api"
	"ativa/internal/client"
)

// canaries are values of secret and personal fields, which a trace must not
// contain.
func canaries() map[string]string {
	return map[string]string{
		"bearer": "canary-bearer", "access token": "canary-access-token", "new bearer": "canary-new-bearer",
		"name": "Canary Name", "email": "canary@example.com", "document": "52998224725",
		"dotted document": "529.982.247-25", "phone": "+5511987654321", "plan": "Canary Plan",
		"link": "canarylink0123456789", "message": "Canary Message", "cookie": "canary-cookie",
		"search": "canaryterm", "key": "canary-key",
	}
}

func TestTraceShowsNothingSecretOrPersonal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := canaries()
		s := &responseScript{steps: []http.HandlerFunc{
			status(503),
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Set-Cookie", v["cookie"])
				w.Header().Set("X-Evil", "\u202e")
				w.Header().Set("Location", "/activate/"+v["link"])
				respond(w, 409, `{"code":"subscriber_exists","message":"`+v["message"]+` `+v["email"]+`","`+v["document"]+`":"`+v["name"]+
					`","phone":`+strings.TrimPrefix(v["phone"], "+")+`,"authorization":{"token":"`+v["new bearer"]+`"},"title":"`+v["dotted document"]+`"}`)
			},
			abort,
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>" + v["name"])) },
		}}
		var trace strings.Builder
		c := servePipe(t, s, client.Options{Trace: &trace, Tokens: fixedToken(v["bearer"]), Retry: client.RetryPolicy{MaxAttempts: 2}})
		row := api.SubscriberCreate{Name: v["name"], Email: v["email"], Document: v["document"], Phone: v["phone"], CustomerPlan: v["plan"]}
		ctx := t.Context()
		_, _ = c.Subscriber(ctx, v["dotted document"])
		_, _ = c.CreateSubscriber(ctx, row, v["key"])
		_, _ = c.Import(ctx, []api.ImportRow{{SubscriberCreate: row}}, "")
		_, _ = c.Provision(ctx, api.Suspend, 25, []string{v["document"]}, "")
		_, _ = c.DeleteSubscriber(ctx, v["document"], "")
		_, _ = client.Collect(c.Search(ctx, v["search"]))
		_, _ = c.Authenticate(ctx, v["access token"])
		_, _ = c.Do(ctx, client.Request{Method: "GET", Path: "/subscribers/" + v["document"] + "?q=" + v["search"]})
		_, _ = c.Do(ctx, client.Request{Method: "POST", Path: "/activate/" + v["link"]})
		got := trace.String()
		for name, value := range v {
			if strings.Contains(got, value) {
				t.Errorf("%s is in the trace:\n%s", name, got)
			}
		}
		for _, want := range []string{
			"> GET http://localhost/subscribers/{document}\n", "< HTTP/1.1 503\n", "next try in", "subscriber_exists",
			"Authorization: ***", `["***"]`, `"contentSupplierProduct":25`, "! POST /subscribers: EOF", "> POST http://localhost/activate/***\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in the trace:\n%s", want, got)
			}
		}
	})
}

func TestTraceIsSafeForATerminal(t *testing.T) {
	var trace strings.Builder
	c := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json\t\u009b31m\u202e")
		w.WriteHeader(200)
		_, _ = w.Write([]byte(`{"status":[{"id":1,"status":"\u001b[31m\u202e\u0007"}],"big":"` + strings.Repeat("x", 20<<10) + `"}`))
	}), client.Options{Trace: &trace})
	_, _ = c.Statuses(t.Context())
	for _, r := range trace.String() {
		if r != '\n' && (r < ' ' || r >= 0x7f) {
			t.Errorf("%q is in the trace: %s", r, trace.String())
			break
		}
	}
	if !strings.Contains(trace.String(), "bytes)") {
		t.Errorf("a long body is not left out:\n%s", trace.String())
	}
}

// A word of an answer is shown as long as it can be neither a number of a person nor a
// token.
func TestTraceShowsShortWordsAndNetworkAddresses(t *testing.T) {
	long := strings.Repeat("x", 18)
	for word, shown := range map[string]bool{
		"1234567": true, "12345678": false, "1-2.3/4:5=6+7": true, "1-2.3/4:5=6+7|8": false, long + "1": true, long + "x1": false, long + long: true,
		"a@b": false, "127.0.0.1:18080": true, "192.168.100.200:8080:": true, "١234567": true, "١2345678": false,
	} {
		var trace strings.Builder
		c := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 409, `{"code":"(`+word+`), `+word+`","`+word+`":25}`)
		}), client.Options{Trace: &trace})
		_, _ = c.Statuses(t.Context())
		if got := strings.Contains(trace.String(), word); got != shown {
			t.Errorf("%s: shown %v, want %v:\n%s", word, got, shown, trace.String())
		}
	}
}
