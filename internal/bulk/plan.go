package bulk

import (
	"cmp"
	"strconv"

	"ativa/internal/api"
)

// Kinds of actions (cli.md, Sync).
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

// Action is one step that brings a subscriber to the state that a file describes.
type Action struct {
	Kind              string  `json:"action"` // one of the Action constants
	Document          string  `json:"document"`
	Line              int     `json:"line,omitempty"`       // the physical line of the file, 0 when the file lacks the subscriber
	ProductID         api.Int `json:"product_id,omitempty"` // the product of the action; of a change, the new product
	PreviousProductID api.Int `json:"previous_product_id,omitempty"`
	Status            string  `json:"status,omitempty"` // the current status of the service
	// Operation is the request that is sent, empty for a create, an update and a
	// change.
	Operation api.Operation `json:"operation,omitempty"`
	// Awaits are the products that take the place of the one that is cancelled.
	// The server must have accepted the actions on them first.
	Awaits []api.Int      `json:"awaits,omitempty"`
	Fields []string       `json:"fields,omitempty"` // those that an update changes
	Reason string         `json:"reason,omitempty"` // says why the action was refused by the plan or failed on the server
	Row    *api.ImportRow `json:"row,omitempty"`    // the subscriber of a create or an update
	Result string         `json:"result,omitempty"` // one of the api.Result constants, or empty until the server answered
	// NextStatus and OperationID are the status of the service after the action, and the
	// operation that it began, where the server names them.
	NextStatus  string `json:"next_status,omitempty"`
	OperationID string `json:"operation_id,omitempty"`
}

// Changes reports whether the action changes anything.
func (a Action) Changes() bool { return a.Kind != ActionRefused }

// Plan is the actions that bring a server to the state that a file describes.
type Plan struct {
	// ID is part of the idempotency keys of the requests, so that applying a plan
	// again changes nothing twice.
	ID          string   `json:"id"`
	Server      string   `json:"server"`
	Context     string   `json:"context"`
	Subscribers int      `json:"subscribers"` // counts those of the server
	Missing     int      `json:"missing"`     // counts the subscribers with services that the file lacks
	Unchanged   int      `json:"unchanged"`   // counts the rows of the file that need no action
	Actions     []Action `json:"actions"`

	Journal *Journal `json:"-"` // notes the requests, by the number of the action from 1; nil notes nothing
}

// Count returns the number of actions of a kind.
func (p *Plan) Count(kind string) int { return len(p.indexesOf(kind)) }

// Changes returns the number of actions that change anything.
func (p *Plan) Changes() int { return len(p.Actions) - p.Count(ActionRefused) }

// indexes returns the indexes of the actions for which ok is true.
func (p *Plan) indexes(ok func(Action) bool) []int {
	var all []int
	for i, a := range p.Actions {
		if ok(a) {
			all = append(all, i)
		}
	}
	return all
}

func (p *Plan) indexesOf(kind string) []int {
	return p.indexes(func(a Action) bool { return a.Kind == kind })
}

// key returns the idempotency key of the n-th request of a phase.
func (p *Plan) key(phase string, n int) string { return p.ID + "." + phase + strconv.Itoa(n) }

func (p *Plan) setResults(indexes []int, results []Result) error {
	for n, i := range indexes {
		r := results[n]
		if r.Err != nil {
			return r.Err
		}
		a := &p.Actions[i]
		a.Result = r.Kind
		if r.Kind == api.ResultFailed {
			a.Reason = r.reason()
		}
		if len(r.Services) == 1 && a.ProductID != 0 {
			service := r.Services[0]
			a.Status, a.NextStatus, a.OperationID = cmp.Or(service.Previous, a.Status), service.Status, service.OperationID
		}
	}
	return nil
}
