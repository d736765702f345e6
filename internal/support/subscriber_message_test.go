package support_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

// The message is in Portuguese, uses the first name, says what to do, and reveals nothing internal.
// Instructions follow it while the service works or waits for confirmation.
func TestAMessageForTheSubscriber(t *testing.T) {
	const instructions = "\n\nComo usar Play Básico:\nBaixe o app.\nEntre.\nhttps://exemplo.com.br/play"
	for _, c := range []struct{ path, want, end string }{
		{"", "Ana", ""},
		{"activate", "spam", instructions},
		{"activate ok", "Play Básico", instructions},
		{"activate ok suspend", "suspenso", ""},
		{"activate ok overdue ok", "pagamento", ""},
		{"activate ok suspend broken", "Play Básico", ""},
		{"activate ok deactivate ok", "cancelado", ""},
	} {
		o := after(t, c.path)
		got := o.SubscriberMessage()
		if !strings.HasPrefix(got, "Olá, Ana") || !strings.Contains(got, c.want) || strings.Contains(got, "Como usar") {
			t.Errorf("%s: got %q, want %q in it and no instructions", c.path, got, c.want)
		}
		for _, never := range []string{ana, "529.982", "Souza", "inProgress", "token", "http", "broken"} {
			if strings.Contains(got, never) {
				t.Errorf("%s: got %q with %q", c.path, got, never)
			}
		}
		for i := range o.Products {
			if o.Products[i].ID == basic {
				o.Products[i].Instructions, o.Products[i].HelpURL = "Baixe o app.\nEntre.", "https://exemplo.com.br/play"
			}
		}
		if with := o.SubscriberMessage(); with != got+c.end {
			t.Errorf("%s: got %q, want %q after it", c.path, with, c.end)
		}
	}
}

// The message gives the expiry date of the link, seven days on, in the reader's zone.
func TestAMessageTellsUntilWhenTheLinkWorks(t *testing.T) {
	o := after(t, "activate")
	sent := o.Subscriber.Services[0].TokenCreatedAt.Time
	o.Sent = []api.Delivery{{Kind: api.DeliveryEmail, State: api.DeliverySent, ProductID: basic, RequestedAt: api.At(sent), LastAttemptAt: api.At(sent)}}
	const week = 7 * 24 * time.Hour
	zone := time.FixedZone("", 13*60*60)
	for after, want := range map[time.Duration]string{
		0:                       "vale até " + sent.Add(week).In(zone).Format("02/01"),
		week - time.Microsecond: "vale até " + sent.Add(week).In(zone).Format("02/01"),
		week:                    "venceu",
	} {
		o.Now = sent.Add(after).In(zone)
		if got := o.SubscriberMessage(); !strings.Contains(got, want) {
			t.Errorf("%v after it was sent: got %q, want %q in it", after, got, want)
		}
	}
	for state, want := range map[string]string{api.DeliveryWaiting: "está a caminho", api.DeliveryFailed: "não conseguimos enviar"} {
		o.Sent = append([]api.Delivery{{Kind: api.DeliveryEmail, State: state, ProductID: basic, RequestedAt: api.At(sent)}}, o.Sent...)
		if got := o.SubscriberMessage(); !strings.Contains(got, want) { // a newer one, which replaced the link
			t.Errorf("a newer one is %s: got %q, want %q in it", state, got, want)
		}
	}
}
