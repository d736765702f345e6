package bulk

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// Planner compares a file with what the server has.
type Planner struct {
	Client   *client.Client
	Products []api.Product
	// HasProducts tells that the file has a column of products; without one
	// they are left as they are.
	HasProducts bool
	// AllowDeactivate cancels services that the file does not wish; with a column
	// of products also those of subscribers that it lacks.
	AllowDeactivate bool

	changeable map[[2]api.Int]bool
}

// Plan reads all subscribers of the server and all rows, and fills the plan. A
// server with dry runs is asked which operations it would refuse.
func (p *Planner) Plan(ctx context.Context, rows iter.Seq2[*csvfile.Row, error], plan *Plan) error {
	p.changeable = map[[2]api.Int]bool{}
	now := map[string]*api.Subscriber{}
	for s, err := range p.Client.Subscribers(ctx) {
		if err != nil {
			return err
		}
		one := s.Value
		now[digits(one.Document)] = &one
	}
	plan.Subscribers = len(now)
	for row, err := range rows {
		if err != nil {
			return err
		}
		had := len(plan.Actions)
		if err := p.planRow(ctx, plan, row, now[row.Document]); err != nil {
			return err
		}
		if len(plan.Actions) == had {
			plan.Unchanged++
		}
		delete(now, row.Document)
	}
	p.planMissing(plan, now)
	if err := plan.refuseByDryRun(ctx, p.Client); err != nil {
		return err
	}
	plan.refuseWaiting()
	return nil
}

// planMissing are the subscribers that the file lacks.
func (p *Planner) planMissing(plan *Plan, now map[string]*api.Subscriber) {
	var documents []string
	for d, s := range now {
		if slices.ContainsFunc(s.Services, isLive) {
			documents = append(documents, d)
		}
	}
	plan.Missing = len(documents)
	if !p.AllowDeactivate || !p.HasProducts {
		return
	}
	slices.Sort(documents)
	for _, d := range documents {
		for _, s := range now[d].Services {
			if !isLive(s) {
				continue
			}
			if a := p.planDeactivation(Action{Document: d, Reason: "the file lacks the subscriber"}, s); a.Kind != "" {
				plan.Actions = append(plan.Actions, a)
			}
		}
	}
}

func (p *Planner) planRow(ctx context.Context, plan *Plan, row *csvfile.Row, has *api.Subscriber) error {
	at := Action{Document: row.Document, Line: row.Line}
	if has == nil {
		create := row.ImportRow
		if row.Status == statusCanceled {
			create.ProductsIDs = nil
		}
		at.Kind, at.Row = ActionCreate, &create
		plan.Actions = append(plan.Actions, at)
		return nil
	}
	if fields := differs(row, has); len(fields) > 0 {
		update := at
		update.Kind, update.Fields, update.Row = ActionUpdate, fields, &row.ImportRow
		plan.Actions = append(plan.Actions, update)
	}
	actions, err := p.planServices(ctx, at, row, has)
	plan.Actions = append(plan.Actions, actions...)
	return err
}

// Statuses that a file can wish.
const (
	statusActive   = "active"
	statusSuspend  = "suspend"
	statusOverdue  = "overdue"
	statusCanceled = "canceled"
)

// planServices brings the services of one subscriber to what the row wishes.
func (p *Planner) planServices(ctx context.Context, at Action, row *csvfile.Row, has *api.Subscriber) ([]Action, error) {
	var live []api.Service
	for _, s := range has.Services {
		if isLive(s) {
			live = append(live, s)
		}
	}
	var missing []api.Int
	var unwished []api.Service
	var actions []Action
	for _, s := range live {
		switch {
		case row.Status == statusCanceled || p.HasProducts && !slices.Contains(row.ProductsIDs, s.ProductID):
			unwished = append(unwished, s)
		default:
			actions = append(actions, planStatus(at, s, row.Status)...)
		}
	}
	if p.HasProducts && row.Status != statusCanceled {
		for _, product := range row.ProductsIDs {
			if !slices.ContainsFunc(live, func(s api.Service) bool { return s.ProductID == product }) {
				missing = append(missing, product)
			}
		}
	}
	changes, missing, unwished, err := p.planChanges(ctx, at, missing, unwished)
	if err != nil {
		return nil, err
	}
	actions = append(actions, changes...)
	for _, product := range missing {
		a := at
		a.Kind, a.Operation, a.ProductID = ActionActivate, api.Activate, product
		actions = append(actions, a)
	}
	if row.Status != statusCanceled {
		at.Awaits = row.ProductsIDs
	}
	for _, s := range unwished {
		actions = append(actions, p.planDeactivation(at, s))
	}
	return slices.DeleteFunc(actions, func(a Action) bool { return a.Kind == "" }), nil
}

// planChanges finds products that can take the place of one that is not wished.
func (p *Planner) planChanges(ctx context.Context, at Action, missing []api.Int, unwished []api.Service) (actions []Action, still []api.Int, rest []api.Service, err error) {
	for _, product := range missing {
		found := -1
		for i, s := range unwished {
			if s.StatusID != api.StatusActive {
				continue
			}
			ok, err := p.canChange(ctx, at.Document, s.ProductID, product)
			if err != nil {
				return nil, nil, nil, err
			}
			if ok {
				found = i
				break
			}
		}
		if found < 0 {
			still = append(still, product)
			continue
		}
		a := at
		a.Kind, a.ProductID, a.PreviousProductID, a.Status = ActionChange, product, unwished[found].ProductID, unwished[found].Status
		actions = append(actions, a)
		unwished = slices.Delete(slices.Clone(unwished), found, found+1)
	}
	return actions, still, unwished, nil
}

// canChange tells whether the one product may replace the other. The lists do
// not tell families; a server with dry runs is asked, once for each pair.
func (p *Planner) canChange(ctx context.Context, document string, from, to api.Int) (bool, error) {
	pair := [2]api.Int{from, to}
	if known, ok := p.changeable[pair]; ok {
		return known, nil
	}
	may := p.productCan(from, api.CanChangeFrom) && p.productCan(to, api.CanChangeTo)
	asks, err := p.Client.HasExtension(ctx, api.ExtValidate)
	if err != nil {
		return false, err
	}
	if may && asks {
		_, err := p.Client.ValidateChange(ctx, api.ChangeRequest{ProductID: to, PreviousProductID: from, Document: document})
		if _, no := refused(err); no {
			may = false
		} else if err != nil {
			return false, err
		}
	}
	p.changeable[pair] = may
	return may, nil
}

func (p *Planner) productCan(product api.Int, action string) bool {
	return slices.ContainsFunc(p.Products, func(o api.Product) bool { return o.ID == product && slices.Contains(o.Can, action) })
}

func (p *Planner) planDeactivation(at Action, s api.Service) Action {
	at.ProductID, at.Status = s.ProductID, s.Status
	switch {
	case s.StatusID == api.StatusWaitingCancellation:
		return Action{} // on its way
	case !p.AllowDeactivate:
		if at.Reason == "" {
			at.Reason = "the file lacks the product"
		}
		at.Kind, at.Awaits, at.Reason = ActionRefused, nil, at.Reason+"; --allow-deactivate cancels it"
	default:
		at.Kind, at.Operation = ActionDeactivate, api.Deactivate
	}
	return at
}

// planStatus brings a service that the row wishes to the status that it wishes.
func planStatus(at Action, s api.Service, status string) []Action {
	at.ProductID, at.Status = s.ProductID, s.Status
	refuse := func() []Action {
		at.Kind, at.Reason = ActionRefused, "it is "+s.Status+", which cannot become "+status+" now"
		return []Action{at}
	}
	do := func(word string, op api.Operation) []Action {
		at.Kind, at.Operation = word, op
		return []Action{at}
	}
	is := func(ids ...api.Int) bool { return slices.Contains(ids, s.StatusID) }
	switch status {
	case statusActive:
		switch {
		case is(api.StatusSuspend):
			return do(ActionReactivate, api.Activate)
		case is(api.StatusOverdue, api.StatusWaitingSuspensionDueToOverdue):
			return do(ActionReactivate, api.Settle)
		case is(api.StatusError):
			return do(ActionActivate, api.Activate)
		case is(api.StatusWaitingSuspension, api.StatusWaitingCancellation):
			return refuse()
		}
	case statusSuspend:
		switch {
		case is(api.StatusActive):
			return do(ActionSuspend, api.Suspend)
		case !is(api.StatusSuspend, api.StatusWaitingSuspension):
			return refuse()
		}
	case statusOverdue:
		switch {
		case is(api.StatusActive, api.StatusSuspend, api.StatusReactivated, api.StatusChanged, api.StatusWaitingSuspension):
			return do(ActionSuspend, api.Overdue)
		case !is(api.StatusOverdue, api.StatusWaitingSuspensionDueToOverdue):
			return refuse()
		}
	}
	return nil
}

// key is the idempotency key of a request of the plan.
func (p *Plan) key(phase string, n int) string { return p.ID + "." + phase + strconv.Itoa(n) }
