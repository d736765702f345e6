package provision_test

import (
	"slices"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
)

// A speed that the operator adds beside a running server is one that
// server takes it at once in every write; the 38 keep theirs.
func TestAnInternetSpeedIsAddedWhileServersRun(t *testing.T) {
	w := newWorld(t, 10)
	before, err := w.m.InternetSpeeds(w.ctx)
	w.must(err)
	if len(before) != 38 || before[9].Speed != "100 Mbps" || before[37].ID != provision.SpeedNotInformed {
		t.Fatalf("got %v, want the 38 of the API", before)
	}
	f := fields(1)
	f.SpeedID = provision.SomeNumber(100)
	_, err = w.m.CreateSubscriber(w.ctx, w.call(), f)
	wantCode(t, err, provision.UnknownInternetSpeed)

	operator, err := store.Open(w.ctx, w.dsn, store.Options{})
	w.must(err)
	defer operator.Close()
	beside := provision.NewManager(operator, w.options)
	added, err := beside.AddInternetSpeed(w.ctx, 100, "  2,5  Gbps ")
	w.must(err)
	if want := (provision.InternetSpeed{ID: 100, Speed: "2,5 Gbps", Slug: "2-5-gbps"}); added != want {
		t.Errorf("got %+v, want %+v", added, want)
	}
	for _, same := range []string{"2,5 Gbps", "2,5 GBPS", "2.5 gbps", "100 mbps"} {
		_, err := beside.AddInternetSpeed(w.ctx, 101, same)
		wantCode(t, err, provision.NameTaken)
	}
	for _, id := range []int{38, 100} {
		_, err := beside.AddInternetSpeed(w.ctx, id, "3 Gbps")
		wantCode(t, err, provision.NameTaken)
	}
	for id, text := range map[int]string{101: " ", 0: "3 Gbps"} {
		_, err := beside.AddInternetSpeed(w.ctx, id, text)
		wantCode(t, err, provision.ValidationFailed)
	}

	after, err := w.m.InternetSpeeds(w.ctx)
	w.must(err)
	if !slices.Equal(after, append(before, added)) {
		t.Errorf("got %v, want the 38 as they were and the new one", after)
	}
	created, err := w.m.CreateSubscriber(w.ctx, w.call(), f)
	w.must(err)
	imported := row(2, playBasic)
	imported.SpeedID = provision.SomeNumber(100)
	results, err := w.m.Import(w.ctx, w.call(), []provision.Registration{imported})
	w.must(err)
	if created.SpeedID != 100 || results[0].Kind != provision.ImportCreated {
		t.Errorf("got speed %d and %+v, want the new speed in both", created.SpeedID, results[0])
	}
}
