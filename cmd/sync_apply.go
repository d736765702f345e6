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
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// showPlan prints a plan that is not applied now.
func (e *env) showPlan(ctx context.Context, p *render.Printer[bulk.Action], plan *bulk.Plan, detailed bool) error {
	if err := p.Results(ctx, planDocument(plan), plan.Actions); err != nil {
		return err
	}
	switch {
	case detailed && plan.Changes() > 0:
		return &done{exitPending}
	case plan.Count(bulk.ActionRefused) > 0 && plan.Changes() == 0:
		return &done{exitPartial}
	}
	return nil
}

// planDocument is the JSON of a plan, without what identifies its requests.
func planDocument(plan *bulk.Plan) json.RawMessage {
	return asJSON(struct {
		Subscribers int           `json:"subscribers"`
		Missing     int           `json:"missing"`
		Unchanged   int           `json:"unchanged"`
		Actions     []bulk.Action `json:"actions"`
		Response    string        `json:"response"`
	}{plan.Subscribers, plan.Missing, plan.Unchanged, plan.Actions, planResponse(plan)})
}

func planResponse(plan *bulk.Plan) string {
	for _, a := range plan.Actions {
		if a.Action == bulk.ActionRefused || a.Result == api.ResultFailed {
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
	return replaceFile(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

func runSyncApply(ctx context.Context, e *env, o syncOptions) error {
	p, err := newPrinter(e, syncActions(e.cellLanguage()))
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.apply)
	if errors.Is(err, fs.ErrNotExist) {
		return usage("plan %q does not exist", o.apply)
	} else if err != nil {
		return err
	}
	var plan bulk.Plan
	if err := json.Unmarshal(data, &plan); err != nil || plan.ID == "" {
		return &failure{exit: exitInvalidInput, code: "not_a_plan", message: say("%s is not a plan of ativa sync", o.apply), err: err}
	}
	chosen, err := e.chosen()
	if err != nil {
		return err
	}
	if server := strings.TrimSuffix(chosen.Server, "/"); server != plan.Server || chosen.Name != plan.Context {
		return usage("the plan is for context %q on %s, not for %q on %s", plan.Context, plan.Server, chosen.Name, server)
	}
	e.tellPlan(&plan)
	return e.checking(ctx, func(ctx context.Context, c *client.Client) error { return e.applyPlan(ctx, c, p, &plan) })
}

// applyPlan asks, applies the plan and prints what became of it.
func (e *env) applyPlan(ctx context.Context, c *client.Client, p *render.Printer[bulk.Action], plan *bulk.Plan) error {
	if err := e.approve(say("Make %d [change|changes]?", plan.Changes()), planWords(e.lang, plan)); err != nil {
		return err
	}
	progress, err := e.newProgress("applying", "changes", plan.Changes(), false)
	if err != nil {
		return err
	}
	end := e.tellStop(ctx, progress)
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
		return &failure{exit: exitOf(applied), code: "incomplete", message: say("%d of %d [change is|changes are] not made", undone, plan.Changes()),
			hint: say("run the same command again: what is done is not done twice"), err: applied}
	case failed+refused > 0 && failed == plan.Changes():
		return &failure{exit: exitRefused, code: "refused", message: say("none of the changes was made")}
	case failed+refused > 0:
		return &done{exitPartial}
	}
	return nil
}

// planWords are the first lines of a plan for the person who is asked.
func planWords(l lang.Language, plan *bulk.Plan) []phrase {
	const shown = 20
	var all []phrase
	for _, a := range plan.Actions {
		if len(all) == shown {
			return append(all, say("and %d more", len(plan.Actions)-shown))
		}
		words := say("%s %s", say(a.Action), mask(a.Document))
		if a.ProductID != 0 {
			words = say("%s product %s", words, number(a.ProductID))
		}
		if more := strings.TrimSpace(strings.Join(a.Fields, " ") + " " + reasonWords(l, a.Reason)); more != "" {
			words = say("%s %s", words, more)
		}
		all = append(all, words)
	}
	return all
}
