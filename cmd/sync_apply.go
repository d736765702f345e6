package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
)

// showPlan prints a plan that is not applied now.
func showPlan(ctx context.Context, e *cli.Env, p *render.Printer[bulk.Action], plan *bulk.Plan, detailed bool) error {
	if err := p.Results(ctx, planDocument(plan), plan.Actions); err != nil {
		return err
	}
	switch {
	case detailed && plan.Changes() > 0:
		return &cli.SilentExit{Code: cli.ExitPending}
	case plan.Count(bulk.ActionRefused) > 0 && plan.Changes() == 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	return nil
}

// suggestSync names the command that leads on: after a dry run that which makes the
// changes, after these another dry run, which shows what is still to be done.
func suggestSync(e *cli.Env, o syncOptions, plan *bulk.Plan) {
	switch {
	case plan.Changes() == 0 || o.planFile != "" || o.file == "-" || o.apply != "":
	case o.dryRun:
		e.Next(e.Typed(dryRunFlags()))
	default:
		e.Next(e.Typed([]string{"-y", "--yes"}, "--dry-run"))
	}
}

// planDocument is the JSON of a plan, without what identifies its requests.
func planDocument(plan *bulk.Plan) json.RawMessage {
	return cli.ToJSON(struct {
		Subscribers int           `json:"subscribers"`
		Missing     int           `json:"missing"`
		Unchanged   int           `json:"unchanged"`
		Actions     []bulk.Action `json:"actions"`
		Response    string        `json:"response"`
	}{plan.Subscribers, plan.Missing, plan.Unchanged, plan.Actions, planResponse(plan)})
}

func planResponse(plan *bulk.Plan) string {
	for _, a := range plan.Actions {
		if a.Kind == bulk.ActionRefused || a.Result == api.ResultFailed {
			return api.ResponsePartial
		}
	}
	return api.ResponseSuccess
}

// writePlan keeps a plan, which holds personal data.
func writePlan(path string, plan *bulk.Plan) error {
	data, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return err
	}
	return cli.ReplaceFile(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

func runSyncApply(ctx context.Context, e *cli.Env, o syncOptions) error {
	p, err := cli.NewPrinter(e, syncActions(e.CellLanguage()))
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.apply)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usage("plan %q does not exist", o.apply)
	} else if err != nil {
		return err
	}
	var plan bulk.Plan
	if err := json.Unmarshal(data, &plan); err != nil || plan.ID == "" {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "not_a_plan", Message: cli.Msg("%s is not a plan of ativa sync", o.apply), Err: err}
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	if server := strings.TrimSuffix(chosen.Server, "/"); server != plan.Server || chosen.Name != plan.Context {
		return cli.Usage("the plan is for context %q on %s, not for %q on %s", plan.Context, plan.Server, chosen.Name, server)
	}
	noticePlan(e, &plan)
	return e.WithUnconfirmedClient(ctx, func(ctx context.Context, c *client.Client) error { return applyPlan(ctx, e, c, p, &plan) })
}

// applyPlan asks, applies the plan and prints what became of it.
func applyPlan(ctx context.Context, e *cli.Env, c *client.Client, p *render.Printer[bulk.Action], plan *bulk.Plan) error {
	if err := confirmPlan(ctx, e, c, plan); err != nil {
		return err
	}
	progress, err := e.NewProgress("applying", "changes", plan.Changes(), false)
	if err != nil {
		return err
	}
	end := e.NoticeStop(ctx, progress)
	applied := plan.Apply(ctx, c, func(n int) { progress.Add(n) })
	end()
	progress.Close()
	if err := p.Results(context.WithoutCancel(ctx), planDocument(plan), plan.Actions); err != nil {
		return err
	}
	failed, undone := 0, 0
	for _, a := range plan.Actions {
		switch {
		case a.Result == api.ResultFailed:
			failed++
		case a.Changes() && a.Result == "":
			undone++
		}
	}
	switch refused := plan.Count(bulk.ActionRefused); {
	case applied != nil:
		return &cli.Failure{Exit: exitOf(applied), Code: "incomplete", Message: cli.Msg("%d of %d [change is|changes are] not made", undone, plan.Changes()),
			Hint: cli.HintOfStop(applied, cli.Msg("run the same command again: what is done is not done twice")), Err: applied}
	case failed+refused > 0 && failed == plan.Changes():
		return &cli.Failure{Exit: cli.ExitRefused, Code: "refused", Message: cli.Msg("none of the changes was made")}
	case failed+refused > 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	return nil
}
