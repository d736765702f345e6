package api_test

import (
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
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}
