package bulk

import (
	"ativa/internal/api"
)

// Words of what a sync does (cli.md, Sync).
const (
	ActionCreate     = "create"
	ActionUpdate     = "update"
	ActionActivate   = "activate"
	ActionChange     = "change"
	ActionSuspend    = "suspend"
	ActionReactivate = "reactivate"
	ActionDeactivate = "deactivate"
	ActionRefused    = "refused"
)

// Action is one step that brings a subscriber to what a file wishes.
type Action struct {
	Kind     string `json:"action"`
	Document string `json:"document"`
	// Line is the physical line that wishes it, 0 when the file lacks the
	// subscriber.
	Line int `json:"line,omitempty"`
	// ProductID is the product that is acted on; with a change, the new one.
	ProductID         api.Int `json:"product_id,omitempty"`
	PreviousProductID api.Int `json:"previous_product_id,omitempty"`
	// Status is the one that the service has now.
	Status string `json:"status,omitempty"`
	// Operation is what brings it about, other than a change.
	Operation api.Operation `json:"operation,omitempty"`
	// Awaits are the products that the file wishes in place of one that is
	// cancelled: it is cancelled once the server has accepted what was to be
	// done about them.
	Awaits []api.Int `json:"awaits,omitempty"`
	// Fields are those that an update changes.
	Fields []string `json:"fields,omitempty"`
	// Reason says why it is refused, or that the server refused it.
	Reason string `json:"reason,omitempty"`
	// Row is the subscriber of a create, and of an update.
	Row *api.ImportRow `json:"row,omitempty"`
	// Result is empty until the action was sent; then a result word of the API.
	Result string `json:"result,omitempty"`
}

// Changes tells that the action does something.
func (a Action) Changes() bool { return a.Kind != ActionRefused }

// Plan is what a sync is going to do.
type Plan struct {
	// ID makes the keys of its requests: a plan that is run again does nothing
	// twice.
	ID      string `json:"id"`
	Server  string `json:"server"`
	Context string `json:"context"`
	// Subscribers is how many there are now, Unchanged how many of the file are
	// as it wishes.
	Subscribers int `json:"subscribers"`
	// Missing are the subscribers with services that the file lacks.
	Missing   int      `json:"missing"`
	Unchanged int      `json:"unchanged"`
	Actions   []Action `json:"actions"`
}

// Count is how many actions of the plan have the word.
func (p *Plan) Count(word string) int {
	n := 0
	for _, a := range p.Actions {
		if a.Kind == word {
			n++
		}
	}
	return n
}

// Changes is how many actions of the plan do something.
func (p *Plan) Changes() int { return len(p.Actions) - p.Count(ActionRefused) }
