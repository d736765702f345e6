package domain_test

import (
	"slices"
	"testing"

	"ativa/internal/service/domain"
)

// Parsing the names of a set returns the set.
func TestSetsAreReadAsTheyAreNamed(t *testing.T) {
	for set := range domain.CanAll + 1 {
		if got, err := domain.ParseActions(set.Names()); err != nil || got != set {
			t.Errorf("%v: got %b, %v, want %b", set.Names(), got, err, set)
		}
	}
	_, err := domain.ParseActions([]string{"activate", "sell"})
	wantCode(t, err, domain.ValidationFailed)
	for set := range domain.AllScopes + 1 {
		want := set | domain.ScopeRead
		if got, unknown, ok := domain.ParseScopes(want.Names()); got != want || !ok {
			t.Errorf("%v: got %b and %q, want %b", want.Names(), got, unknown, want)
		}
	}
	if got, unknown, ok := domain.ParseScopes([]string{"provision", "rule"}); ok || unknown != "rule" || slices.Contains(got.Names(), "provision") {
		t.Errorf("got %b, and %q is unknown", got, unknown)
	}
}

// An empty name, as in "cancel,", is an error.
func TestAnEmptyNameIsNoScope(t *testing.T) {
	if got, _, ok := domain.ParseScopes([]string{"cancel", ""}); ok {
		t.Errorf("got %v, want a refusal", got.Names())
	}
}
