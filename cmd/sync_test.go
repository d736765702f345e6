package cmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/processtest"
	"ativa/internal/run"
)

// A file that lost most of its rows would cancel everybody whom it lacks: the
// plan is shown by a dry run and not applied, unless --max-changes allows it.
func TestCancellationsOfASyncAreCapped(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	w.Start()
	whole := w.WriteRows(30)
	w.Must("subscribers", "import", whole)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	cut := filepath.Join(w.Dir, "cut.csv")
	if err := os.WriteFile(cut, []byte(lines[0]+lines[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	planFile := filepath.Join(w.Dir, "plan.json")
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--yes"}, cli.ExitInvalidInput, "the plan cancels 38 services of 30 subscribers, more than 10; nothing was sent"},
		{[]string{"--plan-file", planFile}, cli.ExitInvalidInput, "if it is meant, --max-changes 38 allows it"},
		{[]string{"--yes", "--max-changes", "37"}, cli.ExitInvalidInput, "more than --max-changes 37"},
		{[]string{"--dry-run"}, cli.ExitInvalidInput, processtest.Document(29)},
	} {
		args := append([]string{"sync", cut, "--allow-deactivate"}, c.args...)
		command := w.Command(args...)
		said, _ := command.CombinedOutput() // the exit code is looked at
		if code := command.ProcessState.ExitCode(); code != c.exit || !strings.Contains(string(said), c.says) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", c.args, code, c.exit, c.says, said)
		}
	}
	if _, err := os.Stat(planFile); err == nil {
		t.Error("a plan that is refused is written")
	}
	if all := string(w.Must("subscribers", "list", "--columns", "services")); strings.Contains(all, "ancel") {
		t.Fatalf("something was cancelled:\n%s", all)
	}
	w.Must("sync", cut, "--allow-deactivate", "--yes", "--max-changes", "38")
	if all := string(w.Must("subscribers", "list", "--columns", "services")); strings.Count(all, "ancel") != 38 {
		t.Errorf("want 38 services cancelled:\n%s", all)
	}
}

// Who is asked about a plan sees its cancellations first, and no invalid rows, which have
// been listed and may have no document.
func TestCancellationsOfAPlanAreShownFirst(t *testing.T) {
	u, _ := minimalServer(t, serviceEntry("25", "1", "active"))
	e := &cli.Env{Err: io.Discard, Out: io.Discard, Getenv: func(name string) string { return u.env[name] }}
	plan := &run.Plan{}
	for range 25 {
		plan.Actions = append(plan.Actions, run.Action{Kind: run.ActionCreate, Document: "52998224725", Row: &api.ImportRow{}})
	}
	plan.Actions = append(plan.Actions, run.Action{Kind: run.ActionDeactivate, Operation: api.Deactivate, Document: "52998224725", ProductID: 25}, run.Action{Kind: run.ActionInvalid})
	c, err := client.New(client.Options{Server: u.env["ATIVA_SERVER"], Tokens: previewToken{}})
	if err != nil {
		t.Fatal(err)
	}
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

// previewToken is the bearer token of every request.
type previewToken struct{}

func (previewToken) Bearer(context.Context) (api.Bearer, error) { return api.Bearer{Token: "t"}, nil }

func (previewToken) Renew(context.Context, string) (api.Bearer, error) {
	return api.Bearer{Token: "t"}, nil
}
