package lifecycle_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
)

// readStates reads the service's own states.csv: by id of a status, what each trigger
// leads to.
func readStates(t *testing.T) map[api.Int]map[string]string {
	t.Helper()
	f, err := os.Open("../provision/testdata/states.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	states := map[api.Int]map[string]string{}
	for _, line := range lines[1:] {
		id := 0
		if line[1] != "" {
			if id, err = strconv.Atoi(line[1]); err != nil {
				t.Fatal(err)
			}
		}
		cells := map[string]string{}
		for i, cell := range line {
			cells[lines[0][i]] = cell
		}
		states[api.Int(id)] = cells
	}
	if len(states) != len(api.Statuses())+1 {
		t.Fatalf("states.csv has %d statuses, want those of api.md and none", len(states))
	}
	return states
}

// The client's table says what states.csv says.
func TestTheTableAgreesWithTheStates(t *testing.T) {
	columns := map[api.Operation]string{api.Activate: "activate_same", api.Suspend: "suspend", api.Deactivate: "deactivate", api.Overdue: "overdue", api.Settle: "settle"}
	for id, cells := range readStates(t) {
		for op, column := range columns {
			cell := cells[column]
			unchanged := strings.HasPrefix(cell, "=") && !strings.Contains(cell, "same target")
			// A settled debt changes nothing in most statuses; the client says so only of those that are enabled.
			if done := lifecycle.Done(id, op); done != unchanged && (done || op != api.Settle) {
				t.Errorf("%s of %s: done is %t, states.csv has %q", op, cells["status"], done, cell)
			}
			if next := lifecycle.Next(id, op); next != 0 && !strings.HasPrefix(cell, "=") && !strings.HasPrefix(cell, "!") && cell != "new" && !strings.Contains(cell, api.StatusName(next)) {
				t.Errorf("%s of %s: next is %s, states.csv has %q", op, cells["status"], api.StatusName(next), cell)
			}
		}
		if next := api.StatusName(lifecycle.Confirmed(id)); next != "" && next != cells["confirmed"] {
			t.Errorf("%s confirmed: got %s, states.csv has %q", cells["status"], next, cells["confirmed"])
		}
		if got, want := lifecycle.WaitsFor(id), waitsFor(cells); got != want {
			t.Errorf("%s waits for %q, want %q by states.csv", cells["status"], got, want)
		}
	}
}

// waitsFor is who moves a service on, by the triggers that lead out of its status.
func waitsFor(cells map[string]string) string {
	switch {
	case cells["status"] == "error":
		return lifecycle.WaitsForYou
	case cells["link_completed"] == "active" && cells["slot_available"] == "-" && cells["timeout"] != "-":
		return lifecycle.WaitsForSubscriber
	case cells["slot_available"] != "-":
		return lifecycle.WaitsForQueue
	case cells["timeout"] != "-":
		return lifecycle.WaitsForPartner
	}
	return ""
}

// A status of a server's own may be an activation that has begun; nothing else is known.
func TestAStatusOfAServersOwn(t *testing.T) {
	const checkout = 99
	for _, op := range []api.Operation{api.Activate, api.Suspend, api.Deactivate, api.Overdue, api.Settle} {
		if lifecycle.Done(checkout, op) || lifecycle.Reached(checkout, op) != (op == api.Activate) {
			t.Errorf("%s: done %t, reached %t", op, lifecycle.Done(checkout, op), lifecycle.Reached(checkout, op))
		}
	}
	if lifecycle.WaitsFor(checkout) != "" || lifecycle.Confirmed(checkout) != 0 || lifecycle.Asked(checkout) != 0 || lifecycle.Next(checkout, api.Activate) != 0 {
		t.Error("something is known of a status of a server's own")
	}
}
