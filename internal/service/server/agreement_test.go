package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// words joins the texts of values.
func words[T any](all ...T) string { return strings.Trim(fmt.Sprint(all), "[]") }

// The wire contract and the rules do not know each other and repeat some values.
func TestTheRulesAndTheWireAgree(t *testing.T) {
	wire := map[string]any{
		"statuses": api.Statuses(), "scopes": words(api.Scopes()...), "days to a schedule": api.MaxScheduleDays, "unknown speed": api.DefaultInternetSpeed,
		"actions":    words(api.CanActivate, api.CanReactivate, api.CanChangeTo, api.CanChangeFrom, api.CanSuspend, api.CanDeactivate),
		"operations": words(api.Activate, api.Suspend, api.Deactivate, api.Overdue, api.Settle),
		"schedules":  words(api.ScheduleWaiting, api.ScheduleDone, api.ScheduleCancelled, api.ScheduleRefused),
	}
	var statuses []api.Status
	for id := range domain.Status(100) {
		if name := id.String(); id != domain.NoService && name != "unknown" {
			statuses = append(statuses, api.Status{ID: api.Int(id), Name: name})
		}
	}
	rules := map[string]any{
		"statuses": statuses, "scopes": words(domain.ScopeNames()...), "days to a schedule": int(rules.MaxScheduleTime / day), "unknown speed": domain.SpeedNotInformed,
		"actions": words(domain.CanAll.Names()...),
		"operations": words(domain.RequestActivate, domain.RequestSuspend, domain.RequestDeactivate,
			domain.RequestOverdue, domain.RequestSettle),
		"schedules": words(domain.ScheduleWaiting, domain.ScheduleDone, domain.ScheduleCancelled, domain.ScheduleRefused),
	}
	if diff := cmp.Diff(rules, wire); diff != "" {
		t.Errorf("the rules differ from the wire (-rules +wire):\n%s", diff)
	}
}
