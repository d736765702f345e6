package run

import (
	"cmp"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/sheet"
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
	ActionUnschedule = "unschedule" // cancels a schedule, once the awaited service is undone
	ActionDelete     = "delete"     // of a subscriber, once the awaited services have ended
	ActionRefused    = "refused"    // by the plan
	ActionInvalid    = "invalid"    // an invalid row of the file
)

// Action is one step that brings a subscriber to the state that a file describes.
type Action struct {
	Kind              string  `json:"action"` // one of the Action constants
	Document          string  `json:"document"`
	Line              int     `json:"line,omitempty"`       // the physical line of the file, 0 if the file lacks the subscriber
	ProductID         api.Int `json:"product_id,omitempty"` // the product of the action; of a change, the new product
	PreviousProductID api.Int `json:"previous_product_id,omitempty"`
	Status            string  `json:"status,omitempty"` // the current status of the service
	// Operation is the request that is sent, empty for a create, an update and a
	// change.
	Operation api.Operation `json:"operation,omitempty"`
	// Awaits are the products that replace the cancelled one, or whose services end before the
	// subscriber is deleted. The server must first have accepted the actions on
	// them.
	Awaits []api.Int `json:"awaits,omitempty"`
	// ScheduleID is the schedule that an unschedule cancels.
	ScheduleID string   `json:"schedule_id,omitempty"`
	Fields     []string `json:"fields,omitempty"` // the fields that an update changes
	Code       string   `json:"code,omitempty"`   // code of the server's refusal
	Reason     string   `json:"reason,omitempty"` // why the plan refused the action or it failed on the server, in English
	// ReasonCode is the code of a reason of the plan, AskedStatus the status that cannot be
	// reached.
	ReasonCode  string `json:"reason_code,omitempty"`
	AskedStatus string `json:"asked_status,omitempty"`

	Row *api.ImportRow `json:"row,omitempty"` // the subscriber of a create or an update
	// Problems are the faults in the row of an invalid action.
	Problems []sheet.Problem `json:"problems,omitempty"`
	// Result is one of the api.Result constants, [sheet.ResultUnknown] if no answer came, or
	// empty if the action was not sent.
	Result string `json:"result,omitempty"`
	// NextStatus and OperationID are the status of the service after the action, and the operation
	// that it began, if the server reports them.
	NextStatus  string    `json:"next_status,omitempty"`
	OperationID string    `json:"operation_id,omitempty"`
	Services    []Service `json:"services,omitempty"` // the services of a created subscriber

	held bool // not sent: an awaited action was refused, or somebody else acted first
}

// Changes reports whether the action changes anything.
func (a *Action) Changes() bool { return a.Kind != ActionRefused && a.Kind != ActionInvalid }

// step returns the entry of the action in sendOrder.
func (a *Action) step() string { return cmp.Or(string(a.Operation), a.Kind) }

// refuse turns the action into an unsent one.
func (a *Action) refuse(code, reason string) {
	a.Kind, a.Operation, a.Code, a.Reason, a.ReasonCode = ActionRefused, "", code, reason, ""
}

// setResult records the outcome of the action.
func (a *Action) setResult(r Result) {
	switch {
	case r.IsNotSent():
		return
	case r.Err != nil:
		a.Result = sheet.ResultUnknown
		return
	case r.Kind == api.ResultFailed:
		a.Code, a.Reason, a.ReasonCode = r.Code, r.Detail, ""
	case r.Kind == sheet.ResultWaiting:
		a.because(reasonWaitsForPartner)
	}
	a.Result = r.Kind
	if a.ProductID == 0 {
		a.Services = r.Services
	} else if len(r.Services) == 1 {
		service := r.Services[0]
		a.Status, a.NextStatus, a.OperationID = cmp.Or(service.Previous, a.Status), service.Status, service.OperationID
	}
}

// Plan is the actions that bring a server to the state that a file describes.
type Plan struct {
	// ID is part of the idempotency keys of the requests, so that applying a plan
	// again changes nothing twice.
	ID          string   `json:"id"`
	Server      string   `json:"server"`
	Context     string   `json:"context"`
	Subscribers int      `json:"subscribers"` // number of subscribers on the server
	Missing     int      `json:"missing"`     // counts the subscribers with services that the file lacks
	Unchanged   int      `json:"unchanged"`   // counts the rows of the file that need no action
	Actions     []Action `json:"actions"`     // in the order in which they are sent

	// unreadable means that the document of an invalid row cannot be read.
	unreadable bool
}

// Count returns the number of actions of a kind.
func (p *Plan) Count(kind string) int {
	return p.count(func(a *Action) bool { return a.Kind == kind })
}

// Changes returns the number of actions that change anything.
func (p *Plan) Changes() int { return p.count((*Action).Changes) }

func (p *Plan) count(ok func(*Action) bool) int {
	n := 0
	for i := range p.Actions {
		if ok(&p.Actions[i]) {
			n++
		}
	}
	return n
}

// sendOrder returns the steps of a plan, by operation or kind. Cancellations and deletions are sent
// when everything they await has a result. Unsent actions come last.
func sendOrder() []string {
	return []string{ActionCreate, ActionUpdate, ActionChange, string(api.Activate), string(api.Settle), string(api.Suspend), string(api.Overdue), string(api.Deactivate), ActionUnschedule, ActionDelete,
		ActionRefused, ActionInvalid}
}

// sort sorts the actions by sendOrder, operations also by product, and otherwise keeps the order
// of the file.
func (p *Plan) sort() {
	order := sendOrder()
	slices.SortStableFunc(p.Actions, func(a, b Action) int {
		if by := cmp.Compare(slices.Index(order, a.step()), slices.Index(order, b.step())); by != 0 || a.Operation == "" {
			return by
		}
		return cmp.Compare(a.ProductID, b.ProductID)
	})
}

// group is a part of the actions of a sorted plan that can share requests.
type group struct {
	step    string
	product api.Int // 0 for steps that are not operations
	first   int     // index of the first action
	actions []Action
}

// groups yields the groups of a sorted plan that are sent. The caller may refuse actions of a
// group before it asks for the next group.
func (p *Plan) groups() iter.Seq[group] {
	return func(yield func(group) bool) {
		for first := 0; first < len(p.Actions); {
			g := group{step: p.Actions[first].step(), first: first}
			if !p.Actions[first].Changes() {
				return
			}
			if p.Actions[first].Operation != "" {
				g.product = p.Actions[first].ProductID
			}
			end := first + 1
			for end < len(p.Actions) && p.Actions[end].step() == g.step && (g.product == 0 || p.Actions[end].ProductID == g.product) {
				end++
			}
			g.actions = p.Actions[first:end]
			if !yield(g) {
				return
			}
			first = end
		}
	}
}

// rows yields the actions of the group that are to be sent as rows. The line of a row is the
// number of its action in the plan, from 1.
func (g group) rows() iter.Seq2[*sheet.Row, error] {
	return func(yield func(*sheet.Row, error) bool) {
		for i := range g.actions {
			a := &g.actions[i]
			if !a.Changes() || a.Result != "" {
				continue
			}
			row := &sheet.Row{Line: g.first + i + 1}
			if a.Row != nil {
				row.ImportRow = *a.Row
			}
			row.Document = a.Document
			if !yield(row, nil) {
				return
			}
		}
	}
}

// action returns the action of a row.
func (g group) action(row *sheet.Row) *Action { return &g.actions[row.Line-1-g.first] }
