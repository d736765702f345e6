package cli_test

import (
	"slices"
	"testing"

	"ativa/internal/failure"
)

func TestNearestWordsAreFewAndNear(t *testing.T) {
	all := []string{"context", "output", "color", "timeout", "read_only", "play-basic", "play-premium"}
	for typed, want := range map[string][]string{
		"contxt": {"context"}, "ouptut": {"output"}, "COLOUR": {"color"}, "raed_only": {"read_only"}, "play": {"play-basic", "play-premium"},
		"play-bsaic": {"play-basic"}, "elephant": {}, "": {}, "x": {},
	} {
		if got := failure.Nearest(typed, all); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
