package provision_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ativa/internal/provision"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

const statesDoc = "../../docs/states.md"

// docs/states.md is written from the transition table, so that what operators
// read is what the program does. Rewrite it with
// go test ./internal/provision -run StatesDocument -update
func TestTheStatesDocumentIsCurrent(t *testing.T) {
	want := statesDocument()
	if *update {
		if err := os.WriteFile(statesDoc, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(statesDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go test ./internal/provision -run StatesDocument -update", statesDoc)
	}
}

func statesDocument() []byte {
	var b bytes.Buffer
	b.WriteString(`# The life of a service

<!-- Generated from the transition table in internal/provision/table.go. Do not edit. -->

A service is one token: one product of one subscriber. Requests, the
subscriber's click, the partner's confirmations and the provider's limit move
it from status to status; nothing else does.

## Statuses

| id | status | kind | meaning |
|---:|---|---|---|
`)
	for _, s := range describedStatuses() {
		kind := "intermediate"
		if s.final {
			kind = "final"
		}
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", s.status, s.status, kind, s.meaning)
	}
	b.WriteString(`
## Transitions

*stays*: accepted, and nothing changes. *refused*: with the error code.
*new token*: this token is not concerned, and a separate new one starts.
*deferred*: recorded, and applied when the running operation ends. *stale*: a
confirmation of no running operation, recorded only. *unmatched*: parked.
Triggers that are absent cannot happen in that status.
`)
	all := append([]describedStatus{{provision.NoService, false, "The subscriber has no service of the product or its family."}}, describedStatuses()...)
	for _, s := range all {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| trigger | outcome |\n|---|---|\n", s.status, s.meaning)
		for tr := provision.ActivateSame; tr <= provision.SlotAvailable; tr++ {
			if choices := provision.Choices(s.status, tr); len(choices) > 0 {
				fmt.Fprintf(&b, "| `%s` | %s |\n", tr, describe(choices))
			}
		}
	}
	return b.Bytes()
}

var conditionsInWords = map[provision.Condition]string{
	provision.IfSlotFree:                    "below the limit and nobody queued",
	provision.IfReplaceable:                 "the products are replaceable",
	provision.IfSameTarget:                  "same target product",
	provision.IfWasActive:                   "it was active",
	provision.IfExpires:                     "activations expire",
	provision.IfActivationFailedAndSlotFree: "the activation failed and a slot is free",
	provision.IfActivationFailed:            "the activation failed",
	provision.IfCancellationFailed:          "the cancellation failed",
	provision.IfChangeFailedAndReplaceable:  "the change failed and the products are replaceable",
	provision.IfChangeToItFailed:            "the change to this product failed and the products are replaceable",
	provision.IfSuspensionFailed:            "the suspension failed",
	provision.IfOverdueSuspensionFailed:     "the suspension for lack of payment failed",
}

func describe(choices []provision.Choice) string {
	var ways []string
	for i, c := range choices {
		way := effect(c)
		switch {
		case c.When != provision.Always:
			way = "if " + conditionsInWords[c.When] + ": " + way
		case i > 0:
			way = "else: " + way
		}
		ways = append(ways, way)
	}
	return strings.Join(ways, "; ")
}

func effect(c provision.Choice) string {
	switch {
	case c.Refuse != "":
		return "refused `" + string(c.Refuse) + "`"
	case c.Then != 0:
		return fmt.Sprintf("→ `%s` → `%s`", c.To, c.Then)
	case c.To != 0:
		return fmt.Sprintf("→ `%s`", c.To)
	}
	switch c.Does {
	case provision.Stays:
		return "stays"
	case provision.StartsNew:
		return "new token"
	case provision.Defers:
		return "deferred"
	case provision.IsStale:
		return "stale"
	case provision.IsUnmatched:
		return "unmatched"
	case provision.Skips:
		return "skipped"
	}
	return "cannot happen"
}

// describedStatus is a status as the documentation describes it.
type describedStatus struct {
	status  provision.Status
	final   bool // false: the operation still runs or waits for a third party
	meaning string
}

// describedStatuses are all statuses in the order of the API's own table.
func describedStatuses() []describedStatus {
	return []describedStatus{
		{provision.Active, true, "The service is enabled."},
		{provision.Canceled, true, "The service is cancelled permanently."},
		{provision.Suspended, true, "The service is suspended temporarily."},
		{provision.Overdue, true, "The service is suspended temporarily for lack of payment."},
		{provision.LimitReached, false, "The activation is queued: the provider reached its limit of active tokens."},
		{provision.InProgress, false, "An activation is in progress; the subscriber has yet to complete it."},
		{provision.InError, false, "The last operation failed."},
		{provision.Reactivated, false, "The service is being reactivated; the partner has yet to confirm."},
		{provision.Changed, false, "The service is undergoing a product change; the partner has yet to confirm."},
		{provision.WaitingSuspension, false, "The partner has yet to confirm the suspension."},
		{provision.WaitingCancellation, false, "The partner has yet to confirm the cancellation."},
		{provision.CanceledWithoutActivation, false, "The service was cancelled in the queue, before it was enabled."},
		{provision.WaitingSuspensionDueToOverdue, false, "The partner has yet to confirm the suspension for lack of payment."},
	}
}
