package support_test

import (
	"strings"
	"testing"
)

// What the subscriber is told: in Portuguese, by the first name, what to do, and
// nothing that is not theirs to read.
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
		f.reach(strings.Fields(path)...)
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
