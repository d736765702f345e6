package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// A server's URL is accepted or refused; the error contains no part of it, which may be a
// password, and an accepted one has no password.
func FuzzServer(f *testing.F) {
	for _, after := range []string{"@a.example", "@a.example/api/", "/x@a.example", "#x@a.example", "%x@a.example", "", "@[::1]:8080", "@a.example:x", "?x=1"} {
		for _, before := range []string{"https://u:", "http://u:", "https://", "u:", "https:", "https://a.example/?token=", "https://a.example#"} {
			f.Add(before, after, false)
		}
	}
	const password = "Qz7kPassword"
	f.Fuzz(func(t *testing.T, before, after string, insecure bool) {
		err := client.CheckServer(before+password+after, insecure)
		if err == nil {
			if u, err := url.Parse(before + password + after); err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
				t.Errorf("%q is taken: %v", before+password+after, err)
			}
			return
		}
		if !isUsage(err) || strings.Contains(err.Error(), password) {
			t.Errorf("got %v, want an error of the option without what it holds", err)
		}
	})
}

// Any answer of any server is decoded, or refused with an error that has a kind and the route but
// never the document of the path.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		"", "null", "OK", "<html>", `{"subscriber":{"document":"529.982.247-25","services":[{"content_supplier_product_id":"25","active":1}]}}`, `{"message":"not found","errors":{"email":["x"]}}`,
		`{"response":"error","code":"x","detail":"y","errors":[{"pointer":"/a","code":5}]}`, `{"subscriber":[]}`, `{"response":"success","subscriber":{"services":{}}}`, `{"error":{"message":"x"}}`, "\xff\xfe{}",
	} {
		for _, status := range []int{200, 201, 204, 301, 400, 404, 409, 422, 429, 500, 503, 599} {
			f.Add(status, "application/json", "1", []byte(body))
		}
	}
	var status int
	var media, retryAfter string
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("Retry-After", retryAfter)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	f.Cleanup(s.Close)
	c, err := client.New(client.Options{Server: s.URL, Tokens: apitest.Token("bearer-1"), Retry: apitest.Once()})
	must(f, err)
	f.Cleanup(c.Close)
	const document = "52998224725"
	f.Fuzz(func(t *testing.T, ofStatus int, ofMedia, ofRetryAfter string, ofBody []byte) {
		status, media, retryAfter, body = 200+(ofStatus%400+400)%400, strings.ToValidUTF8(ofMedia, ""), ofRetryAfter, ofBody
		if strings.ContainsFunc(media+retryAfter, func(r rune) bool { return r < ' ' || r > '~' }) || status == http.StatusUnauthorized {
			return
		}
		_, err := c.Subscriber(t.Context(), document)
		switch {
		case err == nil && status >= 300:
			t.Errorf("%d is a success", status)
		case err == nil:
			return
		case !strings.Contains(string(body), document) && strings.Contains(err.Error(), document):
			t.Errorf("the error holds the document: %v", err)
		}
		refusal, isRefusal := errors.AsType[*client.Error](err)
		_, isUnexpected := errors.AsType[*client.UnexpectedResponseError](err)
		_, isUnavailable := errors.AsType[*client.UnavailableError](err)
		if !isRefusal && !isUnexpected && !isUnavailable || isRefusal && (refusal.Code == "" || refusal.RetryAfter < 0) {
			t.Errorf("%d %q: got %#v", status, body, err)
		}
	})
}
