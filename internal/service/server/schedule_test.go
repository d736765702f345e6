package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// laterOn is a time in the future of the fixture's clock.
var laterOn = time.Date(2026, 2, 1, 3, 0, 0, 0, time.UTC)

// scheduled returns the body of POST /provision/schedule.
func scheduled(operation string, product int, at time.Time, subscribers ...int) string {
	return fmt.Sprintf(`{"operation":%q,"at":%q,%s`, operation, at.Format(time.RFC3339), strings.TrimPrefix(batch(product, subscribers...), "{"))
}

func TestSchedulesAreListedInPagesAndCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do("GET", "/provision/schedule", "").want(200).has(map[string]string{"schedules": "[]", "response": "success"})
	for n := 1; n <= 3; n++ {
		f.activate(n, basic)
		f.do("POST", "/provision/schedule", scheduled("suspend", basic, f.clock().Add(time.Hour), n)).want(200)
	}
	f.do("GET", "/provision/schedule?paginate=S&per_page=2&page=2", "").want(200).has(map[string]string{"data.0.document": doc(3), "meta.total": "3", "meta.last_page": "2", "links.next": ""})
	f.do("GET", "/provision/schedule?document="+doc(9), "").want(404, api.CodeSubscriberNotFound)
	f.do("GET", "/provision/schedule?document=x", "").want(404, api.CodeSubscriberNotFound)
	id := f.do("GET", "/provision/schedule", "").want(200).text("schedules", 1, "schedule_id")
	f.do("DELETE", "/provision/schedule/"+id, "", "Idempotency-Key: once").want(200).has(map[string]string{"response": "success"})
	f.do("DELETE", "/provision/schedule/"+id, "", "Idempotency-Key: once").want(200)
	f.do("DELETE", "/provision/schedule/"+id, "").want(409, api.CodeScheduleEnded)
	for _, unknown := range []string{"sch_1", "sch_01", "x", strings.ToUpper(id), strings.Replace(id, "sch_", "op_", 1)} {
		f.do("DELETE", "/provision/schedule/"+unknown, "").want(404, api.CodeScheduleNotFound)
	}
	f.do("GET", "/provision/schedule?document="+doc(2), "").want(200).has(map[string]string{"schedules.0.state": "cancelled", "schedules.0.code": ""})
}

func TestBadSchedulesAreRefusedBeforeAnyEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	good := scheduled("suspend", basic, f.clock().Add(time.Hour), 1)
	for _, c := range []struct{ body, code, pointer string }{
		{scheduled("suspend", basic, f.clock(), 1), api.CodeValidationFailed, "/at"},
		{scheduled("suspend", basic, f.clock().Add(367*24*time.Hour), 1), api.CodeValidationFailed, "/at"},
		{scheduled("change", basic, f.clock().Add(time.Hour), 1), api.CodeValidationFailed, "/operation"},
		{scheduled("suspend", 99, f.clock().Add(time.Hour), 1), api.CodeUnknownProduct, ""},
		{scheduled("suspend", basic, f.clock().Add(time.Hour)), api.CodeValidationFailed, "/documents"},
		{strings.Replace(good, `"at":"`, `"at":"x`, 1), api.CodeValidationFailed, "/at"},
		{strings.Replace(good, `"at":`, `"when":`, 1), api.CodeValidationFailed, "/at"},
		{strings.Replace(good, `"at":"`, `"at":"0001-01-01T00:00:00Z","was":"`, 1), api.CodeValidationFailed, "/at"},
		{strings.Replace(good, `"operation":`, `"do":`, 1), api.CodeValidationFailed, "/operation"},
	} {
		r := f.do("POST", "/provision/schedule", c.body).want(422, c.code)
		if c.pointer != "" {
			r.has(map[string]string{"errors.0.pointer": c.pointer})
		}
	}
	f.do("POST", "/provision/schedule/validate", good).want(200).has(map[string]string{"results.0.result": "accepted"})
	f.do("GET", "/provision/schedule", "").want(200).has(map[string]string{"schedules": "[]"})
}

// A token that may not do an operation now may neither schedule nor cancel it.
func TestSchedulingNeedsTheScopeOfTheOperation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	provision, cancel := f.token("provision", domain.ScopeProvision), f.token("cancel", domain.ScopeCancel)
	at := f.clock().Add(time.Hour)
	suspend, deactivate := scheduled("suspend", basic, at, 1), scheduled("deactivate", basic, at, 1)
	f.do("POST", "/provision/schedule", `{"`, f.token("manage", domain.ScopeManage)).want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": "provision"})
	f.do("POST", "/provision/schedule", deactivate, provision).want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": "cancel"})
	f.do("POST", "/provision/schedule", suspend, cancel).want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": "provision"})
	f.do("POST", "/provision/schedule", suspend, provision).want(200)
	id := f.do("POST", "/provision/schedule", deactivate, cancel).want(200).text("results", 0, "schedule_id")
	f.do("DELETE", "/provision/schedule/"+id, "", provision).want(403, api.CodeInsufficientScope)
	f.do("DELETE", "/provision/schedule/"+id, "", cancel).want(200)
}
