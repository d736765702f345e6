package cmd

import (
	"reflect"
	"testing"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// The meaning of the options is the same before and after --save-map, so that the same
// command resumes its run.
func TestWhereAMappingIsSavedDoesNotTellRunsApart(t *testing.T) {
	name := sheet.Mapping{Field: "name", Column: "Cliente"}
	combo := sheet.ValueMapping{Field: "products_ids", Value: "Combo", Meaning: "1"}
	first := readingOptions{csv: sheet.Options{Map: []sheet.Mapping{name}, Values: []sheet.ValueMapping{combo}}}
	again := readingOptions{csv: sheet.Options{Map: []sheet.Mapping{name}, Saved: []sheet.Mapping{name}, Values: []sheet.ValueMapping{combo}, SavedValues: []sheet.ValueMapping{combo}}}
	later := readingOptions{csv: sheet.Options{Saved: []sheet.Mapping{name}, SavedValues: []sheet.ValueMapping{combo}}}
	for what, o := range map[string]readingOptions{"the same command": again, "a later one without --map": later} {
		if got, want := o.meaning(), first.meaning(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	other := readingOptions{csv: sheet.Options{Map: []sheet.Mapping{{Field: "name", Column: "Nome"}}}}
	if reflect.DeepEqual(other.meaning(), first.meaning()) {
		t.Error("two mappings mean the same")
	}
}

// Statuses are selected in any order by name, word or id.
func TestTheOrderOfStatusesDoesNotTellRunsApart(t *testing.T) {
	active, failed := api.Status{ID: api.StatusActive, Name: "active"}, api.Status{ID: api.StatusError, Name: "error"}
	want := selectionWords(api.Product{}, []api.Status{active, failed}, "3d")
	for _, statuses := range [][]api.Status{{failed, active}, {active, failed, active}} {
		if got := selectionWords(api.Product{}, statuses, "3d"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
