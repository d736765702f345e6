package support_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

// The state of a service, what it waits for, and the next commands.
func TestAServiceInPlainWords(t *testing.T) {
	for _, c := range []struct{ path, waitsFor, explanation, next string }{
		{"activate", "subscriber", "follow the link", "subscribers resend 52998224725 --product play-basic"},
		{"full activate", "queue", "number 1 in the queue", ""},
		{"activate ok", "", "the service is enabled", "provision suspend --product play-basic 52998224725; provision change 52998224725 --from play-basic --to play-premium"},
		{"activate ok suspend", "partner", "confirm the suspension", "provision suspend --product play-basic --wait 52998224725"},
		{"activate ok overdue ok", "", "lack of payment", "provision settle --product play-basic 52998224725; provision deactivate --product play-basic 52998224725"},
		{"activate ok suspend broken", "you", "the suspension: broken", "provision suspend --product play-basic 52998224725; provision activate --product play-basic 52998224725; provision deactivate --product play-basic 52998224725"},
		{"activate ok overdue broken", "you", "lack of payment: broken", "provision activate --product play-basic 52998224725; provision deactivate --product play-basic 52998224725"},
		{"activate ok deactivate ok", "", "cancelled for good", "provision activate --product play-basic 52998224725"},
	} {
		f := newFixture(t)
		f.apply(strings.Fields(c.path)...)
		o := f.overview(ana)
		must(f.t, o.CheckChanges(t.Context(), f.c))
		x := o.Explain()[0]
		next := strings.ReplaceAll(strings.Join(x.Next, "; "), "ativa ", "")
		if x.WaitsFor != c.waitsFor || !strings.Contains(x.Explanation.String(), c.explanation) || next != c.next {
			t.Errorf("%s: got waits for %q, %q, next %q; want %+v", c.path, x.WaitsFor, x.Explanation, next, c)
		}
		if got := x.Explanation.Text(lang.Portuguese); got == x.Explanation.String() {
			t.Errorf("%s: got %q in Portuguese", c.path, got)
		}
	}
}

// newMinimalServer returns a server that follows api.md alone, with a status of its own, and a
// client of it.
func newMinimalServer(t *testing.T) (*apitest.Server, *client.Client) {
	t.Helper()
	s := apitest.New("")
	s.Products[0].Can = api.List[string]{api.CanActivate, api.CanSuspend}
	s.Statuses = []api.Status{{ID: 99, Name: "paused"}}
	s.Become["suspend"] = s.Statuses[0]
	one := s.Add(ana)
	one.Name, one.Services = "Ana Souza", []api.Service{s.Service(25, "paused")}
	s.Add(joao).Name = "Rui Souza"
	return s, newClient(t, s, "b")
}

func TestOnAServerThatFollowsTheAPIAlone(t *testing.T) {
	server, c := newMinimalServer(t)
	ctx := t.Context()
	k, err := support.ReadCatalog(ctx, c)
	if err != nil || k.History || k.Overdue || k.Validates {
		t.Fatalf("got %+v, %v; want no extension", k, err)
	}
	o, err := support.ReadOverview(ctx, c, k, ana, time.Now())
	must(t, err)
	if got := operations(o, 0); !slices.Equal(got, []api.Operation{api.Activate, api.Suspend}) {
		t.Errorf("got %s; want what its product can, and no extension", got)
	}
	if _, err := support.Perform(ctx, c, support.Step{Operation: lifecycle.Resend, Document: ana, Product: k.Products[0]}); !errors.Is(err, client.ErrResendsAll) {
		t.Errorf("got %v, want the refusal to mail a service that may not be the only one", err)
	}
	done, err := support.Perform(ctx, c, support.Step{Operation: api.Suspend, Document: ana, Name: "Ana Souza", Product: k.Products[0]})
	if err != nil || done.Message().IsEmpty() || done.Result.Result != api.ResultAccepted || *done.Result.Status != "paused" {
		t.Errorf("got %+v, %v, want the status as read back", done, err)
	}
	if len(server.Requests) != 1 {
		t.Errorf("sent %+v, want one request", server.Requests)
	}
	if x, _ := json.Marshal(o.Explain()); !strings.Contains(string(x), `does not know the status \"paused`) {
		t.Errorf("got %s", x)
	}
}

func TestATermFindsWhomItMeans(t *testing.T) {
	_, c := newMinimalServer(t)
	for term, want := range map[string]int{
		"ana": 1, "souza": 2, "nobody": 0, "529.982.247-25": 1, "52998224725": 1, "39053344705": 0,
	} {
		got, err := support.Find(t.Context(), c, term, 10)
		if err != nil || len(got) != want {
			t.Errorf("%q: got %d, %v; want %d", term, len(got), err, want)
		}
	}
	if got, _ := support.Find(t.Context(), c, "souza", 1); len(got) != 1 {
		t.Errorf("got %d, want no more than one", len(got))
	}
	const wrong = "the check digits of the CPF are wrong"
	for term, want := range map[string]string{
		"52998224725": "", "529.982.247-26": wrong, "52998224726": wrong, "11987654321": "", "(61) 94720-4606": "", "+1 415 555 0123": "",
		"987654321": "", "ana 52998224725": "", "529982": "", "529.982.247-255": "a CPF has 11 digits, this has 12", "+55 61 94720-4606": "",
	} {
		if got := support.WrongDocument(term); (got != nil || want != "") && fmt.Sprint(got) != want {
			t.Errorf("%q as a CPF: got %v, want %q", term, got, want)
		}
	}
}

// Mobile numbers have eleven digits, as a CPF has: a search accepts people's notations.
func TestATelephoneFindsItsSubscriber(t *testing.T) {
	const validCPF = "61910000060" // also a valid mobile number
	f := newFixture(t)
	f.register("Bia Reis", string(cpf.WithCheckDigits("100000001")), "+5561947204606")
	f.register("Caio Reis", string(cpf.WithCheckDigits("100000002")), "+551134567890")
	f.register("Davi Reis", string(cpf.WithCheckDigits("100000003")), "+55"+validCPF)
	for term, want := range map[string]string{
		"(61) 94720-4606": "Bia Reis", "61947204606": "Bia Reis", "061 94720-4606": "Bia Reis", "0 61 94720 4606": "Bia Reis",
		"+55 61 94720-4606": "Bia Reis", "5561947204606": "Bia Reis", "0055 61 94720-4606": "Bia Reis", "94720-4606": "Bia Reis", "4606": "Bia Reis",
		"(11) 3456-7890": "Caio Reis", "01134567890": "Caio Reis", validCPF: "Davi Reis",
	} {
		got, err := support.Find(t.Context(), f.c, term, 10)
		if err != nil || len(got) != 1 || got[0].Name != want {
			t.Errorf("%q: got %v, %v; want %s", term, got, err, want)
		}
	}
}
