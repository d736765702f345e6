package run_test

import (
	"strings"
	"testing"

	"ativa/internal/run"
)

// A plan that was damaged, or edited so that it would send something else than it shows, is
// refused as a whole.
func TestAPlanIsAppliedOnlyAsItIsShown(t *testing.T) {
	const create = `{"action":"create","document":"52998224725","row":{"name":"Ana","document":"52998224725","products_ids":[1]}}`
	const cancel = `{"action":"deactivate","document":"52998224725","product_id":1,"operation":"deactivate"}`
	plan := func(actions string) string {
		return `{"id":"plan","server":"https://example.com","context":"alfa","actions":[` + actions + `]}`
	}
	whole := plan(create + "," + cancel + `,{"action":"refused","document":""},{"action":"invalid","document":"","problems":[{"code":"required"}]}`)
	if p, err := run.ParsePlan("plan.json", []byte(whole)); err != nil || len(p.Actions) != 4 {
		t.Fatalf("got %+v, %v, want 4 actions", p, err)
	}
	for name, file := range map[string]string{
		"empty":                    ``,
		"truncated":                whole[:len(whole)/2],
		"followed by another":      whole + whole,
		"no plan":                  `{}`,
		"without actions":          `{"id":"plan","server":"https://example.com"}`,
		"an unknown field":         plan(strings.Replace(cancel, `"operation"`, `"operations"`, 1)),
		"an unknown action":        plan(strings.Replace(cancel, `"action":"deactivate"`, `"action":"explode"`, 1)),
		"a deletion":               plan(`{"action":"delete","document":"52998224725"}`),
		"a hidden cancellation":    plan(strings.Replace(cancel, `"action":"deactivate"`, `"action":"suspend"`, 1)),
		"an action without a part": plan(strings.Replace(cancel, `"product_id":1,`, ``, 1)),
		"a hidden operation":       plan(strings.Replace(create, `"row"`, `"operation":"deactivate","row"`, 1)),
		"another subscriber":       plan(strings.Replace(create, "52998224725", "11144477735", 1)),
		"no subscriber":            plan(`{"action":"create","document":"52998224725"}`),
		"an update of nothing":     plan(strings.Replace(create, "create", "update", 1)),
		"a change from nothing":    plan(`{"action":"change","document":"52998224725","product_id":1}`),
		"a wrong document":         plan(strings.Replace(cancel, "52998224725", "52998224726", 1)),
		"an invalid row":           plan(`{"action":"invalid","document":"52998224725"}`),
	} {
		if p, err := run.ParsePlan("plan.json", []byte(file)); !isFailure(err, "not_a_plan") {
			t.Errorf("%s: got %+v, %v, want not_a_plan", name, p, err)
		}
	}
}
