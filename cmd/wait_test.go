package cmd

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
)

// anyToken is a bearer token where none is looked at.
type anyToken struct{}

func (anyToken) Bearer(context.Context) (client.Bearer, error) { return client.Bearer{Token: "t"}, nil }

func (anyToken) Renew(context.Context, string) (client.Bearer, error) {
	return client.Bearer{Token: "t"}, nil
}

// A feed that no longer has what happened does not end the wait: the
// subscribers themselves say how it ended.
func TestWaitingGoesOnWhenTheCursorIsNoLongerGood(t *testing.T) {
	const event = `{"id":"ev_1","type":"service.status_changed","occurred_at":"2026-01-31T12:40:11.000000Z","document":"52998224725",` +
		`"content_supplier_product_id":25,"previous_status":"active","status":"waitingSuspension","status_id":14}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(api.HeaderExtensions, api.Extensions)
		w.Header().Set("Content-Type", api.MediaJSON)
		body := map[string]string{
			api.PathAuthenticate:              `{"authorization":{"token":"t","type":"bearer","expires_in":21600},"response":"success"}`,
			api.HistoryPath("52998224725"):    `{"history":[` + event + `],"response":"success"}`,
			api.SubscriberPath("52998224725"): `{"subscriber":` + (&foreignServer{}).subscriber() + `,"response":"success"}`,
			api.PathStatuses:                  `{"status":[],"response":"success"}`,
		}[strings.TrimPrefix(r.URL.Path, api.Prefix)]
		if r.URL.Path == api.PathEvents {
			w.WriteHeader(http.StatusUnprocessableEntity)
			body = `{"response":"error","status":422,"code":"invalid_cursor","detail":"gone"}`
		}
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	c, err := client.New(client.Options{Server: server.URL, Tokens: anyToken{}})
	if err != nil {
		t.Fatal(err)
	}
	status, id := "waitingSuspension", api.Int(14)
	results := []api.BatchResult{{Document: "52998224725", Result: api.ResultAccepted, Status: &status, StatusID: &id}}
	e := &env{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }}
	if err := e.wait(t.Context(), c, 25, results); err != nil {
		t.Fatal(err)
	}
	if *results[0].Status != "active" {
		t.Errorf("got %s, want active, as the subscriber has it", *results[0].Status)
	}
}
