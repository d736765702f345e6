package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
)

func TestEveryRouteIsDescribedAndEveryDescriptionIsARoute(t *testing.T) {
	calls := examples(t)
	for _, r := range server.New(server.Parts{}, server.Options{PublicMetrics: true}).Routes() {
		name := r.Method + " " + r.Path
		call, described := calls[name]
		if !described {
			t.Errorf("%s is not described", name)
			continue
		}
		delete(calls, name)
		if open := call.Security != nil && len(*call.Security) == 0; open != r.Open {
			t.Errorf("%s: described as open: %t, is open: %t", name, open, r.Open)
		}
		if described := call.Parameters.GetByInAndName("header", api.HeaderIdempotencyKey) != nil; described != r.Write {
			t.Errorf("%s: Idempotency-Key described: %t, honoured: %t", name, described, r.Write)
		}
		scopes := ""
		if !r.Open {
			scopes = strings.Join(append(r.Scope.Names(), r.OrScope.Names()...), " or ")
		}
		if call.Scope() != scopes || (call.Responses.Value("403") != nil) == r.Open {
			t.Errorf("%s: described with the scope %s, want %s, and a 403 where there is one", name, call.Scope(), scopes)
		}
	}
	if len(calls) > 0 {
		t.Errorf("described and not served: %v", slices.Sorted(maps.Keys(calls)))
	}
}

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
