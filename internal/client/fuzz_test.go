package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

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
	c := apitest.Serve(f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(status, string(body), "Content-Type", media, "Retry-After", retryAfter)(w, r)
	}), client.Options{Retry: apitest.Once()})
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
