package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"ativa/internal/api"
)

func TestPathsAreEscapedPartByPart(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"digits stay", api.SubscriberPath("52998224725"), "/subscribers/52998224725"},
		{"dots of a CPF stay", api.SubscriberPath("529.982.247-25"), "/subscribers/529.982.247-25"},
		{"history", api.HistoryPath("52998224725"), "/subscribers/52998224725/history"},
		{"a slash is no separator", api.SearchPath("a/b"), "/subscribers/search/a%2Fb"},
		{"a query is part of the term", api.SearchPath("a?b=c#d"), "/subscribers/search/a%3Fb=c%23d"},
		{"blank and accent", api.SearchPath("joão s"), "/subscribers/search/jo%C3%A3o%20s"},
		{"the parent is not climbed to", api.SearchPath(".."), "/subscribers/search/%2E%2E"},
		{"a lone dot", api.SearchPath("."), "/subscribers/search/%2E"},
		{"operation", api.Suspend.Path(), api.PathSuspend},
		{"dry run", api.Change.ValidatePath(), "/provision/change/validate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %q, want %q", c.got, c.want)
			}
		})
	}
}

func TestPatternsLiveInOneServeMux(t *testing.T) {
	var got string
	mux := http.NewServeMux()
	for _, p := range []string{
		"GET " + api.PathSubscribers, "GET " + api.PathSubscriber, "GET " + api.PathSearch,
		"GET " + api.PathInternetSpeeds, "GET " + api.PathSubscriberView, "POST " + api.PathImport,
		"POST " + api.PathImportValidate, "POST " + api.PathResend, "PUT " + api.PathSubscriber,
		"POST " + api.PathActivate, "POST " + api.PathOverdue, "POST " + api.PathSettle,
		"POST " + api.PathChange, "POST " + api.PathProvisionValidate, "GET " + api.PathProducts,
		"GET " + api.PathStatuses, "GET " + api.PathEvents, "GET " + api.PathLink,
	} {
		mux.HandleFunc(p, func(_ http.ResponseWriter, r *http.Request) {
			got = r.Pattern + " " + r.PathValue(api.WildcardDocument) + r.PathValue(api.WildcardSearch)
		})
	}
	for _, c := range []struct{ path, want string }{
		{api.SearchPath(".."), "GET " + api.PathSearch + " .."},
		{api.SearchPath("a/b"), "GET " + api.PathSearch + " a/b"},
		{api.SearchPath("history"), "GET " + api.PathSearch + " history"},
		{api.HistoryPath("1.2"), "GET " + api.PathSubscriberView + " 1.2"},
		{api.PathInternetSpeeds, "GET " + api.PathInternetSpeeds + " "},
	} {
		got = ""
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, c.path, nil))
		if got != c.want {
			t.Errorf("GET %s: got %q, want %q", c.path, got, c.want)
		}
	}
}
