package desk

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

const correct = "<menu correct name>"

func TestCards(t *testing.T) {
	longName := "Bruno " + strings.Repeat("de Albuquerque e Ávila ", 10) + "Filho"
	stories := []story{
		{name: "typing on the help page searches and loses no letter", steps: []step{
			{keys: "<f1>bruno", shows: "Search: bruno|Bruno Ávila"},
			{keys: "<f1>"},
			{do: paste("souza"), shows: "Search: souza"},
			{keys: "<f1><esc>", shows: "Search: souza|1 found"},
			{keys: "<enter><f1>bruno", shows: "Search: bruno|Bruno Ávila"},
		}},
		// A service that ends elsewhere moves to the end with its focus: the next key must not act on
		// another.
		{name: "the focus stays with its service", steps: []step{
			{keys: openAna, shows: "› Play Basic"},
			{do: becomes("canceled"), shows: "› Play Basic cancelled"},
			{keys: "<enter>1", shows: "Activate Play Basic"},
			{keys: "<enter>", sent: "activate Play Basic of Ana Souza"},
		}},
		{name: "page keys move by a screen, and back by the same lines", server: manyServices, steps: []step{
			{do: resize(60, 20), keys: openAna + strings.Repeat("<down>", 20), shows: "› Canal S"},
			{keys: "<pgdown>", shows: "Canal V", lacks: "Canal O "},
			{keys: strings.Repeat("<pgdown>", 20), shows: "confirmed by the partner"},
			{keys: "<pgup>", lacks: "confirmed by the partner"},
			{keys: "<enter><esc>", shows: "› Canal S"},
		}},
		{name: "a message longer than the screen is scrolled", server: manyServices, steps: []step{
			{do: resize(60, 20), keys: openAna + "<menu message for>", shows: "Message for Ana Souza|Olá, Ana!|Canal C|↑↓ the rest Enter or Esc leaves", lacks: "Canal D"},
			{keys: "<down><down>", shows: "Canal D", lacks: "Olá, Ana!"},
			{keys: strings.Repeat("<pgdown>", 20), shows: "Canal ^|avise que enviamos outro. ↑↓ the rest"},
			{do: resize(100, 40), keys: "<up>", shows: "Canal ^"},
			{keys: strings.Repeat("<pgup>", 9), shows: "Olá, Ana!"},
			{keys: "<enter>", shows: "Enter menu"},
		}},
		{name: "the keys of a question about long names are on the screen", server: func(s *fakeServer) {
			s.Subscribers[anaDocument].Name = strings.Repeat("Ana de Souza ", 19)
			for i := range s.catalog.Products {
				s.catalog.Products[i].Name = strings.Repeat("Play Premium ", 40)
			}
		}, steps: []step{
			{do: resize(60, 20), keys: openAna + "<menu change>1", shows: "Enter yes"},
		}},
		{name: "many suspensions leave room for the card", server: manyServices, steps: []step{
			{do: func(x *testDesk) {
				resize(60, 20)(x)
				services := x.server.Subscribers[anaDocument].Services
				for i := range services {
					s := &services[i]
					hasStatus("suspend")(s)
					s.ProductID = basic + api.Int(i)
					x.m.suspensions = append(x.m.suspensions, &suspension{anaDocument, s.ProductID, api.Suspend})
				}
			}, keys: openAna, shows: "› Play Premium suspended|undoes the suspension|Enter menu"},
		}},
		{name: "a card that cannot be read says why", server: func(s *fakeServer) {
			s.read = func(context.Context) error {
				return &client.Error{Status: http.StatusNotFound, Code: api.CodeSubscriberNotFound}
			}
		}, steps: []step{
			{keys: openAna + "<enter>", shows: "Ana Souza|no subscriber has this document", lacks: "reading…"},
			{keys: "<esc>q", shows: "Search: q"},
		}},
		{name: "Esc closes one open part at a time", steps: []step{
			{keys: openAna + "<enter><esc>", shows: "Search: souza|Enter menu"},
			{keys: "<enter>5<esc>", shows: "Search: souza|Enter menu"},
			{keys: "<f1><esc>", shows: "Search: souza|Enter menu"},
			{keys: "<esc>", shows: "Search: souza|Enter open"},
			{keys: "<esc>", shows: "Type a part", lacks: "souza"},
			{keys: "<esc><esc>"},
		}},
		// Long instructions are cut above the history and complete below it.
		{name: "instructions follow the focus", server: func(s *fakeServer) {
			s.catalog.Products[0].Instructions = "Baixe\x1b]0; o aplicativo."
			s.catalog.Products[1].Instructions = api.LenientText(strings.Repeat("Passo.\n", 20) + "Fim.")
			s.catalog.Products[1].HelpURL = "https://exemplo.com.br/musica"
		}, steps: []step{
			{do: resize(100, 40), keys: openAna, shows: "How to use Play Basic|Baixe|o aplicativo.|History"},
			{keys: "<down>", shows: "How to use Música|Passo. …|History", lacks: "Baixe|Fim."},
			{keys: "<pgdown><pgdown><pgdown>", shows: "Fim.|https://exemplo.com.br/musica"},
			{keys: "<down>", lacks: "How to use"}, // an ended service
			{do: resize(80, 24), keys: "<up>", shows: "History"},
		}},
		// Equal deliveries share a line, and at 80×24 the history always has room.
		{name: "the history has room below many deliveries", server: func(s *fakeServer) {
			for range 12 {
				s.deliveries = append(s.deliveries,
					api.Delivery{Kind: api.DeliveryCallback, ProductID: basic, State: api.DeliverySent, RequestedAt: at("2026-11-20 10:00")},
					api.Delivery{Kind: api.DeliveryPartner, ProductID: basic, State: api.DeliveryFailed, RequestedAt: at("2026-11-20 10:00"), Error: "refused"})
			}
		}, steps: []step{
			{keys: openAna, shows: "12 × callback Play Basic: sent|Música: activating, by the provider", lacks: "12 × request to the partner"},
			{keys: "<pgdown>", shows: "Older deliveries|refused"},
		}},
		{name: "what is scheduled is shown below its service", server: func(s *fakeServer) {
			s.catalog.Schedule = true
			s.scheduled = []api.Schedule{{Operation: api.Deactivate, ProductID: basic, State: api.ScheduleWaiting, ActorName: "ana", At: at("2030-01-02 12:00")}}
		}, steps: []step{{keys: openAna, shows: "scheduled: cancellation on 2030-01-02|(ana)"}}},
		// Longer than the poll interval.
		{name: "a slow server is read to the end, and once more for what happened meanwhile", server: func(s *fakeServer) {
			s.read = func(ctx context.Context) error {
				select {
				case <-time.After(25 * time.Second):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}, steps: []step{
			{keys: openAna, shows: "reading…"},
			{do: (*testDesk).addEvent, wait: 30 * time.Second, shows: "Play Basic active", then: reads(1, 1)},
			{wait: time.Minute, then: reads(0, 0)},
		}},
		{name: "the history has room below many services", server: func(s *fakeServer) {
			services := s.Subscribers[anaDocument].Services
			services[0] = services[2] // three live services, two with an extra line
			services[0].ProductID, services[0].ProductName = premium, "Play Premium"
			s.deliveries = append(s.deliveries, api.Delivery{Kind: api.DeliveryCallback, ProductID: basic, State: api.DeliverySent, RequestedAt: at("2026-11-20 10:00")})
		}, steps: []step{
			{keys: openAna, shows: "Música: activating, by the provider|confirmed by the partner|import"},
		}},
	}
	var whole, small []step
	for _, width := range []int{60, 80, 120} {
		whole = append(whole, step{do: resize(width, leastHeight), keys: "<esc><ctrl+u>bruno<enter>", shows: "e Ávila Filho|***.444.777-**|activate a product…"})
	}
	for _, size := range [][2]int{{59, 20}, {60, 19}, {20, 5}} {
		small = append(small, step{do: resize(size[0], size[1]), keys: "1<enter>", shows: "terminal"})
	}
	tell(t, append(stories,
		story{name: "a long name is whole", steps: whole, server: func(s *fakeServer) {
			s.Subscribers["11144477735"].Name = longName
		}},
		story{name: "a small terminal waits for more room", steps: slices.Concat([]step{{keys: openAna}}, small,
			[]step{{do: resize(1, 1), keys: "1<enter>"}, {do: resize(60, 20), shows: "Ana Souza|Play Basic"}})}))
}

func TestDataOfTheServerIsEscaped(t *testing.T) {
	on(t, options{colours: true}, func(x *testDesk) {
		evil := "Ana\x1b]0;owned\x07\r\n\u202eSouza"
		s := x.server.Subscribers[anaDocument]
		s.Name, s.Email, s.CustomerPlan = evil, evil, evil
		s.Services[1].ProductName, s.Services[1].Status, s.Services[1].StatusID = evil, evil, 99
		x.server.events[2].Reason = evil
		x.server.events[1].Trigger = evil
		for _, keys := range []string{"ana", "<enter>", "<enter>", "5", "<esc><enter>"} {
			x.keys(keys)
			content := x.m.View().Content
			if strings.Contains(content, "\x1b]") || strings.ContainsAny(content, "\x07\r\u202e") {
				t.Errorf("after %q the screen holds what a terminal obeys: %q", keys, content)
			}
			x.screen()
		}
	})
}

// A protected context is red; without colours only reverse video marks the chosen row.
func TestWithoutColoursOnlyWhatIsChosenStandsOut(t *testing.T) {
	for _, colours := range []bool{false, true} {
		on(t, options{protected: true, colours: colours}, func(x *testDesk) {
			x.keys(openAna)
			content := x.m.View().Content
			others := strings.Contains(strings.NewReplacer("\x1b[7m", "", "\x1b[0m", "").Replace(content), "\x1b")
			red := strings.Contains(content, "\x1b[31mAtiva  ensaio  protected")
			if !strings.Contains(content, "\x1b[7m›") || others != colours || red != colours {
				t.Errorf("colours %t: got %q", colours, content)
			}
		})
	}
}

func TestTheFocusIsAlwaysOnTheScreen(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		manyServices(x.server)
		resize(60, 20)(x)
		x.keys(openAna)
		for range 36 {
			if !strings.Contains(x.screen(), "\n› ") {
				t.Fatalf("the focus is not on the screen:\n%s", x.screen())
			}
			x.keys("<down>")
		}
		x.keys(strings.Repeat("<up>", 36))
		x.wants("ana@example.com", "› Play Basic")
	})
}

func manyServices(f *fakeServer) {
	ana := f.Subscribers[anaDocument]
	for i := range 30 {
		s := ana.Services[2]
		s.ProductID, s.ProductName = api.Int(100+i), "Canal "+string(rune('A'+i))
		ana.Services = append(ana.Services, s)
	}
}
