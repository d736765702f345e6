package client_test

import (
	"testing"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

func TestListsAreReadInEveryForm(t *testing.T) {
	const a, b = `{"document":"1"}`, `{"document":"2"}`
	for _, c := range []struct {
		name, body string
		want       int
		kind       client.ErrorKind
		ok         bool
	}{
		{"list first", `{"subscribers":[` + a + `,` + b + `],"response":"success"}`, 2, 0, true},
		{"list last", `{"response":"success","x":{"subscribers":[1]},"subscribers":[` + a + `]}`, 1, 0, true},
		{"data", `{"data":[` + a + `]}`, 1, 0, true},
		{"bare array", ` [` + a + `,` + b + `]`, 2, 0, true},
		{"empty", `{"subscribers":[]}`, 0, 0, true},
		{"no list", `{"response":"success"}`, 0, client.KindUnexpected, false},
		{"no array", `{"subscribers":{}}`, 0, client.KindUnexpected, false},
		{"wrong kind", `{"subscribers":[` + a + `,{"document":{}}]}`, 1, client.KindUnexpected, false},
		{"no JSON", `{"subscribers":[` + a + `,x]}`, 1, client.KindUnexpected, false},
		{"cut in a record", `{"subscribers":[` + a + `,{"doc`, 1, client.KindUnavailable, false},
		{"cut after a record", `{"subscribers":[` + a, 1, client.KindUnavailable, false},
		{"cut after the list", `{"subscribers":[` + a + `]`, 1, client.KindUnavailable, false},
	} {
		cl := apitest.Serve(t, answer(200, c.body), client.Options{})
		n, err := count(cl.Search(t.Context(), "x"))
		if n != c.want || (err == nil) != c.ok || client.KindOf(err) != c.kind {
			t.Errorf("%s: got %d, %v; want %d, ok %t", c.name, n, err, c.want, c.ok)
		}
	}
}

func count[T any](seq func(func(client.Item[T], error) bool)) (int, error) {
	n := 0
	for _, err := range seq {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
