package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// BenchmarkImport imports batches of 1,000 new subscribers with 1.3 products
// each, as the command line sends them. One operation is one subscriber.
func BenchmarkImport(b *testing.B) {
	m, p := newBenchmark(b)
	b.ResetTimer()
	importMany(b, m, p, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "subscribers/s")
}

// BenchmarkDeactivate cancels services in batches of 1,000 documents in random
// order, among four times as many subscribers. One operation is one service.
func BenchmarkDeactivate(b *testing.B) {
	m, p := newBenchmark(b)
	importMany(b, m, p, 4*b.N)
	order := rand.New(rand.NewPCG(1, 2)).Perm(4 * b.N)
	b.ResetTimer()
	for n := 0; n < b.N; n += 1000 {
		documents := make([]string, min(1000, b.N-n))
		for i := range documents {
			documents[i] = registration(order[n+i]).Document.Value
		}
		results, err := m.Provision(b.Context(), rules.Call{Provider: p}, rules.RequestDeactivate, 1, documents)
		if err != nil || results[0].Kind != rules.ResultAccepted {
			b.Fatal(results[0], err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "services/s")
}

func newBenchmark(b *testing.B) (*servicetest.Service, rules.ProviderID) {
	db, err := store.Open(b.Context(), pgtest.DSN(b), store.Options{Exclusive: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	m := servicetest.New(db, servicetest.Options{})
	for id, family := range []string{"play", "music"} {
		p := rules.Product{ID: id + 1, Name: family, Code: family, Family: family, Active: true, Can: rules.CanAll}
		if err := m.CreateProduct(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
	p, _, err := m.CreateProvider(b.Context(), rules.Provider{Name: "Provedor", Limit: 1 << 30, AllProducts: true})
	if err != nil {
		b.Fatal(err)
	}
	return m, p.ID
}

func importMany(b *testing.B, m *servicetest.Service, p rules.ProviderID, many int) {
	for n := 0; n < many; n += 1000 {
		rows := make([]rules.Registration, min(1000, many-n))
		for i := range rows {
			rows[i] = registration(n + i)
		}
		if _, err := m.Import(b.Context(), rules.Call{Provider: p}, rows); err != nil {
			b.Fatal(err)
		}
	}
}

func registration(n int) rules.Registration {
	root := (n + 1) * 387420489 % 999999937
	r := rules.Registration{Products: []int{1}, Fields: rules.Fields{
		Name: rules.Some(fmt.Sprintf("Assinante da Silva %d", n)), Email: rules.Some(fmt.Sprintf("assinante.silva%d@example.com.br", n)),
		Document: rules.Some(string(cpf.WithCheckDigits(fmt.Sprintf("%09d", root)))), Phone: rules.Some("+5511987654321"),
		SpeedID: rules.Some(n%38 + 1), Plan: rules.Some("Fibra 300, Residencial"),
	}}
	if n%10 < 3 {
		r.Products = []int{1, 2}
	}
	return r
}
