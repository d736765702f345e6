package desk

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// asked checks which terms the server was asked for.
func asked(want ...string) func(*testDesk) {
	return func(x *testDesk) {
		if got := x.server.asked; !slices.Equal(got, want) {
			x.t.Errorf("the server was asked for %q, want once for %q", got, want)
		}
	}
}

func TestSearches(t *testing.T) {
	editing := map[string]string{
		"ana souza<ctrl+w>lima": "ana lima", "ana<home>x<end>y": "xanay", "joão<left><left><delete>õ": "joõo", "lima <ctrl+w>b": "b", "ana<ctrl+a>X<ctrl+k>": "X",
		"anaé<backspace>": "ana", "ana<ctrl+b><ctrl+b><ctrl+d>": "aa", "ana<esc>b": "b", "ana<alt+b>": "b",
		// After a card, text starts a new term; editing keys keep it.
		openAna + "<esc>bruno": "bruno", openAna + "<esc><esc>": "", openAna + "<esc><backspace>ma": "souzma", openAna + "<esc><down> s": "souza s",
	}
	for keys, want := range editing {
		on(t, options{}, func(x *testDesk) {
			x.keys(keys)
			if got := x.m.search.input.text(); got != want {
				t.Errorf("%q gives %q, want %q", keys, got, want)
			}
		})
	}
	many := func(s *fakeServer) {
		s.find = func(context.Context, string) ([]api.Subscriber, error) {
			return slices.Repeat([]api.Subscriber{*s.Subscribers[anaDocument]}, maxFound), nil
		}
	}
	typed := []step{{do: resize(leastWidth, leastHeight), keys: "maria de fátima", shows: "maria de fátima|100"}}
	tell(t, []story{
		{name: "there is room to type beside the number of results", server: many, steps: typed},
		{name: "also in Portuguese", options: options{lang: lang.Portuguese}, server: many, steps: typed},
		{name: "a mistyped CPF is reported", steps: []step{
			{keys: "862.883.667-58", shows: "the check digits of the CPF are wrong"},
			{keys: "<backspace>7", shows: `Nobody is found by "862.883.667-57"`},
			{keys: "5", shows: "a CPF has 11 digits, this has 12; compare"},
		}},
		{name: "a paste after a card is a new term", steps: []step{{keys: openAna + "<esc>"}, {do: paste("bruno"), shows: "Search: bruno"}}},
		{name: "the server is asked once for what is typed at once", steps: []step{{keys: "souza", then: asked("souza")}}},
		{name: "and for a document that is pasted with line breaks", steps: []step{{do: paste(" 529.982.247-25\r\n"), then: asked("529.982.247-25")}}},
		{name: "nobody is found at once, also while the catalog is read", server: func(s *fakeServer) {
			s.offer = func(context.Context) error { time.Sleep(20 * time.Second); return nil }
		}, steps: []step{
			{keys: "zz", shows: `Nobody is found by "zz"|0 found`, lacks: "register"},
			{wait: 20 * time.Second, shows: "register a new subscriber…|Enter register"},
		}},
		{name: "the catalog is asked for again after an error", server: func(s *fakeServer) {
			s.offer = func(context.Context) error { s.offer = nil; return context.DeadlineExceeded }
		}, steps: []step{
			{keys: "zz", shows: `Nobody is found by "zz"`, lacks: "register"},
			{keys: "z", shows: "register a new subscriber…"},
		}},
		{name: "the last question wins, and a slow answer blocks nothing", server: func(s *fakeServer) {
			s.find = func(ctx context.Context, term string) ([]api.Subscriber, error) {
				time.Sleep(map[string]time.Duration{"ana": time.Minute, "bia": time.Second}[term]) // ignores the cancellation
				return []api.Subscriber{{Name: "answer to " + term, Document: anaDocument}}, nil
			}
		}, steps: []step{
			{keys: "ana", shows: "searching…"},
			{keys: "<ctrl+u>bia", wait: 2 * time.Second, shows: "answer to bia"},
			{wait: 2 * time.Minute, shows: "answer to bia", lacks: "answer to ana"},
		}},
		// Enter before the response opens its only result.
		{name: "Enter opens the only answer that is still to come", steps: []step{{do: func(x *testDesk) {
			for _, k := range keysOf(openAna) {
				x.send(k)
			}
		}, shows: "waits for the subscriber"}}},
	})
}

// Results are sorted by name, and namesakes show distinguishing data.
func TestResultsAreInOrderOfName(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.find = func(context.Context, string) ([]api.Subscriber, error) {
			return []api.Subscriber{
				{Name: "Zélia Reis", Document: "52998224725", Phone: "+5511911112222"},
				{Name: "Ana Souza", Document: "11144477735", Phone: "+5511987654321", CustomerPlan: "Fibra 500"},
				{Name: "Ânabela Reis", Document: "86288366757", Phone: "+551133334444"},
				{Name: "ANA SOUZA", Document: "39053344705", Phone: "+551133334444", CustomerPlan: "Fibra 1 Giga"},
			}, nil
		}
		x.keys("reis")
		inOrder := regexp.MustCompile(`(?s)444\.777.*98765-4321.*Fibra 500.*533\.447.*3333-4444.*Fibra 1 Giga.*Ânabela.*Zélia`)
		if shown := x.screen(); !inOrder.MatchString(shown) {
			t.Errorf("the results are not in the order of names, with what tells namesakes apart:\n%s", shown)
		}
	})
}
