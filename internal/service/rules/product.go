package rules

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Names returns the API names of the actions, in the order of api.md.
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

	// Instructions tell subscribers how to use it, as plain text, and HelpURL leads to more.
	// They may be empty, and are so in an Offer that a unit of work reads.
	Instructions, HelpURL string

	// RequestsActivation reports whether the partner also receives a request for activations. It
	// is set on reads.
	RequestsActivation bool
}

// replaces reports whether a service of old may be changed to p (decisions.md 8, Family).
func (p Product) replaces(old Product) bool {
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

// CreateProduct adds a product.
func (r *Registry) CreateProduct(ctx context.Context, p Product) error {
	if err := checkProduct(&p); err != nil {
		return err
	}
	return r.store.CreateProduct(ctx, p)
}

// UpdateProduct changes a product. It writes nothing when change returns an error.
// change may run more than once, and must not use the Registry.
func (r *Registry) UpdateProduct(ctx context.Context, id int, change func(*Product) error) (Product, error) {
	return r.store.UpdateProduct(ctx, id, func(p *Product) error {
		if err := change(p); err != nil {
			return err
		}
		p.ID = id
		return checkProduct(p)
	})
}

// Grant allows or forbids a provider to sell the products. Existing services stay.
func (r *Registry) Grant(ctx context.Context, name string, ids []int, granted bool) error {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	if err := r.checkProductIDs(ctx, ids); err != nil {
		return err
	}
	return r.store.Grant(ctx, p.ID, ids, granted)
}

func (r *Registry) checkProductIDs(ctx context.Context, ids []int) error {
	products, err := r.store.Products(ctx)
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

// checkProduct returns what is wrong with a product, and trims its instructions.
func checkProduct(p *Product) error {
	p.Instructions = strings.TrimSpace(strings.ReplaceAll(p.Instructions, "\r\n", "\n"))
	p.HelpURL = strings.TrimSpace(p.HelpURL)
	return firstInvalid(invalidProduct(*p), invalidInstructions(p.Instructions), invalidHelpURL(p.HelpURL))
}

// The limits of what subscribers read of a product (decisions.md 18).
const (
	maxInstructions = 2000 // characters
	maxHelpURL      = 500  // bytes
)

func invalidInstructions(s string) *Error {
	if utf8.RuneCountInString(s) > maxInstructions {
		return invalid("instructions", "at most 2,000 characters")
	}
	return invalidText("instructions", strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
}

func invalidHelpURL(s string) *Error {
	if s == "" {
		return nil
	}
	if invalidURL(s, false) != nil || invalidText("help_url", s) != nil || len(s) > maxHelpURL || strings.ContainsFunc(s, unicode.IsSpace) {
		return invalid("help_url", "an absolute https address of at most 500 characters")
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
