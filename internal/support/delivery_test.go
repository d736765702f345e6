package support_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/support"
)

// todayAt returns a time of today, or of yesterday for a minus, in the local zone.
func todayAt(clock string) api.Time {
	now := time.Now()
	day := now
	if rest, before := strings.CutPrefix(clock, "-"); before {
		clock, day = rest, now.AddDate(0, 0, -1)
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", day.Format(time.DateOnly)+" "+clock, time.Local)
	if err != nil {
		panic(err)
	}
	return api.At(t)
}

func TestADeliveryInPlainWords(t *testing.T) {
	yesterday := time.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, c := range []struct {
		delivery     api.Delivery
		want, wantPT string
	}{
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: todayAt("10:01"), LastAttemptAt: todayAt("10:02"), OpenedAt: todayAt("10:05")}, "e-mail: sent 10:02, link opened 10:05", "e-mail: enviado 10:02, link aberto 10:05"},
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: todayAt("-10:01"), LastAttemptAt: todayAt("-10:02")}, "e-mail: sent " + yesterday + " 10:02", "e-mail: enviado " + yesterday + " 10:02"},
		{api.Delivery{Kind: "email", State: "sent", RequestedAt: todayAt("10:01")}, "e-mail: sent", "e-mail: enviado"},
		{api.Delivery{Kind: "email", State: "waiting", RequestedAt: todayAt("09:58"), Attempts: 3, Error: "mail server: dial: connect: connection refused", NextAttemptAt: todayAt("10:20")},
			"e-mail: waits since 09:58, 3 attempts, mail server: connection refused; the server seems to be down, next attempt 10:20", "e-mail: aguarda desde 09:58, 3 tentativas, servidor de e-mail: conexão recusada; o servidor parece fora do ar, próxima tentativa 10:20"},
		{api.Delivery{Kind: "partner", State: "waiting", RequestedAt: todayAt("09:58")}, "request to the partner: waits since 09:58", "pedido ao parceiro: aguarda desde 09:58"},
		{api.Delivery{Kind: "callback", State: "failed", Attempts: 1, Error: "callback: HTTP 410 Gone"}, "callback: given up after 1 attempt: it has nothing at this address", "callback: sem sucesso após 1 tentativa: não há nada nesse endereço"},
		{api.Delivery{Kind: "email", State: "superseded"}, "e-mail: not sent: a newer one replaced it, or the service ended", "e-mail: não enviado: um mais novo o substituiu, ou o serviço acabou"},
		{api.Delivery{Kind: "pigeon", State: "resting"}, "pigeon: resting", "pigeon: resting"},
	} {
		wantWords(t, support.DeliveryMessage(c.delivery, time.Now()), c.want, c.wantPT)
	}
}

// Machine output has the API's times: it may be read on another day and in another zone.
func TestADeliveryInMachineOutputHasTheTimesOfTheAPI(t *testing.T) {
	d := api.Delivery{Kind: "email", State: "sent", LastAttemptAt: todayAt("10:02"), OpenedAt: todayAt("10:05")}
	want := "e-mail: sent " + d.LastAttemptAt.String() + ", link opened " + d.OpenedAt.String()
	m := support.DeliveryMessage(d, time.Now())
	if got, err := m.MarshalText(); string(got) != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got := m.Text(lang.Codes); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	later := api.Schedule{Operation: api.Suspend, At: todayAt("10:02")}
	if got, want := support.ScheduleMessage(later, time.Local).Text(lang.Codes), "suspension on "+later.At.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// deliveryServer reports deliveries of two tokens of one product, the first token ended, of
// another product, and of a resend.
type deliveryServer struct{}

func (deliveryServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(api.HeaderExtensions, "history, deliveries, future")
	_, _ = io.WriteString(w, map[string]string{
		"/products":        `{"content_supplier_products":[]}`,
		"/products/status": `{"status":[]}`,
		"/subscribers/52998224725": `{"subscriber":{"document":"52998224725","services":[
			{"content_supplier_product_id":1,"token_created_at":"2026-01-01T10:00:00.000000Z","status_updated_at":"2026-01-05T10:00:00.000000Z","status_id":3,"status":"canceled"},
			{"content_supplier_product_id":1,"token_created_at":"2026-02-01T10:00:00.000000Z","status_updated_at":"2026-02-01T10:00:00.000000Z","status_id":10,"status":"inProgress"},
			{"content_supplier_product_id":2,"token_created_at":"2026-02-01T10:00:00.000000Z","status_updated_at":"2026-02-01T10:00:00.000000Z","status_id":10,"status":"inProgress"}]}}`,
		"/subscribers/52998224725/history": `{"history":[
			{"id":"e1","type":"service.status_changed","occurred_at":"2026-02-01T10:00:00.000000Z","content_supplier_product_id":1,"previous_status":null,"status":"inProgress","status_id":10,"trigger":"activate","actor":"provider","actor_name":"painel"},
			{"id":"e2","type":"activation_email.requested","occurred_at":"2026-02-02T10:00:00.000000Z","content_supplier_product_id":1,"trigger":"resend","actor":"provider","actor_name":"cron"}]}`,
		"/subscribers/52998224725/deliveries": `{"deliveries":[
			{"id":"d4","kind":"email","content_supplier_product_id":1,"state":"waiting","attempts":0,"requested_at":"2026-02-02T10:00:00.000000Z"},
			{"id":"d3","kind":"email","content_supplier_product_id":1,"state":"sent","attempts":1,"requested_at":"2026-02-01T10:00:00.000000Z","last_attempt_at":"2026-02-01T10:00:07.000000Z"},
			{"id":"d2","kind":"email","content_supplier_product_id":2,"state":"failed","attempts":9,"requested_at":"2026-02-01T10:00:00.000000Z","error":"mailbox is full"},
			{"id":"d1","kind":"email","content_supplier_product_id":1,"state":"sent","attempts":1,"requested_at":"2026-01-01T10:00:00.000000Z","last_attempt_at":"2026-01-01T10:00:09.000000Z"}]}`,
	}[r.URL.Path])
}

// A service has only the deliveries of its own token. The e-mail's time is the
// delivery's, never that of a status change.
func TestDeliveriesOfATokenAreItsOwn(t *testing.T) {
	c := newClient(t, deliveryServer{}, "b")
	k, err := support.ReadCatalog(t.Context(), c)
	if err != nil || !k.Deliveries {
		t.Fatalf("got %+v, %v", k, err)
	}
	o, err := support.ReadOverview(t.Context(), c, k, ana, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	all := o.Explain()
	for i, want := range []struct{ mail, told string }{
		{"2026-01-01T10:00:09.000000Z", "d1"}, {"2026-02-01T10:00:07.000000Z", "d4"}, {"", "d2"},
	} {
		if told := all[i].Deliveries; all[i].LastMail != want.mail || len(told) != 1 || told[0].ID != want.told {
			t.Errorf("service %d: last mail %q, %+v; want %+v", i, all[i].LastMail, told, want)
		}
	}
	if got := all[1].LastEvent.String(); got != "another activation e-mail, by the provider (cron)" {
		t.Errorf("the last event is %q", got)
	}
	if got := all[1].LastEvent.Text(lang.Portuguese); !strings.HasPrefix(got, "novo e-mail de ativação") {
		t.Errorf("the last event is %q", got)
	}
	of := support.EventDeliveries(o.Events, o.Sent, time.Now())
	if len(of["e1"]) != 1 || len(of["e2"]) != 1 || !strings.Contains(of["e1"][0].String(), "sent") || !strings.Contains(of["e2"][0].String(), "waits") {
		t.Errorf("got %v", of)
	}
}

func TestWithoutDeliveriesNoTimeOfAnEmailIsSaid(t *testing.T) {
	o := after(t, "activate")
	o.Sent = nil
	if x := o.Explain()[0]; x.LastMail != "" || len(x.Deliveries) != 0 || x.Since == "" {
		t.Errorf("got %+v", x)
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
