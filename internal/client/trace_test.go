package client_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

func TestTraceShowsNothingSecretOrPersonal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := map[string]string{ // values of secret and personal fields
			"bearer": "canary-bearer", "access token": "canary-access-token", "new bearer": "canary-new-bearer",
			"name": "Canary Name", "email": "canary@example.com", "document": "52998224725",
			"dotted document": "529.982.247-25", "phone": "+5511987654321", "plan": "Canary Plan",
			"link": "canarylink0123456789", "message": "Canary Message", "cookie": "canary-cookie",
			"search": "canaryterm", "key": "canary-key",
		}
		s := &responseScript{steps: []http.HandlerFunc{
			status(503),
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Set-Cookie", v["cookie"])
				w.Header().Set(api.HeaderRequestID, "req-1")
				w.Header().Set("Location", "/activate/"+v["link"])
				respond(w, 409, `{"code":"subscriber_exists","message":"`+v["message"]+` `+v["email"]+`","`+v["document"]+`":"`+v["name"]+
					`","phone":`+strings.TrimPrefix(v["phone"], "+")+`,"authorization":{"token":"`+v["new bearer"]+`"},"title":"`+v["dotted document"]+`"}`)
			},
			abort,
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>" + v["name"])) },
		}}
		var trace strings.Builder
		c := apitest.ServeInBubble(t, s, client.Options{Trace: func(line string) { trace.WriteString(line + "\n") }, Tokens: apitest.Token(v["bearer"]), Retry: client.RetryPolicy{MaxAttempts: 2}})
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
			"> GET http://localhost/subscribers/{document}\n", "< 503 after 0s\n", "< 409 after 0s request req-1\n", "* next try in", "! POST /subscribers: EOF after 0s\n",
			"> POST http://localhost/activate/***\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in the trace:\n%s", want, got)
			}
		}
	})
}
