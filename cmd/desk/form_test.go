package desk

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
)

const (
	newSubscriber = "<enter>862.883.667-57<enter>zilda@example.com<enter>(11) 3333-4444<enter>"
	asksName      = "Correct the data of Ana Souza|Type its name to continue:"
)

// refuses makes the server refuse what forms send, after a time.
func refuses(refusal *client.Error, after time.Duration) func(*fakeServer) {
	return func(s *fakeServer) {
		s.save = func(context.Context) error { time.Sleep(after); return refusal }
	}
}

// A form sends only the changed fields, in the API's format.
func TestForms(t *testing.T) {
	exists := &client.Error{Status: http.StatusConflict, Code: api.CodeSubscriberExists}
	tooLong := &client.Error{Status: http.StatusUnprocessableEntity, Code: api.CodeValidationFailed, Message: strings.Repeat("a reason that is long enough ", 50)}
	protected := options{context: "producao", protected: true, asksName: true}
	mayNotManage := func(s *fakeServer) { s.catalog.Scopes = []api.Scope{api.ScopeRead, api.ScopeProvision} }
	notOffered := []step{
		{keys: openAna + "<enter>", lacks: "correct name"},
		{keys: "<esc><esc><ctrl+u>zz", lacks: "register a new"},
		{keys: "<enter>", lacks: "Register a subscriber"},
	}
	tell(t, []story{
		{name: "a datum is corrected", steps: []step{
			{keys: openAna + correct, shows: "Correct the data of Ana Souza|› name Ana Souza|e-mail ana@example.com|telephone (11) 98765-4321|plan Fibra 500"},
			{keys: "<tab><ctrl+u>ana.nova@example.com<tab><ctrl+u>61 94720 4606<tab><enter>", sent: "correct Ana Souza: ana.nova@example.com +5561947204606",
				shows: "the data of Ana Souza are corrected|went to the address before: send it again|ana.nova@example.com · (61) 94720-4606"},
			{keys: correct + "<ctrl+s>", shows: "nothing was changed"},
			{keys: correct + "x<tab><esc>", shows: "not confirmed; nothing was sent"},
		}},
		{name: "a datum that nobody touched is neither checked nor sent", server: func(s *fakeServer) {
			ana := s.Subscribers[anaDocument]
			ana.Name, ana.CustomerPlan = "Ana  Souza", "Fibra\t500"
		}, steps: []step{
			{keys: openAna + correct + "<tab><ctrl+u>ana.nova@example.com<ctrl+s>", sent: "correct Ana  Souza: ana.nova@example.com"},
		}},
		{name: "who is not found is registered, then opens", steps: []step{
			{keys: "Zilda Reis", shows: "register a new subscriber…"},
			{keys: "<enter>", shows: "Register a subscriber|› name Zilda Reis"},
			{keys: newSubscriber + "Fibra 500<enter>", shows: "Zilda Reis is registered|none yet; activate a product…",
				sent: "register Zilda Reis 86288366757 zilda@example.com +551133334444 Fibra 500 38"},
		}},
		{name: "by CPF", steps: []step{{keys: "862.883.667-57"}, {keys: "<enter>", shows: "CPF 862.883.667-57"}}},
		{name: "by a mistyped CPF", steps: []step{{keys: "862.883.667-58"}, {keys: "<enter>", shows: "› name CPF 862.883.667-58"}}},
		{name: "by telephone", steps: []step{{keys: "(61) 94720-4606"}, {keys: "<enter>", shows: "telephone (61) 94720-4606"}}},
		{name: "by e-mail", steps: []step{{keys: "z@example.com"}, {keys: "<enter>", shows: "e-mail z@example.com"}}},
		{name: "a read-only context offers none", options: options{readOnly: true}, steps: notOffered},
		{name: "a token that may not is offered none", server: mayNotManage, steps: notOffered},
		{name: "a protected context asks for its name, and keeps the form of who mistypes it", options: protected, steps: []step{
			{keys: openAna + correct + " Lima<ctrl+s>", shows: asksName},
			{keys: "prodcao<enter>", shows: "› name Ana Souza Lima|not confirmed; nothing was sent"},
			{keys: "<ctrl+s>", shows: asksName},
			{keys: "producao<enter>", sent: "correct Ana Souza: Ana Souza Lima"},
		}},
		{name: "a paste with any line breaks goes into the field and saves nothing", steps: []step{
			{keys: openAna + correct},
			{do: paste(" Lima\r\n\n"), shows: "› name Ana Souza Lima"},
		}},
		{name: "what is typed or pasted on the help page comes through to the form, and no other key acts on it", steps: []step{
			{keys: openAna + correct + "<f1>xyz", shows: "› name Ana Souzaxyz"},
			{keys: "<f1>", shows: "any key leaves the help"},
			{do: paste(" Lima"), shows: "› name Ana Souzaxyz Lima"},
			{keys: "<f1><ctrl+s>", shows: "› name Ana Souzaxyz Lima"},
			{keys: "<f1><esc>", shows: "› name Ana Souzaxyz Lima"},
			{keys: "<f1><tab>", shows: "› name Ana Souzaxyz Lima"},
			{keys: "<f1><backspace>", shows: "› name Ana Souzaxyz Lima"},
		}},
		{name: "keys typed before the form is shown are ignored", steps: []step{
			{keys: openAna + "<enter>", shows: "7 correct name"},
			{do: func(x *testDesk) {
				for _, k := range keysOf("7x<ctrl+s>") {
					x.send(k)
				}
			}, shows: "› name Ana Souza", lacks: "Souzax"},
		}},
		{name: "a long refusal leaves the form on the smallest screen", server: refuses(tooLong, 0), steps: []step{
			{do: resize(leastWidth, leastHeight), keys: openAna + correct + " Lima<ctrl+s>", shows: "› name Ana Souza Lima|long enough|Tab next field", sent: "correct Ana Souza: Ana Souza Lima"},
		}},
		{name: "the next name after a form is a search of its own", steps: []step{
			{keys: "Zilda Reis"}, {keys: "<enter>"}, {keys: "<esc>souza", shows: "Search: souza|1 found"},
		}},
		{name: "a late refusal of a correction stays long enough to be read", server: refuses(exists, 10*time.Second), steps: []step{
			{keys: openAna + correct + " Lima<ctrl+s>", sent: "correct Ana Souza: Ana Souza Lima"},
			{keys: "nun", wait: 10*time.Second - 4*quietTime, lacks: "Search: nunes"},
			{keys: "es", shows: "Search: nunes|Correct the data of Ana Souza: "},
			{wait: leastNotice},
			{keys: "<backspace>", lacks: "Correct the data of Ana Souza: "},
		}},
	})
}

// Fields are checked like those of the commands, and the form keeps its input until all
// are valid and the server accepts them.
func TestAFormSaysWhatIsWrong(t *testing.T) {
	refused := &client.Error{Status: http.StatusUnprocessableEntity, Problem: api.Problem{Errors: []api.FieldError{{Field: "email", Code: "invalid_email", Detail: "must be one plain e-mail address"}}}}
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		const sent = "correct Ana Souza: Ana ana@example.org +5511987654321"
		tell(t, []story{{name: string(l), options: options{lang: l}, server: refuses(refused, 0), steps: []step{
			{keys: openAna + correct + "<ctrl+u><ctrl+s>", shows: l.Text("the name is missing")},
			{keys: "Ana<tab><ctrl+u>ana@example<tab>", shows: l.Text("this is not one plain e-mail address such as ana@example.com")},
			{keys: "<ctrl+u>ana@example.org<tab><ctrl+u>98765-4321<ctrl+s>"},
			{keys: "<ctrl+u>11987654321<ctrl+s>", shows: "ana@example.org|" + l.Text("must be one plain e-mail address"), sent: sent},
			{do: func(x *testDesk) { x.server.save = nil }, keys: "<ctrl+s>", shows: "Enter menu|ana@example.org", sent: sent},
		}}})
	}
}

// The answer to a form that comes late leaves alone what the person does by then: the name that
// is being typed stays whole, and no card and no form opens.
func TestALateAnswerToAFormTakesNoFocus(t *testing.T) {
	for name, refusal := range map[string]error{"registered": nil, "refused": &client.Error{Status: http.StatusConflict, Code: api.CodeSubscriberExists}} {
		on(t, options{}, func(x *testDesk) {
			x.server.save = func(context.Context) error { time.Sleep(10 * time.Second); return refusal }
			x.keys("Zilda Reis")
			x.keys("<enter>")
			x.keys(newSubscriber + "<enter>")
			x.keys("sou")
			x.wants("Search: sou", "Register a subscriber…")
			x.pass(15 * time.Second)
			if x.m.onCard || x.m.prompt != nil {
				t.Errorf("%s: the answer opened something:\n%s", name, x.screen())
			}
			x.keys("za")
			x.wants("Search: souza", "1 found")
		})
	}
}
