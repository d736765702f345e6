package desk

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
)

// Results are sorted by name, and namesakes show distinguishing data.
func TestResultsAreInOrderOfName(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		on(t, options{}, func(x *testDesk) {
			x.send(tea.WindowSizeMsg{Width: width, Height: 24})
			x.server.find = func(context.Context, string) ([]api.Subscriber, error) {
				return []api.Subscriber{
					{Name: "Zélia Reis", Document: "52998224725", Phone: "+5511911112222"},
					{Name: "Ana Souza", Document: "11144477735", Phone: "+5511987654321", CustomerPlan: "Fibra 500"},
					{Name: "Ânabela Reis", Document: "86288366757", Phone: "+551133334444"},
					{Name: "ANA SOUZA", Document: "39053344705", Phone: "+551133334444", CustomerPlan: "Fibra 1 Giga"},
				}, nil
			}
			x.keys("reis")
			shown, at := x.screen(), -1
			for _, want := range []string{"***.444.777-**", "***.533.447-**", "Ânabela", "Zélia"} {
				i := strings.Index(shown, want)
				if i < at || i < 0 {
					t.Errorf("%d columns: %s is not in the order of names:\n%s", width, want, shown)
				}
				at = i
			}
			x.wants("(11) 98765-4321", "(11) 3333-4444")
			if width > 60 {
				x.wants("Fibra 500", "Fibra 1 Giga")
			}
		})
	}
}

// The chosen row is in reverse video over the width of the screen or pane; without
// colours its mark remains.
func TestTheChosenRowIsHighlighted(t *testing.T) {
	for _, width := range []int{60, 99, 100, 120} {
		on(t, options{colours: true}, func(x *testDesk) {
			x.send(tea.WindowSizeMsg{Width: width, Height: 24})
			x.keys("souza")
			room := width
			if width >= paneWidth {
				room = width * 3 / 5
			}
			for _, keys := range []string{"", "<enter>"} {
				x.keys(keys)
				lines, _ := x.m.screen()
				reversed := 0
				for _, l := range lines {
					for _, s := range l {
						if s.chosen {
							reversed += line{s}.width()
						}
					}
				}
				if reversed != room || !strings.Contains(x.m.View().Content, "\x1b[7m›") {
					t.Errorf("%d columns: %d cells are in reverse video, want %d:\n%s", width, reversed, room, x.screen())
				}
				room = width
			}
		})
	}
}

// Equal deliveries share a line, and at 80×24 the history always has room.
func TestTheHistoryHasRoom(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		for range 12 {
			x.server.deliveries = append(x.server.deliveries,
				api.Delivery{Kind: api.DeliveryCallback, ProductID: basic, State: api.DeliverySent, RequestedAt: at("2026-11-20 10:00")},
				api.Delivery{Kind: api.DeliveryPartner, ProductID: basic, State: api.DeliveryFailed, RequestedAt: at("2026-11-20 10:00"), Error: "refused"})
		}
		openAna(x)
		x.wants("12 × callback Play Basic: sent", "Música: activating, by the provider")
		x.lacks("12 × request to the partner")
		x.keys("<pgdown>")
		x.wants("Older deliveries", "refused")
	})
}

// With many services, deliveries leave room for the history.
func TestTheHistoryHasRoomBelowManyServices(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		ana := x.server.people["52998224725"]
		ana.Services = slices.Clone(ana.Services)
		ana.Services[0] = ana.Services[2] // three live services, two with an extra line
		ana.Services[0].ProductID, ana.Services[0].ProductName = premium, "Play Premium"
		x.server.people["52998224725"] = ana
		x.server.deliveries = append(x.server.deliveries, api.Delivery{Kind: api.DeliveryCallback, ProductID: basic, State: api.DeliverySent, RequestedAt: at("2026-11-20 10:00")})
		openAna(x)
		x.wants("Música: activating, by the provider", "confirmed by the partner", "import")
	})
}
