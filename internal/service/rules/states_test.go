package rules_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// statuses maps the names of states.csv to statuses.
func statuses() map[string]domain.Status {
	byName := map[string]domain.Status{"(none)": domain.NoService}
	for _, info := range describedStatuses() {
		byName[info.status.String()] = info.status
	}
	return byName
}

// readStates reads testdata/states.csv, the facts of decisions.md 9.
func readStates(t *testing.T) (triggers []string, rows [][]string) {
	t.Helper()
	f, err := os.Open("testdata/states.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0][2:], all[1:]
}

// cellCase is one outcome of a cell of states.csv and the facts that lead to it.
type cellCase struct {
	want  string
	facts rules.Facts
}

// special lists the cells that depend on more than the limit, as the notes of decisions.md 9 say. All
// others are read from the CSV.
func special(status, trigger string) []cellCase {
	activation := rules.Facts{Operation: domain.Activation}
	slotFree := rules.Facts{Operation: domain.Activation, SlotFree: true}
	cancellation := rules.Facts{Operation: domain.Cancellation}
	suspension := rules.Facts{Operation: domain.Suspension, LastStable: domain.Active}
	overdue := rules.Facts{Operation: domain.OverdueSuspension, LastStable: domain.Active}
	reactivation := rules.Facts{Operation: domain.Reactivation, LastStable: domain.Suspended}
	change := rules.Facts{Operation: domain.ProductChange, LastStable: domain.Active}
	changeAgain := rules.Facts{Operation: domain.ProductChange, LastStable: domain.Active, Replaceable: true, SameTarget: true}
	changeOther := rules.Facts{Operation: domain.ProductChange, LastStable: domain.Active, Replaceable: true}
	switch status + " " + trigger {
	case "active activate_family", "active change":
		return []cellCase{{"changed", rules.Facts{Replaceable: true}}, {"!not_replaceable", rules.Facts{}}}
	case "inProgress timeout":
		return []cellCase{{"=", rules.Facts{}}, {"error", rules.Facts{Expires: true}}}
	case "overdue settle":
		return []cellCase{{"suspend>reactivated", rules.Facts{LastStable: domain.Active}}, {"suspend", rules.Facts{LastStable: domain.Suspended}}}
	case "changed change":
		return []cellCase{{"=", rules.Facts{SameTarget: true}}, {"!operation_in_progress", rules.Facts{}}}
	case "error activate_same":
		return []cellCase{{"inProgress", slotFree}, {"limitReached", activation}, {"!cancellation_unresolved", cancellation},
			{"reactivated", suspension}, {"reactivated", overdue}, {"reactivated", reactivation}, {"reactivated", change}}
	case "error activate_family":
		return []cellCase{{"changed", changeAgain}, {"!service_in_error", changeOther}, {"!service_in_error", change},
			{"!service_in_error", suspension}, {"!service_in_error", activation}}
	case "error suspend":
		return []cellCase{{"waitingSuspension", suspension}, {"!service_not_active", reactivation}, {"!service_not_active", activation}}
	case "error change":
		return []cellCase{{"changed", changeAgain}, {"changed", changeOther}, {"!service_in_error", suspension}, {"!service_in_error", cancellation}}
	case "error resend":
		return []cellCase{{"inProgress", slotFree}, {"limitReached", activation}, {"~skipped", suspension}, {"~skipped", cancellation}}
	case "error confirmed":
		return []cellCase{{"active", activation}, {"active", reactivation}, {"active", change}, {"suspend", suspension},
			{"overdue", overdue}, {"canceled", cancellation}}
	}
	return nil
}

func TestEveryCellOfTheStateTable(t *testing.T) {
	triggers, rows := readStates(t)
	byName := statuses()
	seen := 0
	for _, row := range rows {
		status, known := byName[row[0]]
		if !known {
			t.Errorf("states.csv has the unknown status %q", row[0])
			continue
		}
		for i, cell := range row[2:] {
			trigger := domain.Trigger(i + 1)
			if got, want := trigger.String(), triggers[i]; got != want {
				t.Fatalf("trigger %d is %q, want %q", i+1, got, want)
			}
			cases := special(row[0], triggers[i])
			if cases == nil {
				cases = plain(cell)
			}
			for _, c := range cases {
				seen++
				got := outcome(rules.Decide(status, trigger, c.facts))
				if got != c.want {
					t.Errorf("%s, %s under %+v: got %s, want %s (cell %q)", row[0], triggers[i], c.facts, got, c.want, cell)
				}
			}
		}
	}
	if want := 14 * 14; seen < want {
		t.Errorf("checked %d outcomes, want at least %d", seen, want)
	}
}

// plain parses a cell that depends at most on the limit.
func plain(cell string) []cellCase {
	cell, _, _ = strings.Cut(cell, " (")
	if cell == "inProgress|limitReached" {
		return []cellCase{{"inProgress", rules.Facts{SlotFree: true}}, {"limitReached", rules.Facts{}}}
	}
	return []cellCase{{cell, rules.Facts{}}, {cell, rules.Facts{SlotFree: true}}}
}

// outcome writes a decision as states.csv does.
func outcome(o rules.Outcome) string {
	switch o.Verdict {
	case rules.Impossible:
		return "-"
	case rules.Stays:
		return "="
	case rules.Refuses:
		return "!" + string(o.Code)
	case rules.StartsNew:
		return "new"
	case rules.Defers:
		return "~deferred"
	case rules.IsStale:
		return "~stale"
	case rules.IsUnmatched:
		return "~unmatched"
	case rules.Skips:
		return "~skipped"
	}
	var names []string
	for _, s := range o.To {
		names = append(names, s.String())
	}
	return strings.Join(names, ">")
}
