package cmd

import (
	"fmt"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

func planActions(l lang.Language) render.Schema[run.Action] {
	return render.Schema[run.Action]{One: "action", Many: "actions", Columns: []render.Column[run.Action]{
		{Name: "action", Kind: render.Word, Value: func(a run.Action) string { return a.Kind }},
		{Name: "document", Kind: render.Document, Value: func(a run.Action) string { return a.Document }},
		{Name: "product_id", Title: "product", Kind: render.Number, Value: func(a run.Action) string { return strings.Join(cli.Map(productsOf(a), number), ", ") }},
		{Name: "previous_product_id", Title: "from", Kind: render.Number, Value: func(a run.Action) string { return numberOrEmpty(a.PreviousProductID) }},
		{Name: "status", Title: "now", Kind: render.Status, Value: func(a run.Action) string { return a.Status }},
		{Name: "fields", Value: func(a run.Action) string {
			return strings.Join(cli.Map(a.Fields, func(field string) string { return fieldName(l, field) }), " ")
		}},
		{Name: "result", Kind: render.Word, Priority: 1, Value: func(a run.Action) string { return a.Result }},
		{Name: "reason", Kind: render.Prose, Priority: 1, Value: func(a run.Action) string { return reasonText(l, a) }},
		{Name: "line", Kind: render.Number, Value: func(a run.Action) string { return numberOrEmpty(api.Int(a.Line)) }},
	}, JSON: cli.ToJSON[run.Action]}
}

// productsOf returns the products of an action; for a new subscriber all activated ones.
func productsOf(a run.Action) []api.Int {
	switch {
	case a.Kind == run.ActionCreate && a.Row != nil:
		return a.Row.ProductsIDs
	case a.ProductID == 0:
		return nil
	}
	return []api.Int{a.ProductID}
}

// noticePlan prints the number of actions of each kind.
func noticePlan(e *cli.Env, plan *run.Plan) {
	var parts []string
	for _, a := range []struct{ kind, word string }{
		{run.ActionCreate, e.Text("create")}, {run.ActionUpdate, e.Text("update")}, {run.ActionActivate, e.Text("activate")},
		{run.ActionChange, e.Text("change")}, {run.ActionSuspend, e.Text("suspend")}, {run.ActionReactivate, e.Text("reactivate")},
		{run.ActionDeactivate, e.Text("deactivate")}, {run.ActionUnschedule, e.Text("unschedule")}, {run.ActionDelete, e.Text("delete")}, {run.ActionRefused, e.Text("refused")},
	} {
		if n := plan.Count(a.kind); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, a.word))
		}
	}
	if n := plan.Count(run.ActionInvalid); n > 0 {
		parts = append(parts, e.Text("%d invalid", n))
	}
	parts = append(parts, e.Text("%d unchanged", plan.Unchanged))
	e.Notice("plan: %s", strings.Join(parts, ", "))
}

// reasonText returns why an action was not done: problems of an invalid row, the plan's reason, or
// the server's refusal.
func reasonText(l lang.Language, a run.Action) string {
	if len(a.Problems) > 0 {
		return strings.Join(cli.Map(a.Problems, func(p sheet.Problem) string { return p.ReasonText(l) }), "; ")
	}
	return a.ReasonMessage().Text(l)
}
