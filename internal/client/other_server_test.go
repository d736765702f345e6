package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// selfAuthenticating is a TokenSource that uses the client, as a command does.
type selfAuthenticating struct{ c *client.Client }

func (a *selfAuthenticating) Bearer(ctx context.Context) (api.Bearer, error) {
	return a.c.Authenticate(ctx, "access")
}

func (a *selfAuthenticating) Renew(ctx context.Context, _ string) (api.Bearer, error) {
	return a.Bearer(ctx)
}

func newOddServer(t *testing.T) (*client.Client, *oddServer) {
	t.Helper()
	server, tokens := &oddServer{}, &selfAuthenticating{}
	tokens.c = apitest.Serve(t, server, client.Options{Tokens: tokens, Retry: apitest.Once()})
	return tokens.c, server
}

// The settings of a context for another server apply to every call, including the first, and a
// resend names its product.
func TestTheHeadersOfAContextAreSentWithEveryCall(t *testing.T) {
	var sent []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("X-Tenant")+" "+string(body))
		switch {
		case r.URL.Path == "/authenticate":
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`)
		case r.URL.Path == api.PathStatuses:
			_, _ = io.WriteString(w, `{"status":[]}`)
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"subscriber":{"document":"52998224725","services":[`+
				`{"content_supplier_product_id":25,"status_id":2,"status":"checkout","token_created_at":"2026-01-31T12:34:56.000000Z","status_updated_at":"2026-01-31T12:34:57.000000Z"},`+
				`{"content_supplier_product_id":26,"status_id":1,"status":"active"}]}}`)
		default:
			_, _ = io.WriteString(w, `{"response":"success"}`)
		}
	})
	tokens := &selfAuthenticating{}
	tokens.c = apitest.Serve(t, handler, client.Options{Tokens: tokens, Retry: apitest.Once(), ResendProduct: true, Headers: map[string]string{"x-tenant": "abc"}})
	if _, err := tokens.c.ResendActivationEmailOf(t.Context(), "52998224725", 25, ""); err != nil {
		t.Fatal(err)
	}
	want := []string{`POST /authenticate abc {"access_token":"access"}`, `POST /subscribers/resend_activation_email abc {"document":"52998224725","product_id":25}`}
	if !slices.Equal(sent, want) {
		t.Errorf("got %q, want %q", sent, want)
	}
	sent = nil // the service that waits is mailed alone, though its status is the server's own
	if _, err := tokens.c.ResendToWaiting(t.Context(), "52998224725", 0, ""); err != nil || !slices.Contains(sent, want[1]) {
		t.Errorf("got %q, %v, want one e-mail", sent, err)
	}
	sent = nil
	plain := apitest.Serve(t, handler, client.Options{Tokens: tokens, Retry: apitest.Once()})
	if _, err := plain.ResendToWaiting(t.Context(), "52998224725", 0, ""); !errors.Is(err, client.ErrResendsAll) {
		t.Errorf("got %v, want %v: another service is active", err, client.ErrResendsAll)
	}
}

func TestResponsesOfAnotherServerAreUnderstood(t *testing.T) {
	c, _ := newOddServer(t)
	ctx := t.Context()
	list, err := client.Collect(c.Subscribers(ctx))
	must(t, err)
	one, err := c.Subscriber(ctx, "529.982.247-25")
	must(t, err)
	for _, r := range append(list, one) {
		if r.Value.Document != "529.982.247-25" || r.Value.InternetSpeedID != 3 || r.Value.Services != nil {
			t.Errorf("got %+v", r.Value)
		}
		if string(r.Raw) != oddSubscriber {
			t.Errorf("raw: got %s, want %s", r.Raw, oddSubscriber)
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
}

func TestExtensionsAreAskedForOnce(t *testing.T) {
	c, server := newOddServer(t)
	for range 3 {
		if has, err := c.HasExtension(t.Context(), api.ExtEvents); has || err != nil {
			t.Errorf("got %t, %v; want no extension", has, err)
		}
	}
	if len(server.requests) != 1 {
		t.Errorf("got %q, want one request", server.requests)
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

// An update sends all fields, because api.md does not say that others stay.
func TestAnUpdateSendsAllFieldsToAnotherServer(t *testing.T) {
	c, server := newOddServer(t)
	if got, err := c.UpdateSubscriber(t.Context(), "52998224725", api.SubscriberUpdate{Name: api.Some("Bia")}, ""); err != nil || got.Detailed {
		t.Errorf("update: got %+v, %v", got, err)
	}
	want := `PUT /subscribers/52998224725 {"name":"Bia","email":"ana@example.com","document":"529.982.247-25",` +
		`"phone":"+5511987654321","internet_speed_id":3,"customer_plan":""}`
	if got := server.requests[len(server.requests)-1]; got != want {
		t.Errorf("update sent %s\nwant %s", got, want)
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
			for name, got := range everyWrite(t.Context(), cl) {
				if c.done != (got.err == nil) || got.err != nil && !client.MayHaveEffect(got.err) || got.detailed && name != "delete" {
					t.Errorf("%s: got %v, want success %t", name, got.err, c.done)
				}
			}
		})
	}
}

// writeDone is the outcome of a call that changes something.
type writeDone struct {
	detailed bool
	err      error
}

func doneWith[T any](r client.WriteResult[T], err error) writeDone {
	return writeDone{r.Detailed, err}
}

// everyWrite makes each call that changes something.
func everyWrite(ctx context.Context, c *client.Client) map[string]writeDone {
	const document = "52998224725"
	return map[string]writeDone{
		"create":  doneWith(c.CreateSubscriber(ctx, api.SubscriberCreate{}, "")),
		"delete":  doneWith(c.DeleteSubscriber(ctx, document, "")),
		"import":  doneWith(c.Import(ctx, []api.ImportRow{{}}, "")),
		"suspend": doneWith(c.Provision(ctx, api.Suspend, 25, []string{document}, "")),
		"change":  doneWith(c.Change(ctx, api.ChangeRequest{}, "")),
		"resend":  doneWith(c.ResendActivationEmail(ctx, document, "")),
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

func TestRefusalsOfAnotherServerAreErrors(t *testing.T) {
	c, _ := newOddServer(t)
	ctx := t.Context()
	_, err := c.Provision(ctx, api.Deactivate, 25, []string{"52998224725"}, "")
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Kind() != client.KindRefused || e.Message != "service is not active" {
		t.Errorf("200 that says error: got %v", err)
	}
	_, err = c.Change(ctx, api.ChangeRequest{}, "")
	e, ok = errors.AsType[*client.Error](err)
	if !ok || e.Code != api.CodeValidationFailed || e.Message != "The given data was invalid." {
		t.Errorf("422: got %v", err)
	}
	if want := []api.FieldError{{Field: "product_id", Detail: "unknown product"}}; !slices.Equal(e.Problem.Errors, want) {
		t.Errorf("422: got %+v, want %+v", e.Problem.Errors, want)
	}
}

// oddServer implements only api.md, and as differently from our server as it
// allows: documents with dots, `active: 1`, `message` instead of `response`, no
// `services`, unknown statuses, minimal, empty and plain-text bodies, paths only
// under /api, and no extension.
type oddServer struct {
	// requests are the methods, paths and bodies received, without those of
	// /authenticate.
	requests []string
}

func (s *oddServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api")
	if !ok {
		http.NotFound(w, r)
		return
	}
	if path == "/authenticate" {
		respond(w, 200, `{"authorization":{"token":"odd-bearer","type":"bearer","expires_in":"3600"}}`)
		return
	}
	if r.Header.Get("Authorization") != "Bearer odd-bearer" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, fmt.Sprintf("%s %s %s", r.Method, path, body))
	if known := oddAnswers[r.Method+" "+path]; known != nil {
		known(w, r)
		return
	}
	http.NotFound(w, r)
}

const oddSubscriber = `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
	`"internet_speed_id":"3","customer_plan":null,"created_at":"2026-01-31 12:34:56","segment":"gold"}`

// oddAnswers are its answers by method and path; it knows no other.
var oddAnswers = map[string]http.HandlerFunc{
	"GET /subscribers/529.982.247-25": answer(200, `{"message":"success","subscriber":`+oddSubscriber+`}`, "Content-Type", "text/html"), // JSON nevertheless
	"GET /subscribers/52998224725":    answer(200, `{"message":"success","subscriber":`+oddSubscriber+`}`),
	"GET /subscribers":                answer(200, `{"response":"success","total":1,"subscribers":[`+oddSubscriber+`]}`),
	"GET /products":                   answer(200, `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","resell"]}],"message":"success"}`),
	"GET /products/status":            answer(200, `{"status":[{"id":99,"name":"paused"}],"message":"success"}`),
	"POST /provision/deactivate":      answer(200, `{"response":"error","message":"service is not active"}`),
	"POST /provision/change":          answer(422, `{"message":"The given data was invalid.","errors":{"product_id":["unknown product"]}}`),
	"PUT /subscribers/52998224725":    answer(200, "[]"),
}
