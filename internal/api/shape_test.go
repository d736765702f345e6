package api_test

import (
	"encoding/json"
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
	final := map[string]bool{"active": true, "canceled": true, "suspend": true, "overdue": true}
	all := api.Statuses()
	if len(all) != 13 {
		t.Errorf("got %d statuses, want 13", len(all))
	}
	for i, s := range all {
		if i > 0 && s.ID <= all[i-1].ID {
			t.Errorf("%s: id %d comes after %d", s.Name, s.ID, all[i-1].ID)
		}
		want := api.CategoryIntermediate
		if final[s.Name] {
			want = api.CategoryFinal
		}
		if got := api.CategoryOf(s.ID); got != want {
			t.Errorf("%s: got %s, want %s", s.Name, got, want)
		}
	}
}
