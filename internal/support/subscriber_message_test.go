package support_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

// The message is in Portuguese, uses the first name, says what to do, and reveals nothing
// internal.
func TestAMessageForTheSubscriber(t *testing.T) {
	for path, want := range map[string]string{
		"":                           "Ana",
		"activate":                   "spam",
		"activate ok":                "Play Básico",
		"activate ok suspend":        "suspenso",
		"activate ok overdue ok":     "pagamento",
		"activate ok suspend broken": "Play Básico",
		"activate ok deactivate ok":  "cancelado",
	} {
		f := newFixture(t, 10)
		f.apply(strings.Fields(path)...)
		got := f.overview(ana).SubscriberMessage()
		if !strings.HasPrefix(got, "Olá, Ana") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", path, got, want)
		}
		for _, never := range []string{ana, "529.982", "Souza", "inProgress", "token", "http", "broken"} {
			if strings.Contains(got, never) {
				t.Errorf("%s: got %q with %q", path, got, never)
			}
		}
	}
}

// The message gives the expiry date of the link, seven days on, in the reader's zone.
func TestAMessageTellsUntilWhenTheLinkWorks(t *testing.T) {
	f := newFixture(t, 10)
	f.apply("activate")
	o := f.overview(ana)
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
}

// Instructions follow the message while the service works or waits for confirmation; without
// instructions nothing follows.
func TestAMessageTellsHowAProductIsUsed(t *testing.T) {
	for path, want := range map[string]string{
		"activate":                   "\n\nComo usar Play Básico:\nBaixe o app.\nEntre.\nhttps://exemplo.com.br/play",
		"activate ok":                "\n\nComo usar Play Básico:\nBaixe o app.\nEntre.\nhttps://exemplo.com.br/play",
		"activate ok suspend ok":     "",
		"activate ok deactivate ok":  "",
		"activate ok suspend broken": "",
	} {
		f := newFixture(t, 10)
		f.apply(strings.Fields(path)...)
		o := f.overview(ana)
		for i := range o.Products {
			if o.Products[i].ID == basic {
				o.Products[i].Instructions, o.Products[i].HelpURL = "Baixe o app.\nEntre.", "https://exemplo.com.br/play"
			}
		}
		if _, got, _ := strings.Cut(o.SubscriberMessage(), "Como usar"); want == "" && got != "" || want != "" && !strings.HasSuffix(o.SubscriberMessage(), want) {
			t.Errorf("%s: got %q, want %q at its end", path, o.SubscriberMessage(), want)
		}
	}
}
