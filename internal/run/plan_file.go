package run

import (
	"bytes"
	"encoding/json"
	"slices"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// ParsePlan reads the plan of a sync from the data of a file, which somebody may have edited. It
// returns an error unless every action is one that a sync plans and is sent as it is shown.
func ParsePlan(file string, data []byte) (*Plan, error) {
	refuse := func(english string, args ...any) error {
		return &failure.Failure{Exit: failure.ExitInvalidInput, Code: "not_a_plan", Message: lang.Msg(english, args...),
			Hint: lang.Msg("actions may be taken out of a plan, but not changed; --plan-file makes a new one")}
	}
	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil || d.More() || p.ID == "" || p.Actions == nil {
		return nil, refuse("%s is not a plan of ativa sync; nothing was sent", file)
	}
	for i := range p.Actions {
		if !p.Actions[i].isPlanned() {
			return nil, refuse("action %d of %s is not as ativa sync plans it; nothing was sent", i+1, file)
		}
	}
	return p, nil
}

// isPlanned reports whether the action is complete, and its kind says what is sent.
func (a *Action) isPlanned() bool {
	row := a.Operation == "" && a.Row != nil && a.Row.Document == a.Document
	ok := false
	switch a.Kind {
	case ActionRefused:
		return true
	case ActionInvalid: // its document may be unreadable
		return len(a.Problems) > 0
	case ActionCreate:
		ok = row
	case ActionUpdate:
		ok = row && len(a.Fields) > 0
	case ActionChange:
		ok = a.Operation == "" && a.ProductID > 0 && a.PreviousProductID > 0
	case ActionActivate, ActionReactivate:
		ok = a.sends(api.Activate, api.Settle)
	case ActionSuspend:
		ok = a.sends(api.Suspend, api.Overdue)
	case ActionDeactivate:
		ok = a.sends(api.Deactivate)
	}
	_, err := cpf.Parse(a.Document)
	return ok && err == nil
}

// sends reports whether the action is one of the operations, on a product.
func (a *Action) sends(operations ...api.Operation) bool {
	return a.ProductID > 0 && slices.Contains(operations, a.Operation)
}
