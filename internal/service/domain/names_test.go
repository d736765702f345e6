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
	for _, unknown := range []string{"rule", ""} { // an empty name, as in "cancel,"
		if got, named, ok := domain.ParseScopes([]string{"provision", unknown}); ok || named != unknown || slices.Contains(got.Names(), "provision") {
			t.Errorf("%q: got %b, and %q is unknown", unknown, got, named)
		}
	}
}
