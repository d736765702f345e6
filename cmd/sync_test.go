package cmd

import (
	"io"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/run"
)

// The preview of a plan lists cancellations first and omits invalid rows, which were
// listed before and may lack a document.
func TestCancellationsOfAPlanAreShownFirst(t *testing.T) {
	u, _ := minimalServer(t, entry(25, "active"))
	e := u.environment(nil, io.Discard, io.Discard)
	plan := &run.Plan{}
	for range 25 {
		plan.Actions = append(plan.Actions, run.Action{Kind: run.ActionCreate, Document: "52998224725", Row: &api.ImportRow{}})
	}
	plan.Actions = append(plan.Actions, run.Action{Kind: run.ActionDeactivate, Operation: api.Deactivate, Document: "52998224725", ProductID: 25}, run.Action{Kind: run.ActionInvalid})
	c := apitest.Client(t, client.Options{Server: u.env["ATIVA_SERVER"]})
	shown, err := planPreview(t.Context(), e, c, plan)
	if err != nil || len(shown) != 21 {
		t.Fatalf("got %d lines, %v, want 20 and how many more", len(shown), err)
	}
	for i, want := range map[int]string{0: "deactivate ", 1: "create ", 20: "and 6 more"} {
		if got := shown[i].Text(lang.English); !strings.HasPrefix(got, want) {
			t.Errorf("line %d: got %q, want %q", i, got, want)
		}
	}
}
