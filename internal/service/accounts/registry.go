package accounts

import (
	"context"

	"ativa/internal/service/domain"
)

// RegistryStore stores what the operator configures. A method that takes fn reads and writes in
// one transaction, so that concurrent changes both take effect. It writes nothing if fn returns an
// error, and may run fn again from the start.
type RegistryStore interface {
	CallbackStore

	// CreateProvider adds a provider that may sell the products, with its access
	// tokens, and assigns the ids. It returns NameTaken when the name exists.
	CreateProvider(ctx context.Context, p domain.Provider, products []int, tokens ...domain.AccessToken) (domain.Provider, error)
	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (domain.Provider, error)
	// Grant allows or forbids the provider to sell the products.
	Grant(ctx context.Context, p domain.ProviderID, ids []int, granted bool) error

	// UpdateBrand changes the brand of a provider with fn, which gets the zero Brand if there is
	// none.
	UpdateBrand(ctx context.Context, p domain.ProviderID, fn func(*domain.Brand) error) (domain.Brand, error)
	// Brands returns the brands of the providers that have one.
	Brands(context.Context, []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error)

	Products(context.Context) ([]domain.Product, error)
	// CreateProduct returns NameTaken when the id or the code exists.
	CreateProduct(context.Context, domain.Product) error
	// UpdateProduct changes a product, except its id, with fn. No write that has read the products
	// runs meanwhile. It returns NotFound if the product does not exist, and FamilyConflict if a
	// subscriber would then have two live tokens of one family, or could get two of one product
	// because a change within the family is under way or has failed.
	UpdateProduct(ctx context.Context, id int, fn func(*domain.Product) error) (domain.Product, error)
	// CreateInternetSpeed returns NameTaken when the id, the text or the slug exists.
	CreateInternetSpeed(context.Context, domain.InternetSpeed) error

	// CreatePartner assigns the id. It returns NameTaken when the name exists.
	CreatePartner(context.Context, domain.Partner) (domain.Partner, error)
	// UpdatePartner changes URL, delay, failure rate and secret of a partner with fn. It returns NotFound
	// if the name does not exist.
	UpdatePartner(ctx context.Context, name string, fn func(*domain.Partner) error) (domain.Partner, error)
}

// Registry keeps what the operator configures: providers, products, internet speeds, partners,
// brands and callbacks. It is safe for concurrent use.
type Registry struct {
	store RegistryStore
	clock domain.Clock
}

// NewRegistry returns the registry of a database.
func NewRegistry(store RegistryStore, clock domain.Clock) *Registry { return &Registry{store, clock} }
