package store_test

import (
	"context"
	"slices"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// A product cannot leave its family during a change of product, nor join one if a subscriber would
// then have two (decisions.md, families).
func TestAFamilyChangesOnlyIfNoSubscriberWouldHaveTwo(t *testing.T) {
	for _, c := range []struct {
		name     string
		services []domain.Service // of one subscriber
		product  int              // whose family is changed; 1 and 2 are of one, 3 of none
		family   string
		refused  bool
	}{
		{"nobody has it", nil, 1, "", false},
		{"one is active", []domain.Service{{ProductID: 1, Status: domain.Active}}, 1, "", false},
		{"a change to it is under way", []domain.Service{{ProductID: 1, PreviousProductID: 2, Status: domain.Changed}}, 1, "", true},
		{"a change from it is under way", []domain.Service{{ProductID: 2, PreviousProductID: 1, Status: domain.Changed}}, 1, "new", true},
		{"a change to it failed", []domain.Service{{ProductID: 1, RequestedProductID: 2, Status: domain.InError}}, 1, "", true},
		{"something else failed", []domain.Service{{ProductID: 1, Status: domain.InError}}, 1, "", false},
		{"the family stays", []domain.Service{{ProductID: 1, PreviousProductID: 2, Status: domain.Changed}}, 1, "play", false},
		{"joined by a second one", []domain.Service{{ProductID: 1, Status: domain.Active}, {ProductID: 3, Status: domain.Suspended}}, 3, "play", true},
		{"the other is cancelled", []domain.Service{{ProductID: 1, Status: domain.Canceled}, {ProductID: 3, Status: domain.Active}}, 3, "play", false},
		{"it was never activated", []domain.Service{{ProductID: 1, Status: domain.Active}, {ProductID: 3, Status: domain.CanceledWithoutActivation}}, 3, "play", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, db := newDatabase(t)
			for id, family := range map[int]string{1: "play", 2: "play", 3: ""} {
				must(t, db.CreateProduct(t.Context(), domain.Product{ID: id, Name: "Produto", Code: string(rune('a' + id)), Family: family}))
			}
			f.insert(1, 2)
			first, _ := f.subscriber(1).ID.Services()
			others, _ := f.subscriber(2).ID.Services()
			services := []domain.Service{{ID: others + 1, ProductID: 2, Status: domain.Active}}
			for i, s := range c.services {
				s.ID = first + domain.ServiceID(i) + 1
				services = append(services, s)
			}
			f.write(rules.Changes{NewServices: services})
			_, err := db.UpdateProduct(t.Context(), c.product, func(p *domain.Product) error { p.Family = c.family; return nil })
			if refused := domain.IsCode(err, domain.FamilyConflict); refused != c.refused || !refused && err != nil {
				t.Errorf("got %v, want it refused: %t", err, c.refused)
			}
			products, err := db.Products(t.Context())
			must(t, err)
			if got := products[c.product-1].Family; (got == c.family) == c.refused {
				t.Errorf("the family is %q", got)
			}
		})
	}
}

// Providers with queued services below their limit are promotable.
func TestProvidersWithRoomAndAQueueArePromotable(t *testing.T) {
	_, db := newDatabase(t)
	for _, p := range []domain.Provider{{Name: "Both", ActiveTokens: 1, Queued: 1}, {Name: "No queue", ActiveTokens: 1}, {Name: "Full", ActiveTokens: 2, Queued: 1}, {Name: "Over", ActiveTokens: 3, Queued: 1}} {
		f := newProvider(t, db, p.Name)
		p.ID, p.Limit = f.p, 2
		f.update(func(ctx context.Context, tx rules.Tx) error { return tx.SaveProvider(ctx, p) })
	}
	want, err := db.ProviderByName(t.Context(), "Both")
	must(t, err)
	if got, err := db.PromotableProviders(t.Context()); err != nil || !slices.Equal(got, []domain.ProviderID{want.ID}) {
		t.Errorf("got %v, %v, want provider %d alone", got, err, want.ID)
	}
}

// A failed creation leaves no provider whose name the next attempt could not use.
func TestAProviderIsCreatedWholeOrNotAtAll(t *testing.T) {
	_, db := newDatabase(t)
	const name = "Novo"
	token := domain.AccessToken{Name: "default", Hash: [32]byte{1}}
	again := domain.AccessToken{Name: "another", Hash: token.Hash}
	if p, err := db.CreateProvider(t.Context(), domain.Provider{Name: name}, []int{1}, token, again); err == nil {
		t.Fatalf("got %+v of two tokens with one secret, want an error", p)
	}
	all, err := db.Providers(t.Context())
	if err != nil || len(all) != 1 {
		t.Errorf("got %+v, %v after the failure, want no other provider", all, err)
	}
}

// A product cannot take another's code, with or without a change of family.
func TestACodeOfAnotherProductIsRefused(t *testing.T) {
	_, db := newDatabase(t)
	for id, code := range map[int]string{1: "one", 2: "two"} {
		must(t, db.CreateProduct(t.Context(), domain.Product{ID: id, Name: "Produto", Code: code, Family: "play"}))
	}
	for _, family := range []string{"play", "", "other"} {
		_, err := db.UpdateProduct(t.Context(), 1, func(p *domain.Product) error { p.Code, p.Family = "two", family; return nil })
		if !domain.IsCode(err, domain.NameTaken) {
			t.Errorf("in the family %q: got %v, want that the name is taken", family, err)
		}
	}
}
