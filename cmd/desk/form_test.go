package desk

import (
	"context"
	"net/http"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
)

// A form sends only the changed fields, in the API's format.
func TestADatumIsCorrected(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.chooseText("correct name, e-mail, telephone or plan")
		x.wants("Correct the data of Ana Souza", "› name Ana Souza", "e-mail ana@example.com", "telephone (11) 98765-4321", "plan Fibra 500")
		x.keys("<tab><ctrl+u>ana.nova@example.com<tab><ctrl+u>61 94720 4606<tab><enter>")
		if got := x.server.updated; len(got) != 1 || got[0] != (api.SubscriberUpdate{Email: api.Some("ana.nova@example.com"), Phone: api.Some("+5561947204606")}) {
			t.Fatalf("it sent %+v, want e-mail and telephone", got)
		}
		x.wants("the data of Ana Souza are corrected", "went to the address before: send it again", "ana.nova@example.com · (61) 94720-4606")
		x.chooseText("correct name, e-mail, telephone or plan")
		x.keys("<ctrl+s>")
		x.wants("nothing was changed")
		x.chooseText("correct name, e-mail, telephone or plan")
		x.keys("x<tab><esc>")
		x.wants("not confirmed; nothing was sent")
		if len(x.server.updated) != 1 {
			t.Errorf("it sent %+v more", x.server.updated[1:])
		}
	})
}

// Fields are checked like those of the commands, and the form keeps its input until all
// are valid and the server accepts them.
func TestAFormSaysWhatIsWrong(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Portuguese} {
		on(t, options{lang: l}, func(x *testDesk) {
			says := func(english string) string { return l.Text(english) }
			openAna(x)
			x.chooseText(says("correct name, e-mail, telephone or plan"))
			x.keys("<ctrl+u><ctrl+s>")
			x.wants(says("the name is missing"))
			x.keys("Ana<tab><ctrl+u>ana@example<tab>")
			x.wants(says("this is not one plain e-mail address such as ana@example.com"))
			x.keys("<ctrl+u>ana@example.org<tab><ctrl+u>98765-4321<ctrl+s>")
			if len(x.server.updated) > 0 {
				t.Fatalf("it sent %+v", x.server.updated)
			}
			x.server.save = func(context.Context) error {
				return &client.Error{Status: http.StatusUnprocessableEntity, Problem: api.Problem{Errors: []api.FieldError{{Field: "email", Code: "invalid_email", Detail: "must be one plain e-mail address"}}}}
			}
			x.keys("<ctrl+u>11987654321<ctrl+s>")
			x.wants("ana@example.org", says("must be one plain e-mail address"))
			x.server.save = nil
			x.keys("<ctrl+s>")
			x.wants("Ana", "ana@example.org")
			if len(x.server.updated) != 2 || x.m.prompt != nil {
				t.Errorf("it sent %+v\n%s", x.server.updated, x.screen())
			}
		})
	}
}

// A subscriber who is not found can be registered from the search term, then opens.
func TestWhoIsNotFoundIsRegistered(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys("Zilda Reis")
		x.wants("register a new subscriber…")
		x.keys("<enter>")
		x.wants("Register a subscriber", "› name Zilda Reis")
		x.keys("<enter>862.883.667-57<enter>zilda@example.com<enter>(11) 3333-4444<enter>Fibra 500<enter>")
		want := api.SubscriberCreate{Name: "Zilda Reis", Document: "86288366757", Email: "zilda@example.com", Phone: "+551133334444", CustomerPlan: "Fibra 500",
			InternetSpeedID: api.Some(api.Int(api.DefaultInternetSpeed))}
		if got := x.server.registered; len(got) != 1 || got[0] != want {
			t.Fatalf("it sent %+v, want %+v", got, want)
		}
		x.wants("Zilda Reis is registered", "none yet; activate a product…")
	})
	for typed, want := range map[string]string{"862.883.667-57": "CPF 862.883.667-57", "(61) 94720-4606": "telephone (61) 94720-4606", "z@example.com": "e-mail z@example.com"} {
		on(t, options{}, func(x *testDesk) {
			x.keys(typed)
			x.keys("<enter>")
			x.wants(want)
		})
	}
}

// Without permission neither is offered; a protected context asks for its name.
func TestFormsKeepToContextAndToken(t *testing.T) {
	for name, o := range map[string]options{"read-only": {readOnly: true}, "a token that may not": {}} {
		on(t, o, func(x *testDesk) {
			x.server.catalog.Scopes = []api.Scope{api.ScopeRead, api.ScopeProvision}
			openAna(x)
			x.keys("<enter>")
			x.lacks("correct name")
			x.keys("<esc><esc><ctrl+u>zz")
			x.lacks("register a new")
			x.keys("<enter>")
			if x.m.prompt != nil {
				t.Errorf("%s: a form is open", name)
			}
		})
	}
	on(t, options{context: "producao", protected: true, asksName: true}, func(x *testDesk) {
		openAna(x)
		x.chooseText("correct name, e-mail, telephone or plan")
		x.keys(" Lima<ctrl+s>")
		x.wants("Correct the data of Ana Souza", "Type its name to continue:")
		if len(x.server.updated) > 0 {
			t.Fatalf("it sent %+v", x.server.updated)
		}
		x.keys("producao<enter>")
		if got := x.server.updated; len(got) != 1 || got[0].Name.Value != "Ana Souza Lima" {
			t.Errorf("it sent %+v", got)
		}
	})
}

// A paste with any line breaks goes into the field and saves nothing; keys typed before the
// form was shown are ignored.
func TestAPasteSavesNothing(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.chooseText("correct name, e-mail, telephone or plan")
		x.send(tea.PasteMsg{Content: " Lima\r\n\n"})
		x.wants("› name Ana Souza Lima")
		x.keys("<esc><enter>")
		for i, e := range x.m.prompt.entries {
			if e.action == "" && x.m.translate(e.label) == "correct name, e-mail, telephone or plan" {
				for _, k := range keysOf(string(rune('1'+i)) + "x<ctrl+s>") {
					x.send(k)
				}
				break
			}
		}
		x.pass(2 * quietTime)
		x.wants("› name Ana Souza")
		x.lacks("Souzax")
		if len(x.server.updated) > 0 || len(x.server.performed) > 0 {
			t.Errorf("it sent %+v and did %v", x.server.updated, x.server.performed)
		}
	})
}

// The answer to a form that comes late leaves alone what the person does by then: the name that
// is being typed stays whole, and no card and no form opens.
func TestALateAnswerToAFormTakesNoFocus(t *testing.T) {
	for name, refusal := range map[string]error{"registered": nil, "refused": &client.Error{Status: http.StatusConflict, Code: api.CodeSubscriberExists}} {
		on(t, options{}, func(x *testDesk) {
			x.server.save = func(context.Context) error { time.Sleep(10 * time.Second); return refusal }
			x.keys("Zilda Reis")
			x.keys("<enter>")
			x.keys("<enter>862.883.667-57<enter>zilda@example.com<enter>(11) 3333-4444<enter><enter>")
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
	on(t, options{}, func(x *testDesk) {
		x.server.save = func(context.Context) error {
			time.Sleep(10 * time.Second)
			return &client.Error{Status: http.StatusConflict, Code: api.CodeSubscriberExists}
		}
		openAna(x)
		x.chooseText("correct name, e-mail, telephone or plan")
		x.keys(" Lima<ctrl+s>")
		x.keys("nun")
		x.pass(10 * time.Second)
		x.keys("es") // at once after the answer
		x.wants("Search: nunes", "Correct the data of Ana Souza: ")
		x.pass(leastNotice)
		x.keys("<backspace>")
		x.lacks("Correct the data of Ana Souza: ")
	})
}

// A form that was left is over: the next name that is typed is a search of its own.
func TestTheNextNameAfterAFormIsASearchOfItsOwn(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.keys("Zilda Reis")
		x.keys("<enter>")
		x.keys("<esc>souza")
		x.wants("Search: souza", "1 found")
	})
}

// Who mistypes the name of the protected context finds the form as it was filled in.
func TestAnUnconfirmedFormIsKept(t *testing.T) {
	on(t, options{context: "producao", protected: true, asksName: true}, func(x *testDesk) {
		openAna(x)
		x.chooseText("correct name, e-mail, telephone or plan")
		x.keys(" Lima<ctrl+s>")
		x.keys("prodcao<enter>")
		x.wants("› name Ana Souza Lima", "not confirmed; nothing was sent")
		x.keys("<ctrl+s>")
		x.keys("producao<enter>")
		if got := x.server.updated; len(got) != 1 || got[0].Name.Value != "Ana Souza Lima" {
			t.Errorf("it sent %+v", got)
		}
	})
}
