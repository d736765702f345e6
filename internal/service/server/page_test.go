package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

func TestPagesAreCutAndLinked(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 5)
	for _, c := range []struct {
		path, documents, meta, prev, next string
	}{
		{"/subscribers?paginate=S", "1 2 3 4 5", "1 1 500 5", "", ""},
		{"/subscribers?paginate=S&per_page=2", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers?paginate=S&per_page=2&page=2", "3 4", "2 3 2 5", "1", "3"},
		{"/subscribers?paginate=S&per_page=2&page=3", "5", "3 3 2 5", "2", ""},
		{"/subscribers?paginate=S&per_page=2&page=9", "", "9 3 2 5", "3", ""},
		{"/subscribers?paginate=S&per_page=2&page=99999999999999999999", "", "2.147483647e+09 3 2 5", "3", ""},
		{"/subscribers?paginate=S&per_page=2&page=99999999999999999999999x", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers/search/assinante?paginate=S&per_page=99999999999999999999999", "1 2 3 4 5", "1 1 500 5", "", ""},
		{"/subscribers?paginate=S&per_page=2&page=0", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers?paginate=S&per_page=501", "1 2 3 4 5", "1 1 500 5", "", ""},
		{"/subscribers/search/assinante?paginate=S&per_page=3&page=2", "4 5", "2 2 3 5", "1", ""},
		{"/subscribers/search/nobody?paginate=S", "", "1 1 20 0", "", ""},
	} {
		for _, prefix := range []string{"", api.Prefix} {
			r := f.do("GET", prefix+c.path, "").want(200)
			var documents []string
			for i := range r.get("data").([]any) {
				for n := 1; n <= 5; n++ {
					if r.text("data", i, "document") == doc(n) {
						documents = append(documents, fmt.Sprint(n))
					}
				}
			}
			if got := strings.Join(documents, " "); got != c.documents {
				t.Errorf("%s: got %s, want %s", c.path, got, c.documents)
			}
			meta := fmt.Sprint(r.get("meta", "current_page"), r.get("meta", "last_page"), r.get("meta", "per_page"), r.get("meta", "total"))
			if meta != c.meta {
				t.Errorf("%s: meta: got %s, want %s", c.path, meta, c.meta)
			}
			for name, page := range map[string]string{"first": "1", "prev": c.prev, "next": c.next} {
				link, err := url.Parse(f.http.URL + prefix + c.path)
				f.must(err)
				q := link.Query()
				q.Set("page", page)
				link.RawQuery = q.Encode()
				if got := r.text("links", name); page == "" && got != "" || page != "" && got != link.String() {
					t.Errorf("%s: %s: got %q, want page %q", c.path, name, got, page)
				}
			}
		}
	}
}

func TestOnlyACapitalSAsksForPages(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1)
	for _, q := range []string{"", "?paginate=s", "?paginate=true", "?paginate=", "?page=1", "?paginate=SS", "?per_page=1"} {
		r := f.do("GET", "/subscribers"+q, "").want(200)
		if r.get("subscribers") == nil || r.get("links") != nil || r.get("meta") != nil {
			t.Errorf("%q: got %s, want the plain list", q, r.body)
		}
	}
}

func TestShortListsComePlainAndInPages(t *testing.T) {
	f := newParallelFixture(t)
	for _, c := range []struct {
		path, name      string
		total, lastPage int
	}{
		{"/products", "content_supplier_products", 5, 1},
		{"/products/status", "status", 13, 1},
		{"/subscribers/internet_speeds", "internet_speeds", 38, 2},
	} {
		plain := f.do("GET", "/api"+c.path, "").want(200).has(map[string]string{"response": "success"})
		if got := len(plain.get(c.name).([]any)); got != c.total {
			t.Errorf("%s: got %d, want %d", c.path, got, c.total)
		}
		f.do("GET", c.path+"?paginate=S", "").want(200).has(map[string]string{
			"response": "success", "meta.total": fmt.Sprint(c.total), "meta.per_page": "20", "meta.last_page": fmt.Sprint(c.lastPage)})
	}
	f.do("GET", "/products", "").has(map[string]string{
		"message": "success", "content_supplier_products.0.id": "1", "content_supplier_products.0.active": "true", "content_supplier_products.3.active": "false",
		"content_supplier_products.4.can": "[suspend]",
	})
	f.do("GET", "/products?paginate=S", "").has(map[string]string{"message": "success", "data.1.code": "play-premium"})
	f.do("GET", "/subscribers/internet_speeds?paginate=S&page=2", "").has(map[string]string{"data.17.id": "38"})
}

func TestLinksBeginWithThePublicURL(t *testing.T) {
	f := newParallelFixture(t, func(o *server.Options, _ *domain.Provider) { o.PublicURL = "https://ativa.example/base/" })
	f.do("GET", "/api/products?x=1&paginate=S", "").want(200).
		has(map[string]string{"links.first": "https://ativa.example/base/api/products?page=1&paginate=S&x=1"})
}

// A search term may hold anything, and no match is an empty list.
func TestASearchTermMayHoldAnything(t *testing.T) {
	f := newParallelFixture(t)
	f.do("POST", "/subscribers", subscriber(1, "name", `"a/b .. c?"`)).want(201)
	for term, found := range map[string]bool{
		"a%2Fb": true, "%2E%2E": true, "c%3F": true, "a%2Fb%20..": true, "a1@EXAMPLE.com": true, "98765": true,
		"%25%25": false, strings.Repeat("jo%C3%A3o%20", 400): false,
	} {
		r := f.do("GET", "/subscribers/search/"+term, "").want(200).has(map[string]string{"response": "success"})
		if got := r.get("subscribers").([]any); (len(got) == 1) != found {
			t.Errorf("%.20s: got %s, want the subscriber: %t", term, r.body, found)
		}
	}
}
