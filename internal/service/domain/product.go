package domain

import "strings"

// Action is a set of actions that a product allows.
type Action uint8

// The actions of api.md, in its order.
const (
	CanActivate Action = 1 << iota
	CanReactivate
	CanChangeTo
	CanChangeFrom
	CanSuspend
	CanDeactivate

	CanAll = CanActivate | CanReactivate | CanChangeTo | CanChangeFrom | CanSuspend | CanDeactivate
)

func actionNames() []string {
	return []string{"activate", "reactivate", "change_to_this_product", "change_from_this_product", "suspend", "deactivate"}
}

// Names returns the API names of the actions, in the order of api.md.
func (a Action) Names() []string { return namesOf(a, actionNames()) }

// ParseActions returns the set of the named actions. The error names the first
// unknown one.
func ParseActions(names []string) (Action, error) {
	all, unknown := setOf[Action](names, actionNames())
	if unknown >= 0 {
		return 0, RefusalOf("", names[unknown], ValidationFailed, "no action has this name")
	}
	return all, nil
}

// Product is what providers sell to subscribers.
type Product struct {
	ID      int
	Name    string
	Code    string
	Family  string // products of one family replace each other; "" is none
	Active  bool
	Can     Action
	Partner PartnerID // who carries out operations; 0 is none

	// Instructions is plain text for subscribers, and HelpURL has more. Both may be empty, and are in
	// an Offer that a unit of work reads.
	Instructions, HelpURL string

	// RequestsActivation reports whether the partner also receives a request for activations. It
	// is set on reads.
	RequestsActivation bool
}

// Replaces reports whether a service of old may be changed to p (decisions.md 8, Family).
func (p Product) Replaces(old Product) bool {
	return p.Family != "" && p.Family == old.Family && p.ID != old.ID && p.Active &&
		p.Can&CanChangeTo != 0 && old.Can&CanChangeFrom != 0
}

// InstructionLines are the lines of the instructions; none without instructions.
func (p *Product) InstructionLines() []string {
	if p.Instructions == "" {
		return nil
	}
	return strings.Split(p.Instructions, "\n")
}

// Offer is a product as one provider sees it.
type Offer struct {
	Product
	Granted bool // the provider may sell it
}
