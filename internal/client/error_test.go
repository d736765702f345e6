package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// The text is the server's; exit code (cli.md) and remedy follow from the status.
func TestErrorsHaveTheTextOfTheServer(t *testing.T) {
	const text = "text/plain; charset=utf-8"
	for _, c := range []struct {
		name          string
		status        int
		media, body   string
		code, message string
		exit          int
		hint          string
	}{
		{"ours", 409, api.MediaProblem, `{"response":"error","status":409,"code":"subscriber_exists","detail":"it exists","request_id":"r-1"}`,
			"subscriber_exists", "it exists", failure.ExitRefused, "ativa subscribers update"},
		{"a code and a message", 409, api.MediaJSON, `{"code":"E42","message":"CPF já cadastrado","errors":[{"field":"document"}]}`, "E42", "CPF já cadastrado", failure.ExitRefused, "nothing was changed"},
		{"laravel", 422, api.MediaJSON, `{"message":"invalid","errors":{"email":["taken"]}}`, "validation_failed", "invalid", failure.ExitRefused, "nothing was changed"},
		{"an error with the status of a success", 200, api.MediaJSON, `{"response":"error","message":"service is not active"}`, "http_error", "service is not active", failure.ExitRefused, ""},
		{"oauth", 401, api.MediaJSON, `{"error":"invalid_token","error_description":"expired"}`, "token_invalid", "expired", failure.ExitAuth, "ativa login"},
		{"rfc 9457", 403, api.MediaProblem, `{"title":"Forbidden"}`, "insufficient_scope", "Forbidden", failure.ExitAuth, "ativa login"},
		{"error as object", 400, api.MediaJSON, `{"error":{"x":1},"message":"no"}`, "malformed_json", "no", failure.ExitRefused, "nothing was changed"},
		{"array", 404, api.MediaJSON, `["no"]`, "not_found", "", failure.ExitNotFound, ""},
		{"text", 405, text, "  first line\nsecond", "method_not_allowed", "first line", failure.ExitRefused, "ativa doctor"},
		{"html", 502, "text/html", "<h1>Bad Gateway</h1>", "unavailable", "a proxy or gateway in between answered with a web page in place of the server", failure.ExitUnavailable, "try again later"},
		{"nothing", 500, "", "", "internal", "", failure.ExitUnavailable, "try again later"},
		{"too large", 413, "", "", "payload_too_large", "", failure.ExitRefused, "nothing was changed"},
		{"too fast", 429, "", "", "rate_limited", "", failure.ExitUnavailable, "try again later"},
		{"teapot", 418, "", "", "http_error", "", failure.ExitRefused, "nothing was changed"},
		{"timeout", 408, "", "", "http_error", "", failure.ExitUnavailable, "try again later"},
		{"unknown product", 422, api.MediaJSON, `{"code":"unknown_product"}`, "unknown_product", "", failure.ExitRefused, "ativa products"},
		{"proxy", 407, "", "", client.CodeProxyAuth, "a proxy asks for a user name and a password", failure.ExitUnavailable, "--proxy"},
		{"page of a portal", 403, "application/json", "\n <!doctype html>", client.CodeWebPage, client.ErrWebPage.Error(), failure.ExitUnavailable, "browser"},
		{"page to sign in", 401, "", "<html>", client.CodeWebPage, client.ErrWebPage.Error(), failure.ExitUnavailable, "browser"},
		{"page of a wrong address", 404, "text/html", "<html>", client.CodeWebPage, client.ErrWebPage.Error(), failure.ExitUnavailable, "browser"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := apitest.Serve(t, answer(c.status, c.body, "Content-Type", c.media, api.HeaderRequestID, "r-1"), client.Options{Retry: apitest.Once()})
			_, err := cl.Statuses(t.Context())
			err = fmt.Errorf("statuses: %w", err)
			e, ok := errors.AsType[*client.Error](err)
			if !ok {
				t.Fatalf("got %v, want *Error", err)
			}
			if e.Status != c.status || e.Code != c.code || e.Message != c.message || e.RequestID != "r-1" || string(e.Body) != c.body {
				t.Errorf("got %d %s %q %s, want %d %s %q r-1 and the body", e.Status, e.Code, e.Message, e.RequestID, c.status, c.code, c.message)
			}
			if o := failure.OutcomeOf(err); o.Exit != c.exit || !strings.Contains(o.Hint.Text(lang.English), c.hint) {
				t.Errorf("got exit %d, %q; want %d, %q", o.Exit, o.Hint, c.exit, c.hint)
			}
		})
	}
	if got := client.KindOf(errors.New("other")); got != client.KindUnexpected {
		t.Errorf("another error: got kind %d, want %d", got, client.KindUnexpected)
	}
}

// An error names the first five fields and counts the others.
func TestAnErrorNamesFiveFields(t *testing.T) {
	for fields, more := range map[int]string{5: "", 6: "; and 1 more", 7: "; and 2 more"} {
		e := &client.Error{Status: http.StatusUnprocessableEntity, Message: "invalid"}
		for range fields {
			e.Problem.Errors = append(e.Problem.Errors, api.FieldError{Field: "name", Detail: "required"})
		}
		if got := e.Text(lang.English); strings.Count(got, "name: ") != 5 || !strings.HasSuffix(strings.TrimSuffix(got, `"`), "required"+more) {
			t.Errorf("%d fields: got %s", fields, got)
		}
	}
}

// What only the server says is quoted after our own sentence, in both languages.
func TestWordsOfAnotherServerAreQuoted(t *testing.T) {
	for _, c := range []struct {
		status         int
		english, words string
	}{
		{401, `the server does not accept the access token: "Acesso negado: email: em uso"`, `a sessão não é válida: "Acesso negado: e-mail: em uso"`},
		{404, `no subscriber has this document: "Acesso negado: email: em uso"`, `o assinante não existe: "Acesso negado: e-mail: em uso"`},
		{422, `the server refused it: "Acesso negado: email: em uso"`, `o servidor recusou: "Acesso negado: e-mail: em uso"`},
		{429, `the server cannot answer now: "Acesso negado: email: em uso"`, `pedidos demais; aguarde um pouco: "Acesso negado: e-mail: em uso"`},
		{503, `the server cannot answer now: "Acesso negado: email: em uso"`, `o serviço está indisponível agora: "Acesso negado: e-mail: em uso"`},
	} {
		cl := apitest.Serve(t, answer(c.status, `{"message":"Acesso negado","errors":{"email":["em uso"]}}`), client.Options{Retry: apitest.Once()})
		_, err := cl.Subscriber(t.Context(), "52998224725")
		e, ok := errors.AsType[*client.Error](err)
		if !ok {
			t.Fatalf("%d: got %v, want *Error", c.status, err)
		}
		if english, words := e.Text(lang.English), e.Text(lang.Portuguese); english != c.english || words != c.words {
			t.Errorf("%d: got %s and %s, want %s and %s", c.status, english, words, c.english, c.words)
		}
	}
}
