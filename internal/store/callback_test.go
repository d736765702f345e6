package store_test

import (
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
)

func TestCallbacksAreCountedAndTurnedOff(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	ctx := t.Context()
	if err := db.EnableCallback(ctx, w.p, false); err == nil {
		t.Error("a callback that is not there is turned off")
	}
	c := provision.Callback{Provider: w.p, URL: "https://azul.example.com/", Secret: []byte{1}, Enabled: true}
	if err := db.SetCallback(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		well bool
		want int
	}{{false, 1}, {false, 2}, {true, 0}, {true, 0}, {false, 1}} {
		if err := db.CountCallback(ctx, w.p, step.well); err != nil {
			t.Fatal(err)
		}
		if all, err := db.Callbacks(ctx); err != nil || all[0].Failures != step.want {
			t.Errorf("got %+v, %v, want %d failures in a row", all, err, step.want)
		}
	}
	if err := db.EnableCallback(ctx, w.p, false); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Callbacks(ctx); err != nil || all[0].Enabled {
		t.Errorf("got %+v, %v, want it off", all, err)
	}
}
