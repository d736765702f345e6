package rules_test

import (
	"cmp"
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

// stateTable is the cells of states.csv by status and trigger.
type stateTable map[string]map[string]string

func readStateTable(t *testing.T) stateTable {
	t.Helper()
	triggers, rows := readStates(t)
	cells := stateTable{}
	for _, row := range rows {
		cells[row[0]] = map[string]string{}
		for i, cell := range row[2:] {
			cells[row[0]][triggers[i]], _, _ = strings.Cut(cell, " (")
		}
	}
	return cells
}

// decide reads a cell and resolves what depends on more than the status, as the notes of
// decisions.md 9 say.
func (c stateTable) decide(status, trigger string, f rules.Facts) string {
	cell := c[status][trigger]
	either := func(holds bool, yes, no string) string {
		if holds {
			return yes
		}
		return no
	}
	switch status + " " + trigger {
	case "active activate_family", "active change":
		return either(f.Replaceable, "changed", "!not_replaceable")
	case "inProgress timeout":
		return either(f.Expires, "error", "=")
	case "overdue settle":
		return either(f.LastStable == domain.Active, cell, "suspend")
	case "changed change":
		return either(f.SameTarget, "=", "!operation_in_progress")
	case "error activate_same", "error resend":
		switch {
		case f.Operation == domain.Activation:
			cell = "inProgress|limitReached"
		case trigger == "resend":
			return "~skipped"
		default:
			return either(f.Operation == domain.Cancellation, "!cancellation_unresolved", "reactivated")
		}
	case "error activate_family":
		return either(f.Operation == domain.ProductChange && f.SameTarget && f.Replaceable, "changed", "!service_in_error")
	case "error change":
		return either(f.Operation == domain.ProductChange && f.Replaceable, "changed", "!service_in_error")
	case "error suspend":
		return either(f.LastStable == domain.Active, "waitingSuspension", "!service_not_active")
	case "error confirmed":
		ends := map[domain.OperationKind]string{domain.Suspension: "suspend", domain.OverdueSuspension: "overdue", domain.Cancellation: "canceled"}
		return cmp.Or(ends[f.Operation], "active")
	}
	if cell == "inProgress|limitReached" {
		return either(f.SlotFree, "inProgress", "limitReached")
	}
	return cell
}

// allFacts are all combinations of what a decision may depend on.
func allFacts() (all []rules.Facts) {
	for bits := range 16 {
		for kind := domain.Activation; kind <= domain.OverdueSuspension; kind++ {
			for _, stable := range []domain.Status{domain.NoService, domain.Active, domain.Suspended, domain.Overdue} {
				all = append(all, rules.Facts{SlotFree: bits&1 > 0, Replaceable: bits&2 > 0, SameTarget: bits&4 > 0, Expires: bits&8 > 0, Operation: kind, LastStable: stable})
			}
		}
	}
	return all
}

func TestEveryCellOfTheStateTable(t *testing.T) {
	cells, byName := readStateTable(t), statuses()
	if len(cells) != len(byName) {
		t.Errorf("states.csv has %d statuses, want %d", len(cells), len(byName))
	}
	for name, row := range cells {
		if len(row) != int(domain.SlotAvailable) {
			t.Errorf("%s has %d triggers, want %d", name, len(row), domain.SlotAvailable)
		}
		for trigger := domain.ActivateSame; trigger <= domain.SlotAvailable; trigger++ {
			for _, f := range allFacts() {
				got, want := outcome(rules.Decide(byName[name], trigger, f)), cells.decide(name, trigger.String(), f)
				if got != want {
					t.Fatalf("%s, %s under %+v: got %s, want %s", name, trigger, f, got, want)
				}
			}
		}
	}
}

// outcome writes a decision as states.csv does.
func outcome(c rules.Choice) string {
	switch c.Verdict() {
	case rules.Impossible:
		return "-"
	case rules.Stays:
		return "="
	case rules.Refuses:
		return "!" + string(c.Refuse)
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
	if c.Then != 0 {
		return c.To.String() + ">" + c.Then.String()
	}
	return c.To.String()
}
