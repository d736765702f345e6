package rules_test

import (
	"fmt"
	"testing"

	"ativa/internal/service/domain"
)

func TestSearchFoldsCaseAndAccentsAndReadsDigits(t *testing.T) {
	fx := newFixture(t, 10)
	f := fields(1)
	f.Name, f.Email = domain.Some("João da Conceição"), domain.Some("JOAO.c@example.com.br")
	_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	fx.must(err)
	fx.register(2, 3)
	for term, want := range map[string]int{
		"joao": 1, "CONCEICAO joão": 1, "joão silva": 0, "joao.c@": 1, "%": -1, "as": 2, "a_s": 0, "%%": 0,
		doc(1): 1, document(1).Format(): 1, doc(1)[:5]: 3, "98765-43": 3, "ass 2": 1,
		"(11) 98765": 3, "joao 98765": 0, "98765@example.com": 0, "98765 x": 0,
	} {
		parsed, err := domain.ParseSearchTerm(term)
		if want < 0 {
			wantCode(t, err, domain.ValidationFailed)
			continue
		}
		fx.must(err)
		_, total, err := fx.m.Search(fx.ctx, fx.p.ID, parsed, 0, 1)
		fx.must(err)
		all := 0
		fx.must(fx.m.EachMatch(fx.ctx, fx.p.ID, parsed, func(*domain.SubscriberServices) error { all++; return nil }))
		if all != want || total != want {
			t.Errorf("search %q: got %d of %d, want %d", term, all, total, want)
		}
	}
}

// Apostrophes and hyphens of every kind are ignored in names, addresses and terms
// (decisions.md 6).
func TestApostrophesAndHyphensAreIgnored(t *testing.T) {
	fx := newFixture(t, 10)
	for n, name := range []string{"Sant'Ana", "Sant’Ana", "Santana", "Sant´Ana", "Sant`Ana", "Santʼana", "Sant‘Ana", "Sant-Ana", "Sant\u2010Ana", "Sant\u2011Ana", "Sant\u2013Ana"} {
		f := fields(n + 1)
		f.Name, f.Email = domain.Some("Dora "+name), domain.Some(fmt.Sprintf("dora-%d@porto-alegre.example.com", n))
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
		fx.must(err)
	}
	const all = 11
	for _, term := range []string{"santana", "sant'ana", "SANT’ANA", "dora sant´ana", "sant-ana", "sant\u2010ana", "sant\u2011ana", "sant\u2013ana", "sant\u2014ana", "sant`ana",
		"@porto-alegre", "@portoalegre", "'dora'"} {
		parsed, err := domain.ParseSearchTerm(term)
		fx.must(err)
		_, total, err := fx.m.Search(fx.ctx, fx.p.ID, parsed, 0, 1)
		fx.must(err)
		if total != all {
			t.Errorf("search %q: got %d, want %d", term, total, all)
		}
	}
	for _, term := range []string{"--", "'’", "a-"} {
		_, err := domain.ParseSearchTerm(term)
		wantCode(t, err, domain.ValidationFailed)
	}
}
