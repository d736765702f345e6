package desk

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

// With schedules, a service suspended for non-payment can be released on trust for three
// days.
func TestATrustRelease(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.setStatus("overdue", api.StatusOverdue)
		x.keys("<enter>")
		x.lacks("trust release")
		x.keys("<esc>")
		x.server.catalog.Schedule = true
		addEvent(x)
		x.chooseText("trust release for 3 days")
		x.wants("Register the payment and reactivate Play Basic of Ana Souza, on trust until 20", "Enter yes")
		x.keys("<enter>")
		got := x.server.performed
		if len(got) != 1 || got[0].Operation != api.Settle || got[0].Product.ID != basic || got[0].Until.IsZero() {
			t.Fatalf("it did %+v, want one settlement with an end", got)
		}
		x.setStatus("active", api.StatusActive)
		x.keys("<enter>")
		x.lacks("trust release")
	})
}

// Scheduled operations are shown below their service.
func TestTheCardShowsWhatIsScheduled(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.catalog.Schedule = true
		x.server.scheduled = []api.Schedule{{ID: "sch_1", Operation: api.Deactivate, ProductID: basic, State: api.ScheduleWaiting, ActorName: "ana",
			At: api.At(time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC))}}
		openAna(x)
		x.wants("scheduled: cancellation on 2030-01-02", "(ana)")
	})
}

// A date is never broken at its hyphens.
func TestADateIsNotBroken(t *testing.T) {
	const date = "2026-11-30"
	for room := len(date) + 2; room < 60; room++ {
		lines := wrapped(text("Play Basic de Ana, até "+date+" 14:12; quem liga é do 98765-4321"), 1, room)
		var screen strings.Builder
		for _, l := range lines {
			l.write(&screen, false)
			screen.WriteByte('\n')
			if l.width() > room {
				t.Errorf("a line of %d columns on %d", l.width(), room)
			}
		}
		if got := screen.String(); !strings.Contains(got, date) || !strings.Contains(got, "98765-4321") {
			t.Errorf("%d columns:\n%s", room, got)
		}
	}
}
