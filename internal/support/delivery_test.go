package support_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/support"
)

// now is the time of the tests.
var now = time.Date(2026, 2, 3, 12, 0, 0, 0, time.FixedZone("", -3*60*60))

// at returns a time of this day.
func at(hour, minute int) api.Time {
	return api.At(time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location()))
}

func TestADeliveryInPlainWords(t *testing.T) {
	before := func(t api.Time) api.Time { return api.At(t.AddDate(0, 0, -1)) }
	for _, c := range []struct {
		delivery     api.Delivery
		want, wantPT string
	}{
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: at(10, 1), LastAttemptAt: at(10, 2), OpenedAt: at(10, 5)}, "e-mail: sent 10:02, link opened 10:05", "e-mail: enviado 10:02, link aberto 10:05"},
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: before(at(10, 1)), LastAttemptAt: before(at(10, 2))}, "e-mail: sent 2026-02-02 10:02", "e-mail: enviado 2026-02-02 10:02"},
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: at(10, 1)}, "e-mail: sent", "e-mail: enviado"},
		{api.Delivery{Kind: "email", State: "waiting", RequestedAt: at(9, 58), Attempts: 3, Error: "mail server: dial: connect: connection refused", NextAttemptAt: at(10, 20)},
			"e-mail: waits since 09:58, 3 attempts, mail server: connection refused; the server seems to be down, next attempt 10:20", "e-mail: aguarda desde 09:58, 3 tentativas, servidor de e-mail: conexão recusada; o servidor parece fora do ar, próxima tentativa 10:20"},
		{api.Delivery{Kind: "partner", State: "waiting", RequestedAt: at(9, 58)}, "request to the partner: waits since 09:58", "pedido ao parceiro: aguarda desde 09:58"},
		{api.Delivery{Kind: "callback", State: "failed", Attempts: 1, Error: "callback: HTTP 410 Gone"}, "callback: given up after 1 attempt: it has nothing at this address", "callback: sem sucesso após 1 tentativa: não há nada nesse endereço"},
		{api.Delivery{Kind: "email", State: "superseded"}, "e-mail: not sent: a newer one replaced it, or the service ended", "e-mail: não enviado: um mais novo o substituiu, ou o serviço acabou"},
		{api.Delivery{Kind: "pigeon", State: "resting"}, "pigeon: resting", "pigeon: resting"},
	} {
		wantWords(t, support.DeliveryMessage(c.delivery, now), c.want, c.wantPT)
	}
}

// Machine output has the API's times: it may be read on another day and in another zone.
func TestADeliveryInMachineOutputHasTheTimesOfTheAPI(t *testing.T) {
	d := api.Delivery{Kind: "email", State: "sent", LastAttemptAt: at(10, 2), OpenedAt: at(10, 5)}
	want := "e-mail: sent " + d.LastAttemptAt.String() + ", link opened " + d.OpenedAt.String()
	m := support.DeliveryMessage(d, now)
	if got, err := m.MarshalText(); string(got) != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got := m.Text(lang.Codes); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	later := api.Schedule{Operation: api.Suspend, At: at(10, 2)}
	if got, want := support.ScheduleMessage(later, time.Local).Text(lang.Codes), "suspension on "+later.At.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A service has only the deliveries of its own token, and none where the server reports none. The
// e-mail's time is the delivery's, never that of a status change.
func TestDeliveriesOfATokenAreItsOwn(t *testing.T) {
	day := func(n int) api.Time { return api.At(time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC)) }
	service := func(product, status api.Int, n int) api.Service {
		return api.Service{ProductID: product, StatusID: status, Status: api.StatusName(status), TokenCreatedAt: day(n), StatusUpdatedAt: day(n)}
	}
	delivery := func(id string, product api.Int, state string, requested, sent int) api.Delivery {
		return api.Delivery{ID: id, Kind: api.DeliveryEmail, ProductID: product, State: state, RequestedAt: day(requested), LastAttemptAt: day(sent)}
	}
	o := &support.Overview{Catalog: &support.Catalog{}, Subscriber: api.Subscriber{Services: []api.Service{service(1, api.StatusCanceled, 1), service(1, api.StatusInProgress, 11), service(2, api.StatusInProgress, 11)}},
		Events: []api.Event{
			{ID: "e1", ProductID: 1, OccurredAt: day(11), StatusChange: &api.StatusChange{Status: "inProgress"}},
			{ID: "e2", ProductID: 1, OccurredAt: day(21), Type: api.EventEmailRequested, Actor: "provider", ActorName: "cron"}},
		Sent: []api.Delivery{delivery("d4", 1, "waiting", 21, 0), delivery("d3", 1, "sent", 11, 12), delivery("d2", 2, "failed", 11, 12), delivery("d1", 1, "sent", 1, 2)}}
	all := o.Explain()
	for i, want := range []struct{ mail, told string }{{day(2).String(), "d1"}, {day(12).String(), "d4"}, {"", "d2"}} {
		if told := all[i].Deliveries; all[i].LastMail != want.mail || len(told) != 1 || told[0].ID != want.told {
			t.Errorf("service %d: last mail %q, %+v; want %+v", i, all[i].LastMail, told, want)
		}
	}
	wantWords(t, all[1].LastEvent, "another activation e-mail, by the provider (cron)", "novo e-mail de ativação, pelo provedor (cron)")
	of := support.EventDeliveries(o.Events, o.Sent, now)
	if len(of["e1"]) != 1 || len(of["e2"]) != 1 || !strings.Contains(of["e1"][0].String(), "sent") || !strings.Contains(of["e2"][0].String(), "waits") {
		t.Errorf("got %v", of)
	}
	o.Sent = nil
	if x := o.Explain()[1]; x.LastMail != "" || len(x.Deliveries) != 0 || x.Since == "" {
		t.Errorf("without deliveries: got %+v", x)
	}
}

// A line of the history names the change and its cause in a support desk's words.
func TestAnEventInPlainWords(t *testing.T) {
	change := func(previous, status, trigger, actor string) api.Event {
		e := api.Event{Trigger: trigger, Actor: actor, StatusChange: &api.StatusChange{Status: status}}
		if previous != "" {
			e.PreviousStatus = &previous
		}
		return e
	}
	for _, c := range []struct {
		event               api.Event
		english, portuguese string
	}{
		{change("", "inProgress", "activate", "provider"), "inProgress, by the provider", "em ativação, pelo provedor"},
		{change("inProgress", "active", "link_completed", "subscriber"), "activated: the subscriber followed the link", "ativado: o assinante clicou no link"},
		{change("active", "waitingSuspension", "suspend", "provider"), "active to waitingSuspension, by the provider", "ativo → em suspensão, pelo provedor"},
		{change("waitingSuspension", "suspend", "confirmed", "partner"), "waitingSuspension to suspend, confirmed by the partner", "em suspensão → suspenso, confirmado pelo parceiro"},
		{change("waitingSuspension", "suspend", "confirmed", "operator"), "waitingSuspension to suspend: confirmation, by the operator", "em suspensão → suspenso: confirmação, pelo operador"},
		{change("limitReached", "inProgress", "slot_available", "system"), "limitReached to inProgress: free place, by the system", "na fila → em ativação: vaga na fila, pelo sistema"},
	} {
		wantWords(t, support.EventMessage(c.event), c.english, c.portuguese)
	}
}
