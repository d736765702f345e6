package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

// A list is sent while it is read, so it needs the same memory for any number; another test covers the store.
// It never looks whole after an error or a panic in the middle.
func TestAnInterruptedListNeverLooksComplete(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 700, basic)
	for _, defect := range []bool{false, true} {
		f.store.each = func(_ context.Context, n int) error {
			switch {
			case n < 600:
				return nil
			case defect:
				panic("a defect")
			}
			return errors.New("the disk is gone")
		}
		res, err := f.request(t.Context(), "GET", "/subscribers", "")
		f.must(err)
		b, err := io.ReadAll(res.Body)
		if res.Body.Close(); err == nil {
			t.Errorf("got %d bytes without an error, want a broken connection", len(b))
		}
	}
}

// The time-outs for reading a request and for writing a response do not limit a list that makes
// progress.
func TestALongDownloadOutlivesTheTimeOutsOfAResponse(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 700, basic)
	f.register(701, 701)
	f.store.each = func(ctx context.Context, n int) error {
		if n == 600 {
			time.Sleep(10 * time.Minute)
		}
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		conn, stop := servePipe(f.server)
		defer stop()
		_, err := io.WriteString(conn, "GET /subscribers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+f.bearer+"\r\n\r\n")
		must(t, err)
		got, err := readReply(t, bufio.NewReader(conn))
		must(t, err)
		got.want(200).has(map[string]string{"subscribers.699.document": doc(700), "subscribers.700.services": "[]"})
	})
}

// The time-out for reading a body does not limit what follows, with a body or without one.
func TestAWriteOutlivesTheTimeToReadItsBody(t *testing.T) {
	f := newParallelFixture(t)
	var ended []error // of the contexts, after a long time
	f.store.update = func(ctx context.Context) error {
		time.Sleep(10 * time.Minute)
		ended = append(ended, ctx.Err())
		return errors.New("the database is outside of the bubble")
	}
	for _, request := range []string{"POST /tokens/tok_1/rotate HTTP/1.1\r\nContent-Length: 0", "POST /subscribers HTTP/1.1\r\nContent-Length: 2"} {
		synctest.Test(t, func(t *testing.T) {
			conn, stop := servePipe(f.server)
			defer stop()
			body := strings.Repeat("{}", strings.Count(request, ": 2"))
			_, err := io.WriteString(conn, request+"\r\nHost: x\r\nAuthorization: Bearer "+f.bearer+"\r\n\r\n"+body)
			must(t, err)
			_, _ = io.ReadAll(conn) // too late for a response
		})
	}
	if len(ended) != 2 || errors.Join(ended...) != nil {
		t.Errorf("got the contexts %v, want two that last", ended)
	}
}

// A fault of the database is 503 with its message and Retry-After. Any other error is 500 without its
// text.
func TestAFaultOfTheDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	full := &fs.PathError{Op: "write", Path: "spill", Err: syscall.ENOSPC}
	var fault *domain.Error // the store's error
	f := newFixture(t, func(o *server.Options, _ *domain.Provider) {
		o.DatabaseFault = func(error) *domain.Error { return fault }
	})
	f.activate(1, basic)
	unavailable := &domain.Error{Code: domain.Unavailable, Message: "the disk of the database is full"}
	for _, c := range []struct {
		err    error
		fault  *domain.Error
		status int
	}{{unavailable, nil, 503}, {full, unavailable, 503}, {full, nil, 500}, {errors.New("UNIQUE constraint failed"), nil, 500}} {
		fault = c.fault
		f.store.update = func(context.Context) error { return c.err }
		f.store.each = func(context.Context, int) error { return c.err }
		detail, again := "an error of the server; it is in its log under the request id", ""
		if c.status == 503 {
			detail, again = unavailable.Message, "1"
		}
		for _, r := range []reply{f.do("POST", "/subscribers", subscriber(2)), f.do("GET", "/subscribers", ""), f.do("GET", january+"&detail=tokens", "")} {
			r.want(c.status).has(map[string]string{"detail": detail})
			if got := r.header.Get("Retry-After"); got != again {
				t.Errorf("%v: got Retry-After %q, want %q", c.err, got, again)
			}
		}
	}
	if !strings.Contains(f.log.String(), full.Error()) {
		t.Errorf("the log lacks the cause: %s", f.log.String())
	}
	f.store.update, f.store.each = noFault, noFaultEach
	f.do("POST", "/subscribers", subscriber(2)).want(201)
}

func TestPagesAreCutAndLinked(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 5)
	for _, c := range []struct {
		path, found, meta, prev, next string
	}{
		{"/subscribers?paginate=S", "1 2 3 4 5", "1 1 500 5", "", ""},
		{"/subscribers?paginate=S&per_page=2", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers?paginate=S&per_page=2&page=2", "3 4", "2 3 2 5", "1", "3"},
		{"/subscribers?paginate=S&per_page=2&page=3", "5", "3 3 2 5", "2", ""},
		{"/subscribers?paginate=S&per_page=2&page=9", "", "9 3 2 5", "3", ""},
		{"/subscribers?paginate=S&per_page=2&page=99999999999999999999", "", "2.147483647e+09 3 2 5", "3", ""},
		{"/subscribers?paginate=S&per_page=2&page=99999999999999999999999x", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers?paginate=S&per_page=2&page=0", "1 2", "1 3 2 5", "", "2"},
		{"/subscribers?paginate=S&per_page=501", "1 2 3 4 5", "1 1 500 5", "", ""},
		{"/subscribers/search/assinante?paginate=S&per_page=3&page=2", "4 5", "2 2 3 5", "1", ""},
		{"/subscribers/search/nobody?paginate=S", "", "1 1 20 0", "", ""},
	} {
		for _, prefix := range []string{"", api.Prefix} {
			r := f.do("GET", prefix+c.path, "").want(200)
			var found []string
			for _, name := range regexp.MustCompile(`Assinante (\d)`).FindAllStringSubmatch(string(r.body), -1) {
				found = append(found, name[1])
			}
			meta := fmt.Sprint(r.get("meta", "current_page"), r.get("meta", "last_page"), r.get("meta", "per_page"), r.get("meta", "total"))
			if got := strings.Join(found, " "); got != c.found || meta != c.meta {
				t.Errorf("%s: got %s of %s, want %s of %s", c.path, got, meta, c.found, c.meta)
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

// Only a capital S asks for pages. The examples of /docs have the plain lists.
func TestShortListsComeInPages(t *testing.T) {
	f := newParallelFixture(t)
	f.do("GET", "/subscribers/internet_speeds?paginate=S&page=2", "").want(200).
		has(map[string]string{"data.17.id": "38", "meta.total": "38", "meta.per_page": "20", "meta.last_page": "2"})
	r := f.do("GET", "/products?paginate=S&per_page=2&page=2", "").want(200).has(map[string]string{"message": "success", "data.1.active": "false"})
	if got := r.get("data").([]any); len(got) != 2 {
		t.Errorf("got %d products on a page of 2", len(got))
	}
	for _, q := range []string{"", "?paginate=s", "?paginate=true", "?paginate=", "?page=1", "?paginate=SS", "?per_page=1"} {
		f.do("GET", "/products"+q, "").want(200).has(map[string]string{"content_supplier_products.4.can": "[suspend]", "links": "", "meta": ""})
	}
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
