package rules_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

const statesDoc = "../../../docs/states.md"

// docs/states.md is generated from the transition table. Rewrite it with go test
// ./internal/service/rules -run StatesDocument -update
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
		t.Errorf("%s is stale: run go test ./internal/service/rules -run StatesDocument -update", statesDoc)
	}
}

func statesDocument() []byte {
	var b bytes.Buffer
	b.WriteString(`# The life of a service

<!-- Generated from the transition table in internal/service/rules/table.go. Do not edit. -->

A service is one token: one product of one subscriber. Requests, the
subscriber's click, the partner's confirmations and the provider's limit move
it from status to status; nothing else does.

## Statuses

| id | status | kind | meaning |
|---:|---|---|---|
`)
	for _, s := range describedStatuses() {
		kind := "intermediate"
		if s.status.Stable() || s.status == domain.Canceled {
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
	all := append([]describedStatus{{domain.NoService, "The subscriber has no service of the product or its family."}}, describedStatuses()...)
	for _, s := range all {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| trigger | outcome |\n|---|---|\n", s.status, s.meaning)
		for tr := domain.ActivateSame; tr <= domain.SlotAvailable; tr++ {
			if choices := rules.Choices(s.status, tr); len(choices) > 0 {
				fmt.Fprintf(&b, "| `%s` | %s |\n", tr, describe(choices))
			}
		}
	}
	return b.Bytes()
}

func describe(choices []rules.Choice) string {
	var ways []string
	for i, c := range choices {
		way := effect(c)
		switch {
		case c.When != nil:
			way = "if " + c.When.Words + ": " + way
		case i > 0:
			way = "else: " + way
		}
		ways = append(ways, way)
	}
	return strings.Join(ways, "; ")
}

func effect(c rules.Choice) string {
	switch text := outcome(c); {
	case text == "=":
		return "stays"
	case text == "new":
		return "new token"
	case text[0] == '!':
		return "refused `" + text[1:] + "`"
	case text[0] == '~':
		return text[1:]
	default:
		return "→ `" + strings.ReplaceAll(text, ">", "` → `") + "`"
	}
}

// describedStatus is a status as the documentation describes it.
type describedStatus struct {
	status  domain.Status
	meaning string
}

// describedStatuses are all statuses in the order of the API's own table.
func describedStatuses() []describedStatus {
	return []describedStatus{
		{domain.Active, "The service is enabled."},
		{domain.Canceled, "The service is cancelled permanently."},
		{domain.Suspended, "The service is suspended temporarily."},
		{domain.Overdue, "The service is suspended temporarily for lack of payment."},
		{domain.LimitReached, "The activation is queued: the provider reached its limit of active tokens."},
		{domain.InProgress, "An activation is in progress; the subscriber has yet to complete it."},
		{domain.InError, "The last operation failed."},
		{domain.Reactivated, "The service is being reactivated; the partner has yet to confirm."},
		{domain.Changed, "The service is undergoing a product change; the partner has yet to confirm."},
		{domain.WaitingSuspension, "The partner has yet to confirm the suspension."},
		{domain.WaitingCancellation, "The partner has yet to confirm the cancellation."},
		{domain.CanceledWithoutActivation, "The service was cancelled in the queue, before it was enabled."},
		{domain.WaitingSuspensionDueToOverdue, "The partner has yet to confirm the suspension for lack of payment."},
	}
}
