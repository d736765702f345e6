package provision

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

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

// Names returns the API's names of the actions, in its order.
func (a Action) Names() []string { return namesOf(a, actionNames()) }

// ParseActions returns the set of the named actions. The error names the first
// unknown one.
func ParseActions(names []string) (Action, error) {
	all, unknown, ok := setOf[Action](names, actionNames())
	if !ok {
		return 0, refusalOf("", unknown, ValidationFailed, "no action has this name")
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

	// RequestsActivation is set when products are read: the partner receives a
	// request for activations too.
	RequestsActivation bool
}

// replaces reports whether a service of old may be changed to p (decisions.md 8, Family).
func (p Product) replaces(old Product) bool {
	return p.Family != "" && p.Family == old.Family && p.ID != old.ID && p.Active &&
		p.Can&CanChangeTo != 0 && old.Can&CanChangeFrom != 0
}

// Offer is a product as one provider sees it.
type Offer struct {
	Product
	Granted bool // the provider may sell it
}

// CreateProduct adds a product.
func (m *Manager) CreateProduct(ctx context.Context, p Product) error {
	if err := firstInvalid(invalidProduct(p)); err != nil {
		return err
	}
	return m.store.CreateProduct(ctx, p)
}

// UpdateProduct changes a product. It writes nothing when change returns an error.
// change may run more than once, and must not call the Manager.
func (m *Manager) UpdateProduct(ctx context.Context, id int, change func(*Product) error) (Product, error) {
	return m.store.UpdateProduct(ctx, id, func(p *Product) error {
		if err := change(p); err != nil {
			return err
		}
		p.ID = id
		return firstInvalid(invalidProduct(*p))
	})
}

// Grant allows a provider to sell the products, or forbids it. Existing services
// stay.
func (m *Manager) Grant(ctx context.Context, name string, ids []int, granted bool) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	if err := m.checkProductIDs(ctx, ids); err != nil {
		return err
	}
	return m.store.Grant(ctx, p.ID, ids, granted)
}

func (m *Manager) checkProductIDs(ctx context.Context, ids []int) error {
	products, err := m.store.Products(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(products, func(p Product) bool { return p.ID == id }) {
			return refusalOf(SubjectProduct, strconv.Itoa(id), NotFound, "no product has this id")
		}
	}
	return nil
}

func invalidProduct(p Product) *Error {
	if err := invalidID(p.ID); err != nil {
		return err
	}
	if strings.TrimSpace(p.Code) == "" {
		return invalid("code", "must not be empty")
	}
	if err := invalidText("code", p.Code); err != nil {
		return err
	}
	if err := invalidText("family", p.Family); err != nil {
		return err
	}
	return invalidName(p.Name)
}
