package api_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"ativa/internal/api"
)

func TestAnEventOfAnotherServerIsRead(t *testing.T) {
	var e api.Event
	if err := json.Unmarshal([]byte(`{"type":"service.status_changed","previous_status":"active","status":"x","status_id":99}`), &e); err != nil {
		t.Fatal(err)
	}
	if e.StatusChange == nil || e.ProductID != 0 || e.SubscriberID != "" || e.ActorName != "" || *e.PreviousStatus != "active" || api.CategoryOf(e.StatusID) != api.CategoryUnknown {
		t.Errorf("got %+v", e)
	}
}

func TestStatusesAreThoseOfTheAPI(t *testing.T) {
	var got string
	for _, s := range api.Statuses() {
		got += fmt.Sprint(s.ID, " ", s.Name, " ", api.CategoryOf(s.ID), "; ")
	}
	const want = "1 active final; 3 canceled final; 4 suspend final; 6 limitReached intermediate; 7 overdue final; 10 inProgress intermediate; " +
		"11 error intermediate; 12 reactivated intermediate; 13 changed intermediate; 14 waitingSuspension intermediate; " +
		"15 waitingCancellation intermediate; 21 canceledWithoutActivation intermediate; 22 waitingSuspensionDueToOverdue intermediate; "
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
