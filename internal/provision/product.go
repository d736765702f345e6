package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Action is something a product allows, a bit of Product.Can.
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
func (a Action) Names() []string {
	names := []string{}
	for i, name := range actionNames() {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// ParseActions reads the API's names of actions; the error names the first
// unknown one.
func ParseActions(names []string) (Action, error) {
	var all Action
	for _, name := range names {
		i := slices.Index(actionNames(), name)
		if i < 0 {
			return 0, &Error{Code: ValidationFailed, Message: "unknown action " + name}
		}
		all |= 1 << i
	}
	return all, nil
}

// Product is something the service sells to subscribers.
type Product struct {
	ID      int
	Name    string
	Code    string
	Family  string // products of one family replace each other; "" is none
	Active  bool
	Can     Action
	Partner PartnerID // who is asked and confirms; 0 is nobody

	// AsksActivation is filled in when products are read: the partner's
	// driver wants to hear of activations too.
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

// CreateProduct adds a product to what may be sold.
func (m *Manager) CreateProduct(ctx context.Context, p Product) error {
	if err := firstInvalid(invalidProduct(p, Product{})); err != nil {
		return err
	}
	return m.store.CreateProduct(ctx, p)
}

// UpdateProduct changes a product; nothing is written when change fails.
func (m *Manager) UpdateProduct(ctx context.Context, id int, change func(*Product) error) (Product, error) {
	products, err := m.store.Products(ctx)
	if err != nil {
		return Product{}, err
	}
	i := slices.IndexFunc(products, func(p Product) bool { return p.ID == id })
	if i < 0 {
		return Product{}, &Error{Code: NotFound, Message: "no product has this id"}
	}
	p := products[i]
	if err := change(&p); err != nil {
		return Product{}, err
	}
	if err := firstInvalid(invalidProduct(p, products[i])); err != nil {
		return Product{}, err
	}
	return p, m.store.UpdateProduct(ctx, p)
}

// Products lists every product by id.
func (m *Manager) Products(ctx context.Context) ([]Product, error) { return m.store.Products(ctx) }

// Grant lets a provider sell the products.
func (m *Manager) Grant(ctx context.Context, name string, ids []int) error {
	return m.grant(ctx, name, ids, m.store.Grant)
}

// RevokeProducts forbids a provider to sell the products; services that exist stay.
func (m *Manager) RevokeProducts(ctx context.Context, name string, ids []int) error {
	return m.grant(ctx, name, ids, m.store.Revoke)
}

func (m *Manager) grant(ctx context.Context, name string, ids []int, do func(context.Context, ProviderID, []int) error) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	if err := m.checkProductIDs(ctx, ids); err != nil {
		return err
	}
	return do(ctx, p.ID, ids)
}

// checkProductIDs refuses ids of products that there are not.
func (m *Manager) checkProductIDs(ctx context.Context, ids []int) error {
	products, err := m.store.Products(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(products, func(p Product) bool { return p.ID == id }) {
			return &Error{Code: NotFound, Message: fmt.Sprintf("product %d does not exist", id)}
		}
	}
	return nil
}

// invalidProduct checks a product. A text that is as it was before is not
// checked, so that a product which an older version accepted can be changed.
func invalidProduct(p, before Product) *Error {
	if p.ID < 1 {
		return invalid("id", "a positive number")
	}
	if p.Code != before.Code || p.Code == "" {
		if strings.TrimSpace(p.Code) == "" {
			return invalid("code", "must not be empty")
		}
		if err := invalidText("code", p.Code); err != nil {
			return err
		}
	}
	if p.Family != before.Family {
		if err := invalidText("family", p.Family); err != nil {
			return err
		}
	}
	if p.Name != before.Name || p.Name == "" {
		return invalidName(p.Name)
	}
	return nil
}
