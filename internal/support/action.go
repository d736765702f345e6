package support

import (
	"cmp"
	"slices"
	"time"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
)

// scopeOf returns the scope that a token needs for an operation (decisions.md 11).
func scopeOf(op api.Operation) api.Scope {
	switch op {
	case lifecycle.Resend:
		return api.ScopeManage
	case api.Deactivate:
		return api.ScopeCancel
	}
	return api.ScopeProvision
}

// Step is one operation on one service of a subscriber.
type Step struct {
	Operation api.Operation
	Document  string
	Name      string      // of the subscriber
	Product   api.Product // of the service
	To        api.Product // after a change
	Before    string      // the status of the service; empty without a service
	Again     bool        // it retries what failed
	// TakesBack is the recent operation that this step undoes; empty for none.
	TakesBack api.Operation
	// At is the execution time, zero for at once; Until is when its effect ends, zero for
	// never. Both are in the person's time zone.
	At, Until time.Time
}

// UndoSuspension returns the step that undoes a recent suspension of service i, and whether it is
// allowed now. made is the operation that suspended it.
func (o *Overview) UndoSuspension(i int, made api.Operation) (Step, bool) {
	inverse := map[api.Operation]api.Operation{api.Suspend: api.Activate, api.Overdue: api.Settle}[made]
	s, allowed := o.step(i, inverse)
	s.TakesBack = made
	return s, allowed && !lifecycle.Ended(o.Subscriber.Services[i].StatusID)
}

// step returns the step of an operation on service i, and whether it is allowed now.
func (o *Overview) step(i int, op api.Operation) (Step, bool) {
	steps := o.Steps(i)
	at := slices.IndexFunc(steps, func(s Step) bool { return s.Operation == op })
	if at < 0 {
		return Step{}, false
	}
	return steps[at], true
}

// Steps returns the operations allowed by the service's status, product, server and token scopes,
// in display order. A change has no target yet: see [Overview.ChangeTargets].
func (o *Overview) Steps(i int) []Step {
	s := o.Subscriber.Services[i]
	failed := failedStatus(o.statusChangesOf(i))
	var steps []Step
	for _, op := range lifecycle.Offered(s.StatusID, failed) {
		if o.InScope(op) && o.allows(i, op, failed) {
			steps = append(steps, Step{Operation: op, Document: o.Document, Name: o.Subscriber.Name, Product: o.productOf(s), Before: s.Status,
				Again: s.StatusID == api.StatusError && op == cmp.Or(lifecycle.Of(failed).UnderWay, api.Activate)})
		}
	}
	return steps
}

// Activations returns the activations of products that the subscriber lacks. Only the server
// knows conflicts within a family: see [Overview.CheckActivations].
func (o *Overview) Activations() []Step {
	var steps []Step
	for _, p := range o.Products {
		s, has := api.NewestService(o.Subscriber.Services, p.ID)
		if has && !lifecycle.Ended(s.StatusID) || !bool(p.Active) || !slices.Contains(p.Can, api.CanActivate) || !o.InScope(api.Activate) || o.refused[replacement{0, p.ID}] {
			continue
		}
		steps = append(steps, Step{Operation: api.Activate, Document: o.Document, Name: o.Subscriber.Name, Product: p})
	}
	return steps
}

// ChangeTargets returns the products that a service may be changed to. Only the server knows the
// families: see [Overview.CheckChanges].
func (o *Overview) ChangeTargets(i int) []api.Product {
	var targets []api.Product
	from := o.Subscriber.Services[i].ProductID
	for _, p := range o.Products {
		s, has := api.NewestService(o.Subscriber.Services, p.ID)
		if (!has || lifecycle.Ended(s.StatusID)) && bool(p.Active) && slices.Contains(p.Can, api.CanChangeTo) && !o.refused[replacement{from, p.ID}] {
			targets = append(targets, p)
		}
	}
	return targets
}

// Meant returns the candidates for an omitted product (cli.md, Commands): the products of the live
// services to which the operation applies, for a change those that can change to the product to, or
// have changed to it; if there are none, those of all live services.
func (o *Overview) Meant(op api.Operation, to api.Int) []api.Product {
	var live, meant []api.Product
	for i, s := range o.Subscriber.Services {
		if lifecycle.Ended(s.StatusID) {
			continue
		}
		live = append(live, o.productOf(s))
		_, applies := o.step(i, op)
		if op == api.Change {
			isTo := func(p api.Product) bool { return p.ID == to }
			applies = isTo(o.productOf(s)) || applies && slices.ContainsFunc(o.ChangeTargets(i), isTo)
		}
		if applies {
			meant = append(meant, o.productOf(s))
		}
	}
	if len(meant) > 0 {
		return meant
	}
	return live
}

// productOf returns the product of a service, or one with the code and name of the service if the
// server does not list it.
func (o *Overview) productOf(s api.Service) api.Product {
	p, _ := o.Product(s.ProductID)
	p.ID, p.Code, p.Name = s.ProductID, cmp.Or(p.Code, s.ProductCode), cmp.Or(p.Name, s.ProductName)
	return p
}

// allows reports whether product and server allow the operation. failed is the status in
// which the last operation failed, 0 for none.
func (o *Overview) allows(i int, op api.Operation, failed api.Int) bool {
	s := o.Subscriber.Services[i]
	switch {
	case op == api.Overdue && (!o.Catalog.Overdue || !o.can(s.ProductID, api.CanSuspend)), op == api.Settle && !o.Catalog.Overdue:
		return false
	case op == api.Suspend && !o.can(s.ProductID, api.CanSuspend), op == api.Deactivate && !o.can(s.ProductID, api.CanDeactivate):
		return false
	case op == api.Change:
		return o.can(s.ProductID, api.CanChangeFrom) && len(o.ChangeTargets(i)) > 0
	case op == lifecycle.Resend:
		return o.ResendProduct || o.onlyResendable(i)
	case op != api.Activate:
		return true
	case lifecycle.Ended(s.StatusID):
		return !o.hasLater(i) && o.can(s.ProductID, api.CanActivate)
	case lifecycle.Next(s.StatusID, api.Activate) == api.StatusReactivated, lifecycle.Of(failed).UnderWay != "" && failed != api.StatusInProgress:
		return o.can(s.ProductID, api.CanReactivate)
	}
	return true
}

// can reports whether the product permits the action. For a product that the server does not list
// it returns true and leaves the decision to the server.
func (o *Overview) can(product api.Int, action string) bool {
	p, listed := o.Product(product)
	return !listed || slices.Contains(p.Can, action)
}

// InScope reports whether the token permits the operation, as far as the server says.
func (c *Catalog) InScope(op api.Operation) bool {
	return len(c.Scopes) == 0 || slices.Contains(c.Scopes, scopeOf(op))
}

// onlyResendable reports whether a resend for the whole subscriber would mail only this
// service, as [client.Client.ResendActivationEmailOf] requires.
func (o *Overview) onlyResendable(i int) bool {
	for j, s := range o.Subscriber.Services {
		if (j == i) != lifecycle.Mailed(s.StatusID) {
			return false
		}
	}
	return true
}
