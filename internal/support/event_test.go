package support_test

import (
	"testing"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/support"
)

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
		m := support.EventMessage(c.event)
		if got := m.String(); got != c.english {
			t.Errorf("got %q, want %q", got, c.english)
		}
		if got := m.Text(lang.Portuguese); got != c.portuguese {
			t.Errorf("got %q, want %q", got, c.portuguese)
		}
	}
}
