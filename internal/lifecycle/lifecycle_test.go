package lifecycle_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
)

// readStates reads states.csv: by status id, the next status of each trigger.
func readStates(t *testing.T) map[api.Int]map[string]string {
	t.Helper()
	f, err := os.Open("../service/rules/testdata/states.csv")
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
		id, _ := strconv.Atoi(line[1]) // the first line has none
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

// columns of states.csv, by operation of the client.
var columns = map[api.Operation]string{
	api.Activate: "activate_same", api.Suspend: "suspend", api.Deactivate: "deactivate", api.Overdue: "overdue",
	api.Settle: "settle", api.Change: "change", lifecycle.Resend: "resend",
}

// cell is the entry of states.csv for an operation in a status.
type cell struct {
	text              string
	unchanged, effect bool     // accepted without, with an effect
	next              []string // possible statuses after it
}

func parseCell(text string) cell {
	c := cell{text: text}
	head, note, _ := strings.Cut(text, " ")
	switch {
	case text == "~deferred" || strings.HasPrefix(text, "~deferred "):
		c.effect = true
	case strings.HasPrefix(text, "!"), strings.HasPrefix(text, "~"), text == "-":
	case head == "=":
		c.effect = strings.HasPrefix(note, "(new") || strings.HasPrefix(note, "(clears")
		c.unchanged = !c.effect && !strings.HasPrefix(note, "if same target")
	case text == "new":
		c.effect, c.next = true, []string{"inProgress", "limitReached"}
	default:
		c.effect = true
		for alternative := range strings.SplitSeq(text, "|") {
			status, _, _ := strings.Cut(alternative, " ")
			c.next = append(c.next, status[strings.LastIndex(status, ">")+1:])
		}
	}
	return c
}

// The client's table agrees with states.csv and lacks none of it. Retries after a failure
// are tested separately.
func TestTheTableAgreesWithTheStates(t *testing.T) {
	for id, cells := range readStates(t) {
		for op, column := range columns {
			c, name := parseCell(cells[column]), fmt.Sprintf("%s of %s (%q)", op, cells["status"], cells[column])
			if done := lifecycle.Done(id, op); op != lifecycle.Resend && done != c.unchanged {
				t.Errorf("%s: done is %t", name, done)
			}
			next := api.StatusName(lifecycle.Next(id, op))
			if next != "" && !slices.Contains(c.next, next) || next == "" && len(c.next) == 1 && !strings.ContainsAny(c.text, "> ") {
				t.Errorf("%s: next is %q", name, next)
			}
			if id == api.StatusError {
				continue
			}
			offered := slices.Contains(lifecycle.Offered(id, 0), op)
			if offered != c.effect && !strings.Contains(c.text, "clears") {
				t.Errorf("%s: offered is %t", name, offered)
			}
			if slices.Contains(lifecycle.Suggested(id, 0), op) && !offered {
				t.Errorf("%s: suggested and not offered", name)
			}
		}
		confirmed := parseCell(cells["confirmed"])
		if got := api.StatusName(lifecycle.Of(id).Confirmed); len(confirmed.next) == 1 && got != confirmed.next[0] || len(confirmed.next) != 1 && got != "" {
			t.Errorf("%s confirmed: got %q, states.csv has %q", cells["status"], got, cells["confirmed"])
		}
		if got, want := lifecycle.Of(id).WaitsFor, waitsFor(cells); got != want {
			t.Errorf("%s waits for %q, want %q by states.csv", cells["status"], got, want)
		}
		moves := id == 0 || waitsFor(cells) != "" && id != api.StatusError
		if lifecycle.Rests(id) == moves {
			t.Errorf("%s rests: got %t", cells["status"], !moves)
		}
		if got, want := lifecycle.Mailed(id), strings.HasPrefix(cells["resend"], "="); got != want {
			t.Errorf("%s is mailed again: got %t, states.csv has %q", cells["status"], got, cells["resend"])
		}
	}
}

// After any failure no offered operation is refused by states.csv for every service in
// error, and the failed one can be retried.
func TestRetriesAgreeWithTheStates(t *testing.T) {
	states := readStates(t)
	for failed, cells := range states {
		offered := lifecycle.Offered(api.StatusError, failed)
		for _, op := range slices.Concat(offered, lifecycle.Suggested(api.StatusError, failed)) {
			if c := states[api.StatusError][columns[op]]; strings.HasPrefix(c, "!") || strings.HasPrefix(c, "=") || !slices.Contains(offered, op) {
				t.Errorf("after %s failed, %s is offered or suggested, states.csv has %q", cells["status"], op, c)
			}
		}
		again := lifecycle.Of(failed).UnderWay
		if again == api.Overdue { // states.csv refuses it to a service in error
			again = api.Activate
		}
		if (lifecycle.Of(failed).UnderWay != "") != (cells["failed"] == "error") || again != "" && !slices.Contains(offered, again) {
			t.Errorf("%s failed: %q can be tried again, offered are %s", cells["status"], again, offered)
		}
	}
}

// Toward reaches the wanted status according to states.csv.
func TestTowardReturnsTheOperationThatLeadsToAStatus(t *testing.T) {
	for id, cells := range readStates(t) {
		for _, asked := range []api.Int{api.StatusActive, api.StatusSuspend, api.StatusOverdue} {
			op, possible := lifecycle.Toward(id, asked)
			if op == "" {
				if is := lifecycle.Of(id).Asked; possible != (is == asked) && (!possible || asked != api.StatusActive) {
					t.Errorf("%s toward %s: nothing to do is %t", cells["status"], api.StatusName(asked), possible)
				}
				continue
			}
			if c := parseCell(cells[columns[op]]); !possible || !c.effect {
				t.Errorf("%s toward %s: %s, states.csv has %q", cells["status"], api.StatusName(asked), op, c.text)
			}
		}
	}
	if op, possible := lifecycle.Toward(api.StatusError, api.StatusSuspend); possible {
		t.Errorf("an unknown operation failed: got %q, want nothing, since only a suspension that failed can be repeated", op)
	}
	for _, asked := range []api.Int{api.StatusActive, api.StatusSuspend, api.StatusOverdue} {
		if op, possible := lifecycle.Toward(99, asked); op != "" || possible != (asked == api.StatusActive) {
			t.Errorf("a status of a server's own toward %s: got %q, %t", api.StatusName(asked), op, possible)
		}
	}
}

// waitsFor returns who must act, by the triggers that leave the status.
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

// An unknown status may be a started activation; nothing else is known.
func TestAnUnknownStatusMayBeAnActivationAlone(t *testing.T) {
	const checkout = 99
	for _, op := range []api.Operation{api.Activate, api.Suspend, api.Deactivate, api.Overdue, api.Settle} {
		if lifecycle.Done(checkout, op) || lifecycle.Reached(checkout, op) != (op == api.Activate) {
			t.Errorf("%s: done %t, reached %t", op, lifecycle.Done(checkout, op), lifecycle.Reached(checkout, op))
		}
	}
	if lifecycle.Of(checkout).WaitsFor != "" || lifecycle.Of(checkout).Confirmed != 0 || lifecycle.Of(checkout).Asked != 0 || lifecycle.Next(checkout, api.Activate) != 0 ||
		lifecycle.Mailed(checkout) || lifecycle.Rests(checkout) || lifecycle.Repeats(checkout) != "" {
		t.Error("something is known of a status of a server's own")
	}
}

// A service that began in an unknown status waits for the click while it stays there.
func TestAnActivationInAStatusOfAServersOwnAwaitsTheClick(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	service := func(status api.Int, created, updated time.Time) api.Service {
		return api.Service{StatusID: status, TokenCreatedAt: api.At(created), StatusUpdatedAt: api.At(updated)}
	}
	for _, c := range []struct {
		service api.Service
		want    bool
	}{
		{service(99, at, at.Add(time.Second)), true},
		{service(99, at, at.Add(time.Hour)), false},
		{service(99, at, time.Time{}), false},
		{service(99, time.Time{}, at), false},
		{service(api.StatusActive, at, at), false},
		{service(api.StatusInProgress, at, at.Add(time.Hour)), true},
	} {
		if got := lifecycle.AwaitsClick(c.service); got != c.want {
			t.Errorf("%+v: got %t, want %t", c.service, got, c.want)
		}
	}
}
