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

func TestSchedulesAreListedInPagesAndOfOneSubscriber(t *testing.T) {
	f := newParallelFixture(t)
	for n := 1; n <= 3; n++ {
		f.activate(n, basic)
		f.do("POST", "/provision/schedule", scheduled("suspend", basic, f.clock().Add(time.Hour), n)).want(200)
	}
	f.do("GET", "/provision/schedule?paginate=S&per_page=2&page=2", "").want(200).has(map[string]string{"data.0.document": doc(3), "meta.total": "3"})
	f.do("GET", "/provision/schedule?paginate=S&document="+doc(2), "").want(200).has(map[string]string{"data.0.document": doc(2), "meta.total": "1"})
}

// A token that may not do an operation now may neither schedule nor cancel it.
func TestSchedulingNeedsTheScopeOfTheOperation(t *testing.T) {
	f := newParallelFixture(t)
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
	f.do("DELETE", "/provision/schedule/"+id, "", cancel).want(409, api.CodeScheduleEnded)
}
