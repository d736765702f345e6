package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
)

func TestEveryRouteIsDescribedAndEveryDescriptionIsARoute(t *testing.T) {
	d, err := apicheck.Description()
	must(t, err)
	served := map[string]bool{}
	for _, r := range server.New(server.Parts{}, server.Options{PublicMetrics: true}).Routes() {
		served[r.Method+" "+r.Path] = true
		item := d.Paths.Value(r.Path)
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not described", r.Method, r.Path)
			continue
		}
		o := item.GetOperation(r.Method)
		if open := o.Security != nil && len(*o.Security) == 0; open != r.Open {
			t.Errorf("%s %s: described as open: %t, is open: %t", r.Method, r.Path, open, r.Open)
		}
		if described := o.Parameters.GetByInAndName("header", api.HeaderIdempotencyKey) != nil; described != r.Write {
			t.Errorf("%s %s: Idempotency-Key described: %t, honoured: %t", r.Method, r.Path, described, r.Write)
		}
		var scopes, described []string
		if !r.Open {
			scopes = append(r.Scope.Names(), r.OrScope.Names()...)
		}
		if o.Security != nil {
			for _, s := range *o.Security {
				described = append(described, s["bearer"]...)
			}
		}
		if !slices.Equal(described, scopes) || (o.Responses.Value("403") != nil) == r.Open {
			t.Errorf("%s %s: described with the scopes %v, want %v, and a 403 where there are some", r.Method, r.Path, described, scopes)
		}
	}
	for path, item := range d.Paths.Map() {
		for method := range item.Operations() {
			if !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
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
