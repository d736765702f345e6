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
		if got, unknown := domain.ParseScopes(want.Names()); got != want || unknown >= 0 {
			t.Errorf("%v: got %b and unknown %d, want %b", want.Names(), got, unknown, want)
		}
	}
	for _, name := range []string{"rule", ""} { // an empty name, as in "cancel,"
		if got, unknown := domain.ParseScopes([]string{"provision", name}); unknown != 1 || slices.Contains(got.Names(), "provision") {
			t.Errorf("%q: got %b, and name %d is unknown", name, got, unknown)
		}
	}
}
