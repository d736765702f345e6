package run

import (
	"context"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// Planner compares a file with the subscribers of a server.
type Planner struct {
	Client   *client.Client
	Products []api.Product
	// HasProducts reports whether the file has a column of products. Without one the services keep
	// their products.
	HasProducts bool
	// AllowDeactivate cancels services that the file lacks and, if it has a column of products,
	// all services of subscribers that it lacks.
	AllowDeactivate bool

	changeable map[[2]api.Int]bool // see canChange
	hasOverdue bool                // the server has the operations overdue and settle
}

// Plan reads all subscribers of the server and all rows, and adds the actions to the plan. It
// refuses actions that a dry run on the server refuses. The subscriber of an invalid row is left
// unchanged.
func (p *Planner) Plan(ctx context.Context, rows iter.Seq2[*sheet.Row, error], plan *Plan) (err error) {
	p.changeable = map[[2]api.Int]bool{}
	if p.hasOverdue, err = p.Client.HasExtension(ctx, api.ExtOverdue); err != nil {
		return err
	}
	current := map[string]*api.Subscriber{} // by document
	for s, err := range p.Client.Subscribers(ctx) {
		if err != nil {
			return err
		}
		one := s.Value
		current[cpf.OnlyDigits(one.Document)] = &one
	}
	plan.Subscribers = len(current)
	for row, err := range rows {
		if err != nil {
			return err
		}
		switch before := len(plan.Actions); {
		case len(row.Problems) > 0:
			delete(current, plan.leaveOut(row))
		case row.OK():
			row.Trim()
			if err := p.planRow(ctx, plan, row, current[row.Document]); err != nil {
				return err
			}
			if len(plan.Actions) == before {
				plan.Unchanged++
			}
			delete(current, row.Document)
		}
	}
	p.planMissing(plan, current)
	return plan.complete(ctx, p.Client)
}

// leaveOut adds an invalid row and returns its document, empty if unreadable.
func (p *Plan) leaveOut(row *sheet.Row) string {
	document := row.Report(lang.Codes).Document
	p.unreadable = p.unreadable || document == ""
	p.Actions = append(p.Actions, Action{Kind: ActionInvalid, Document: document, Line: row.Line, Problems: row.Problems})
	return document
}

// LeavesMissing reports whether subscribers that the file lacks keep their services because of an
// invalid row without a readable document: it may be the row of any of them.
func (p *Plan) LeavesMissing() bool { return p.unreadable && p.Missing > 0 }

// planMissing plans the actions for the subscribers that the file lacks.
func (p *Planner) planMissing(plan *Plan, missing map[string]*api.Subscriber) {
	var documents []string
	for d, s := range missing {
		if slices.ContainsFunc(s.Services, isLive) {
			documents = append(documents, d)
		}
	}
	plan.Missing = len(documents)
	if !p.AllowDeactivate || !p.HasProducts || plan.unreadable {
		return
	}
	slices.Sort(documents)
	for _, d := range documents {
		for _, s := range missing[d].Services {
			plan.Actions = append(plan.Actions, p.planDeactivation(Action{Document: d}, s, reasonFileLacksSubscriber)...)
		}
	}
}

// planRow plans the actions for a row. s is its subscriber, nil for a new one.
func (p *Planner) planRow(ctx context.Context, plan *Plan, row *sheet.Row, s *api.Subscriber) error {
	base, sent := Action{Document: row.Document, Line: row.Line}, row.ImportRow // the plan keeps only what is sent in memory
	if s == nil {
		if row.Status != "" && row.Status != statusActive {
			sent.ProductsIDs = nil
		}
		registered := base
		registered.Kind, registered.Row = ActionCreate, &sent
		plan.Actions = append(plan.Actions, registered)
		if row.Status != statusCanceled {
			for _, product := range row.ProductsIDs[len(sent.ProductsIDs):] {
				plan.Actions = append(plan.Actions, planActivation(base, product, row.Status))
			}
		}
		return nil
	}
	if fields := differs(row, s); len(fields) > 0 {
		update := base
		update.Kind, update.Fields, update.Row = ActionUpdate, fields, &sent
		plan.Actions = append(plan.Actions, update)
	}
	actions, err := p.planServices(ctx, base, row, s.Services)
	plan.Actions = append(plan.Actions, actions...)
	return err
}

// Statuses that a file can ask for.
const (
	statusActive   = "active"
	statusSuspend  = "suspend"
	statusOverdue  = "overdue"
	statusCanceled = "canceled"
)

// planServices returns the actions that bring the services of a subscriber to
// what the row asks for. base is an action without a kind.
func (p *Planner) planServices(ctx context.Context, base Action, row *sheet.Row, services []api.Service) ([]Action, error) {
	live := slices.DeleteFunc(slices.Clone(services), func(s api.Service) bool { return !isLive(s) })
	var missing []api.Int      // products that the subscriber lacks
	var unwanted []api.Service // services of products that the row lacks
	var actions []Action
	for _, s := range live {
		switch {
		case row.Status == statusCanceled || p.HasProducts && !slices.Contains(row.ProductsIDs, s.ProductID):
			unwanted = append(unwanted, s)
		default:
			for _, a := range planStatus(base, s, row.Status) {
				if !p.hasOverdue && (a.Operation == api.Overdue || a.Operation == api.Settle) {
					a.refuseBecause(reasonServerLacksOverdue)
				}
				actions = append(actions, a)
			}
		}
	}
	if p.HasProducts && row.Status != statusCanceled {
		for _, product := range row.ProductsIDs {
			if !slices.ContainsFunc(live, func(s api.Service) bool { return s.ProductID == product }) {
				missing = append(missing, product)
			}
		}
	}
	changes, missing, unwanted, err := p.planChanges(ctx, base, missing, unwanted)
	if err != nil {
		return nil, err
	}
	actions = append(actions, changes...)
	for _, product := range missing {
		actions = append(actions, planActivation(base, product, row.Status))
	}
	reason := reasonFileSaysCanceled
	if row.Status != statusCanceled {
		base.Awaits, reason = row.ProductsIDs, reasonFileLacksProduct
	}
	for _, s := range unwanted {
		actions = append(actions, p.planDeactivation(base, s, reason)...)
	}
	return actions, nil
}

// planChanges changes unwanted services to missing products if that is possible. It returns the
// products still missing and the services left.
func (p *Planner) planChanges(ctx context.Context, base Action, missing []api.Int, unwanted []api.Service) (actions []Action, unreplaced []api.Int, left []api.Service, err error) {
	for _, product := range missing {
		found := -1
		for i, s := range unwanted {
			if lifecycle.Next(s.StatusID, api.Change) == 0 {
				continue
			}
			ok, err := p.canChange(ctx, base.Document, s.ProductID, product)
			if err != nil {
				return nil, nil, nil, err
			}
			if ok {
				found = i
				break
			}
		}
		if found < 0 {
			unreplaced = append(unreplaced, product)
			continue
		}
		a := base
		a.Kind, a.ProductID, a.PreviousProductID, a.Status = ActionChange, product, unwanted[found].ProductID, unwanted[found].Status
		actions = append(actions, a)
		unwanted = slices.Delete(slices.Clone(unwanted), found, found+1)
	}
	return actions, unreplaced, unwanted, nil
}

// refusesProducts are the codes that refuse a change because of its products, for any subscriber.
var refusesProducts = []string{api.CodeNotReplaceable, api.CodeActionNotAllowed, api.CodeProductInactive, api.CodeUnknownProduct}

// canChange reports whether one product may replace the other for the subscriber. The list of products
// does not say which may replace each other, so canChange asks a server with dry runs once for each
// pair, and again after a refusal because of the subscriber.
func (p *Planner) canChange(ctx context.Context, document string, from, to api.Int) (bool, error) {
	pair := [2]api.Int{from, to}
	if can, ok := p.changeable[pair]; ok {
		return can, nil
	}
	can := p.productCan(from, api.CanChangeFrom) && p.productCan(to, api.CanChangeTo)
	validates, err := p.Client.HasExtension(ctx, api.ExtValidate)
	if err != nil {
		return false, err
	}
	if can && validates {
		_, err := p.Client.ValidateChange(ctx, api.ChangeRequest{ProductID: to, PreviousProductID: from, Document: document})
		if e, ok := refused(err); ok {
			if !slices.Contains(refusesProducts, e.Code) {
				return false, nil
			}
			can = false
		} else if err != nil {
			return false, err
		}
	}
	p.changeable[pair] = can
	return can, nil
}

func (p *Planner) productCan(product api.Int, action string) bool {
	return slices.ContainsFunc(p.Products, func(o api.Product) bool { return o.ID == product && slices.Contains(o.Can, action) })
}

// planDeactivation returns the action that cancels a service for a reason, or the refusal to do
// so; none if the service is cancelled or being cancelled.
func (p *Planner) planDeactivation(a Action, s api.Service, reason string) []Action {
	a.ProductID, a.Status = s.ProductID, s.Status
	switch {
	case lifecycle.Done(s.StatusID, api.Deactivate):
		return nil
	case !p.AllowDeactivate:
		a.Awaits = nil
		a.refuseBecause(reason)
	default:
		a.Kind, a.Operation = ActionDeactivate, api.Deactivate
		if reason == reasonFileLacksSubscriber {
			a.because(reason)
		}
	}
	return []Action{a}
}

// planActivation returns the action for a product that the subscriber lacks. A product is not
// activated only to be suspended: the subscriber would get the activation e-mail.
func planActivation(a Action, product api.Int, status string) Action {
	a.ProductID = product
	if status == statusSuspend || status == statusOverdue {
		a.AskedStatus = status
		a.refuseBecause(reasonServiceMissing)
		return a
	}
	a.Kind, a.Operation = ActionActivate, api.Activate
	return a
}

// planStatus returns the action that brings a service to the status that the row asks for, if one
// is needed.
func planStatus(a Action, s api.Service, status string) []Action {
	a.ProductID, a.Status = s.ProductID, s.Status
	if status == "" {
		return nil
	}
	op, possible := lifecycle.Toward(s.StatusID, api.StatusID(status))
	a.Operation = op
	switch {
	case !possible:
		a.AskedStatus = status
		a.refuseBecause(reasonStatusNotReachable)
	case op == "":
		return nil
	case op == api.Suspend, op == api.Overdue:
		a.Kind = ActionSuspend
	case lifecycle.Of(s.StatusID).WaitsFor == lifecycle.WaitsForYou: // retry what failed
		a.Kind = ActionActivate
	default:
		a.Kind = ActionReactivate
	}
	return []Action{a}
}
