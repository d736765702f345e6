package provision_test

import (
	"slices"
	"testing"

	"ativa/internal/provision"
)

// Sets of actions and of scopes are read as they are named.
func TestSetsAreReadAsTheyAreNamed(t *testing.T) {
	for set := range provision.CanAll + 1 {
		if got, err := provision.ParseActions(set.Names()); err != nil || got != set {
			t.Errorf("%v: got %b, %v, want %b", set.Names(), got, err, set)
		}
	}
	_, err := provision.ParseActions([]string{"activate", "sell"})
	wantCode(t, err, provision.ValidationFailed)
	for set := range provision.AllScopes + 1 {
		want := set | provision.ScopeRead
		if got, unknown, ok := provision.ParseScopes(want.Names()); got != want || !ok {
			t.Errorf("%v: got %b and %q, want %b", want.Names(), got, unknown, want)
		}
	}
	if got, unknown, ok := provision.ParseScopes([]string{"provision", "rule"}); ok || unknown != "rule" || slices.Contains(got.Names(), "provision") {
		t.Errorf("got %b, and %q is unknown", got, unknown)
	}
}

// Of a list with a comma too many, as in "cancel,", nothing is left out silently.
func TestAnEmptyNameIsNoScope(t *testing.T) {
	if got, _, ok := provision.ParseScopes([]string{"cancel", ""}); ok {
		t.Errorf("got %v, want a refusal", got.Names())
	}
}
