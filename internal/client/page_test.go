package client_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"ativa/internal/client"
)

// pages serves three pages of two subscribers; links lead to another host.
func pages(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if r.URL.Query().Get("paginate") != "S" {
		respond(w, 400, `{"message":"paginate=S is missing"}`)
		return
	}
	next := `"http://other.example.com/subscribers?page=2"`
	if page == 3 {
		next = "null"
	}
	respond(w, 200, fmt.Sprintf(`{"data":[{"document":"%d0"},{"document":"%d1"}],"links":{"first":"f","last":"l","prev":null,"next":%s},`+
		`"meta":{"current_page":%d,"last_page":3,"per_page":"2","total":6},"response":"success"}`, page, page, next, page))
}

func TestPagesMakeACompleteList(t *testing.T) {
	cl := serveTCP(t, http.HandlerFunc(pages), client.Options{})
	got, err := client.Collect(cl.PagedSubscribers(t.Context(), 0))
	if err != nil || len(got) != 6 {
		t.Fatalf("got %d, %v; want 6", len(got), err)
	}
	for i, want := range []string{"10", "11", "20", "21", "30", "31"} {
		if got[i].Value.Document != want {
			t.Errorf("%d: got %s, want %s", i, got[i].Value.Document, want)
		}
	}
}

func TestOnePageComesWithItsNumbers(t *testing.T) {
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.RawQuery; got != "page=2&paginate=S&per_page=2" {
			t.Errorf("got query %q", got)
		}
		pages(w, r)
	}), client.Options{})
	got, err := cl.SubscriberPage(t.Context(), 2, 2)
	if err != nil || got.Meta.Total != 6 || got.Meta.PerPage != 2 || got.Links.Next == nil || len(got.Raw) == 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPageIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &responseScript{steps: []http.HandlerFunc{pages, abort, abortHalfway, pages, pages}}
		n, err := count(servePipe(t, s, client.Options{}).PagedSubscribers(t.Context(), 0))
		if n != 6 || err != nil {
			t.Errorf("got %d, %v; want 6", n, err)
		}
	})
}

func TestPagesEndWithAServerThatHasNone(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int
		ok         bool
	}{
		{"it ignores paginate", `{"subscribers":[{"document":"1"}],"response":"success"}`, 1, true},
		{"it ignores page", `{"data":[{"document":"1"}],"links":{"next":"x"}}`, 1, false},
		{"it never ends but is empty", `{"data":[],"links":{"next":"x"}}`, 0, true},
		{"links are none", `{"data":[{"document":"1"}],"links":[]}`, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, c.body) }), client.Options{})
			n, err := count(cl.PagedSubscribers(t.Context(), 0))
			if n != c.want || (err == nil) != c.ok {
				t.Errorf("got %d, %v; want %d, ok %t", n, err, c.want, c.ok)
			}
		})
	}
}
