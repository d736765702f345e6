package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// selfAuthenticating is a TokenSource that uses the client, as a command does. It knows nothing about
// the access token before a renewal, as with the cache of an older version.
type selfAuthenticating struct {
	c       *client.Client
	renewed bool
}

func (a *selfAuthenticating) Bearer(ctx context.Context) (api.Bearer, error) {
	b, err := a.c.Authenticate(ctx, "access")
	if !a.renewed {
		b.AccessToken = nil
	}
	return b, err
}

func (a *selfAuthenticating) Renew(ctx context.Context, _ string) (api.Bearer, error) {
	a.renewed = true
	return a.Bearer(ctx)
}

// signingIn returns a client of the server that gets its bearer there, and repeats nothing.
func signingIn(t *testing.T, server http.Handler, o client.Options) *client.Client {
	t.Helper()
	tokens := &selfAuthenticating{}
	o.Tokens, o.Retry = tokens, apitest.Once()
	tokens.c = apitest.Serve(t, server, o)
	return tokens.c
}

// The settings of a context for another server apply to every call, including the first, and a
// resend names its product.
func TestTheHeadersOfAContextAreSentWithEveryCall(t *testing.T) {
	server := apitest.New("")
	one := server.Add("52998224725", 26)
	waiting := server.Service(25, "checkout")
	waiting.TokenCreatedAt, waiting.StatusUpdatedAt = api.At(time.Unix(1, 0)), api.At(time.Unix(2, 0))
	one.Services = append(one.Services, waiting)
	var headers []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header.Get("X-Tenant")+" "+r.Header.Get("Authorization"))
		server.ServeHTTP(w, r)
	})
	c := signingIn(t, handler, client.Options{ResendProduct: true, Headers: map[string]string{"x-tenant": "abc"}})
	if _, err := c.ResendActivationEmailOf(t.Context(), "52998224725", 25, ""); err != nil {
		t.Fatal(err)
	}
	if want := []string{"abc ", "abc Bearer b"}; !slices.Equal(headers, want) { // /authenticate gets no bearer
		t.Errorf("got %q, want %q", headers, want)
	}
	// The service that waits is mailed alone, though its status is the server's own.
	if _, err := c.ResendToWaiting(t.Context(), "52998224725", 0, ""); err != nil {
		t.Error(err)
	}
	for _, r := range server.Requests {
		if got, want := string(r.Body), `{"document":"52998224725","product_id":25}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	plain := signingIn(t, handler, client.Options{})
	if _, err := plain.ResendToWaiting(t.Context(), "52998224725", 0, ""); !errors.Is(err, client.ErrResendsAll) {
		t.Errorf("got %v, want %v: another service is active", err, client.ErrResendsAll)
	}
	if got := len(server.Requests); got != 2 {
		t.Errorf("got %d resends, want 2", got)
	}
}

// oddAnswers holds the answers of a server that implements only api.md, and as differently from ours as
// it allows: documents with dots, `active: 1`, `message` instead of `response`, no `services`, unknown
// statuses, JSON as text.
var oddAnswers = map[string]http.HandlerFunc{
	"GET /subscribers/529.982.247-25": answer(200, `{"message":"success","subscriber":`+oddSubscriber+`}`, "Content-Type", "text/html"),
	"GET /subscribers/52998224725":    answer(200, `{"message":"success","subscriber":`+oddSubscriber+`}`),
	"GET /subscribers":                answer(200, `{"response":"success","total":1,"subscribers":[`+oddSubscriber+`]}`),
	"GET /products":                   answer(200, `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","resell"]}],"message":"success"}`),
	"GET /products/status":            answer(200, `{"status":[{"id":99,"name":"paused"}],"message":"success"}`),
}

const oddSubscriber = `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
	`"internet_speed_id":"3","customer_plan":null,"created_at":"2026-01-31 12:34:56","segment":"gold"}`

// An update sends all fields, because api.md does not say that others stay.
func TestAnotherServerIsUnderstood(t *testing.T) {
	mux, update := http.NewServeMux(), ""
	for route, respond := range oddAnswers {
		mux.HandleFunc(route, respond)
	}
	mux.HandleFunc("PUT /subscribers/52998224725", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		update = string(body)
		respond(w, 200, "[]")
	})
	c := apitest.Serve(t, mux, client.Options{})
	ctx := t.Context()
	list, err := client.Collect(c.Subscribers(ctx))
	must(t, err)
	one, err := c.Subscriber(ctx, "529.982.247-25")
	must(t, err)
	for _, r := range append(list, one) {
		if r.Value.Document != "529.982.247-25" || r.Value.InternetSpeedID != 3 || r.Value.Services != nil || string(r.Raw) != oddSubscriber {
			t.Errorf("got %+v, %s", r.Value, r.Raw)
		}
	}
	products, err := c.Products(ctx)
	if err != nil || len(products) != 1 || !bool(products[0].Value.Active) || !slices.Contains(products[0].Value.Can, "resell") {
		t.Errorf("products: got %+v, %v", products, err)
	}
	statuses, err := c.Statuses(ctx)
	if err != nil || len(statuses) != 1 || statuses[0].Value.Name != "paused" {
		t.Errorf("statuses: got %+v, %v", statuses, err)
	}
	got, err := c.UpdateSubscriber(ctx, "52998224725", api.SubscriberUpdate{Name: api.Some("Bia")}, "")
	const want = `{"name":"Bia","email":"ana@example.com","document":"529.982.247-25","phone":"+5511987654321","internet_speed_id":3,"customer_plan":""}`
	if err != nil || got.Detailed || update != want {
		t.Errorf("update: got %+v, %v after %s, want %s", got, err, update, want)
	}
}

func TestExtensionsAreAskedForOnce(t *testing.T) {
	s := &responseScript{steps: []http.HandlerFunc{status(200)}}
	c := apitest.Serve(t, s, client.Options{})
	for range 3 {
		if has, err := c.HasExtension(t.Context(), api.ExtEvents); has || err != nil {
			t.Errorf("got %t, %v; want no extension", has, err)
		}
	}
	if len(s.keys) != 1 {
		t.Errorf("got %d requests, want one", len(s.keys))
	}
	ours := apitest.Serve(t, status(200, api.HeaderExtensions, api.Extensions), client.Options{})
	if has, err := ours.HasExtension(t.Context(), "event"); has || err != nil {
		t.Errorf("a part of a name: got %t, %v", has, err)
	}
	// They are not guessed while the server does not answer.
	silent := apitest.Serve(t, status(401), client.Options{Retry: apitest.Once()})
	if has, err := silent.HasExtension(t.Context(), api.ExtEvents); has || client.KindOf(err) != client.KindAuth {
		t.Errorf("got %v, %v, want the refusal", has, err)
	}
}

// A truncated answer, or one with markup of any type, comes from a broken server or from none:
// the outcome of the write is unknown. api.md does not show the responses to writes: members with
// our names may mean something else, and a completed write is no failure.
func TestAnUnreadableAnswerToAWriteIsNoSuccess(t *testing.T) {
	for _, c := range []struct {
		mediaType, body string
		done            bool
	}{
		{"application/json", `{"response":"success","results":[{"index":0`, false},
		{"application/json", `"succ`, false},
		{"application/json", `{"response":"success"}{"response":`, false},
		{"application/json", `{"response":"success"}<br>Warning`, false},
		{"application/xml", "<?xml version=\"1.0\"?><error/>", false},
		{"application/json", "\ufeff <!DOCTYPE html>", false},
		{"", "OK", true},
		{"text/html", "done", true},
		{"", "", true},
		{"application/json", " \n", true},
		{"application/json", "null", true},
		{"application/json", `{"response":"success","subscriber":"created","result":true,"results":{"29":"ok"},"summary":"1 of 1"}`, true},
		{"application/json", `{"response":"success","subscriber":[],"result":{"ok":true},"results":[{"document":"1"},{"document":"2"}],"summary":{"created":2}}`, true},
		{"application/json", `"done"`, true},
		{"application/json", "\ufeff{\"response\":\"success\"}", true},
	} {
		t.Run(c.mediaType+" "+c.body, func(t *testing.T) {
			cl := apitest.Serve(t, answer(200, c.body, "Content-Type", c.mediaType), client.Options{Retry: apitest.Once()})
			got, err := cl.Provision(t.Context(), api.Suspend, 25, []string{"52998224725"}, "")
			for _, err := range []error{err, remove(t.Context(), cl)} {
				if c.done != (err == nil) || err != nil && !client.MayHaveEffect(err) || got.Detailed {
					t.Errorf("got %+v, %v, want success %t", got, err, c.done)
				}
			}
		})
	}
}

// Some servers answer success for an unknown subscriber. An empty one would be taken for
// registered.
func TestNoSubscriberInASuccessIsNotFound(t *testing.T) {
	c := apitest.Serve(t, answer(200, `{"subscriber":null,"response":"success"}`), client.Options{})
	if got, err := c.Subscriber(t.Context(), "52998224725"); client.KindOf(err) != client.KindNotFound {
		t.Errorf("got %+v, %v, want it not found", got, err)
	}
}

// A write that reads first is neither sent nor a success if a read fails.
func TestAWriteNeedsItsReads(t *testing.T) {
	const document = "52998224725"
	for name, send := range map[string]func(*client.Client) error{
		"an update": func(c *client.Client) error {
			return errorOf(c.UpdateSubscriber(t.Context(), document, api.SubscriberUpdate{Name: api.Some("Bia")}, ""))
		},
		"a resend":              func(c *client.Client) error { return errorOf(c.ResendToWaiting(t.Context(), document, 0, "")) },
		"a resend of a product": func(c *client.Client) error { return errorOf(c.ResendActivationEmailOf(t.Context(), document, 25, "")) },
	} {
		for failing, fails := 1, true; fails; failing++ {
			server, reads := apitest.New(""), 0
			server.Add(document).Services = []api.Service{server.Service(25, "inProgress")}
			server.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
				if r.Method != http.MethodGet {
					return false
				}
				if reads++; reads == failing {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return reads == failing
			}
			err := send(apitest.Serve(t, server, client.Options{Retry: apitest.Once()}))
			fails = failing <= reads
			if (client.KindOf(err) == client.KindUnavailable) != fails || client.MayHaveEffect(err) || len(server.Requests) == 0 != fails {
				t.Errorf("%s, read %d of %d fails: got %v after %d writes", name, failing, reads, err, len(server.Requests))
			}
		}
	}
}
