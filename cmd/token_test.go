package cmd

import (
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/render"
)

func TestAuthStatusShowsTheTokenInUseOnANarrowTerminal(t *testing.T) {
	var shown strings.Builder
	p, err := render.New(&shown, render.Options{Screen: render.Screen{Terminal: true, Width: 60, Height: 24}}, sourceRows())
	if err == nil {
		err = p.Results(t.Context(), nil, []sourceRow{{Source: "environment", Result: "not_set"}, {Source: "stored_file", Result: "used", AccessToken: api.AccessToken{Name: "default", Scopes: api.Scopes()}}})
	}
	if err != nil || !strings.Contains(shown.String(), "stored_file  used") {
		t.Errorf("got %v:\n%s", err, &shown)
	}
}
