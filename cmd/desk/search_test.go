package desk

import (
	"context"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/lang"
)

func TestTheServerIsAskedOnceForWhatIsTypedAtOnce(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys("souza")
		if got := x.server.asked; !slices.Equal(got, []string{"souza"}) {
			t.Errorf("the server was asked for %q, want once for souza", got)
		}
	})
}

// A slow response to an earlier search never replaces a later one, and blocks nothing.
func TestTheLastQuestionWins(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.find = func(ctx context.Context, term string) ([]api.Subscriber, error) {
			wait := time.Second
			if term == "ana" {
				wait = time.Minute
			}
			time.Sleep(wait) // ignores the cancellation
			return []api.Subscriber{{Name: "answer to " + term, Document: "52998224725"}}, nil
		}
		x.keys("ana")
		x.wants("searching…")
		x.keys("<ctrl+u>bia")
		x.pass(2 * time.Second)
		x.wants("answer to bia")
		x.pass(2 * time.Minute)
		x.wants("answer to bia")
		x.lacks("answer to ana")
	})
}

func TestWhatIsNotWantedAnyMoreIsCalledOff(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		var calledOff bool
		x.server.find = func(ctx context.Context, _ string) ([]api.Subscriber, error) {
			<-ctx.Done()
			calledOff = true
			return nil, ctx.Err()
		}
		x.keys("ana")
		x.keys("<backspace>")
		if !calledOff {
			t.Error("the first question goes on, want it called off")
		}
		x.lacks("interrupted")
	})
}

// Enter before the response opens its only result.
func TestEnterOpensTheOnlyAnswerThatIsStillToCome(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		for _, k := range keysOf("souza<enter>") {
			x.send(k)
		}
		x.pass(time.Second)
		x.wants("waits for the subscriber")
	})
}

func TestTheSearchLineIsEdited(t *testing.T) {
	for keys, want := range map[string]string{
		"ana souza<ctrl+w>lima": "ana lima", "ana<home>x<end>y": "xanay", "joão<left><left><delete>õ": "joõo", "lima <ctrl+w>b": "b", "ana<ctrl+a>X<ctrl+k>": "X", "anaé<backspace>": "ana", "ana<ctrl+b><ctrl+b><ctrl+d>": "aa", "ana<esc>b": "b",
	} {
		on(t, options{}, func(x *testDesk) {
			x.keys(keys)
			if got := x.m.search.input.text(); got != want {
				t.Errorf("%q gives %q, want %q", keys, got, want)
			}
		})
	}
}

// A document is pasted with punctuation and line breaks.
func TestADocumentIsPasted(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.send(tea.PasteMsg{Content: " 529.982.247-25\r\n"})
		x.pass(time.Second)
		if got := x.server.asked; !slices.Equal(got, []string{"529.982.247-25"}) {
			t.Errorf("the server was asked for %q, want the document", got)
		}
	})
}

// A mistyped CPF is reported.
func TestAWrongDocumentIsNamed(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys("529.982.247-24")
		x.wants("the check digits of the CPF are wrong")
		x.keys("<backspace>5")
		x.wants(`Nobody is found by "529.982.247-25"`)
	})
}

// The number of results leaves room to type on the smallest screen.
func TestThereIsRoomToType(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		on(t, options{lang: l}, func(x *testDesk) {
			x.server.find = func(context.Context, string) ([]api.Subscriber, error) {
				return slices.Repeat([]api.Subscriber{x.server.people["52998224725"]}, maxFound), nil
			}
			x.send(tea.WindowSizeMsg{Width: leastWidth, Height: leastHeight})
			x.keys("maria de fátima")
			x.wants("maria de fátima", "100")
		})
	}
}

// Text typed after a card starts a new term; editing keys keep the term.
func TestTypingAfterACardBeginsANewSearch(t *testing.T) {
	for typed, want := range map[string]string{"bruno": "bruno", "<esc>": "", "<backspace>ma": "souzma", "<down> s": "souza s"} {
		on(t, options{}, func(x *testDesk) {
			openAna(x)
			x.keys("<esc>" + typed)
			x.wants("Search: " + want)
		})
	}
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.keys("<esc>")
		x.send(tea.PasteMsg{Content: "bruno"})
		x.wants("Search: bruno")
	})
}
