package operator

import (
	"path/filepath"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// A trial that was stopped while it first filled its database begins again.
func TestATrialThatWasStoppedBeginsAgain(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "dev.db"), store.Options{})
	must(t, err)
	defer db.Close()
	parts := newParts(db, rules.Options{})
	partner, err := parts.Registry.CreatePartner(t.Context(), domain.Partner{Name: "parceiro-simulado", Driver: domain.DriverSimulator})
	must(t, err)
	first := DevProducts()[0]
	first.Active, first.Can, first.Partner = true, domain.CanAll, partner.ID
	must(t, parts.Registry.CreateProduct(t.Context(), first))
	if token, err := CreateDemoData(t.Context(), parts, 10, 0); err != nil || token == "" {
		t.Errorf("got the token %q, %v", token, err)
	}
}
