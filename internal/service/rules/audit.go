package rules

import (
	"maps"
	"slices"

	"ativa/internal/service/domain"
)

// Finding is something an audit found in a database.
type Finding struct {
	Check    string // what was checked, stable snake_case: counters, queue, limit, live_tokens, …
	Provider string // "" when it belongs to none
	Detail   string // what is wrong, without personal data: a format string, so that it can be translated
	Args     []any  // arguments of Detail
	Note     bool   // true: allowed but worth knowing; false: a fault
}

// Audit checks the services of a database against the rules: the counters are
// exact, nothing is queued while a provider is below its limit, and a
// subscriber has one live token per product and family (decisions.md 8).
type Audit struct {
	providers map[domain.ProviderID]domain.Provider
	products  map[int]domain.Product
	counted   map[domain.ProviderID]int
	queued    map[domain.ProviderID]int
	live      []*domain.Service // tokens of the current subscriber
	findings  []Finding
}

// NewAudit returns an audit of the services of the providers.
func NewAudit(providers []domain.Provider, products []domain.Product) *Audit {
	a := &Audit{providers: map[domain.ProviderID]domain.Provider{}, products: map[int]domain.Product{}, counted: map[domain.ProviderID]int{}, queued: map[domain.ProviderID]int{}}
	for _, p := range providers {
		a.providers[p.ID] = p
	}
	for _, p := range products {
		a.products[p.ID] = p
	}
	return a
}

// Service checks one service. Call it for every service, in order of id.
func (a *Audit) Service(s domain.Service) {
	p := s.ID.Provider()
	if _, known := a.providers[p]; !known {
		a.add(p, Finding{Check: "services", Detail: "service %d belongs to no provider", Args: []any{s.ID}})
		return
	}
	if _, known := a.products[s.ProductID]; !known {
		a.add(p, Finding{Check: "services", Detail: "service %d is of product %d, which does not exist", Args: []any{s.ID, s.ProductID}})
	}
	if !s.Status.Known() {
		a.add(p, Finding{Check: "services", Detail: "service %d has status %d, which does not exist", Args: []any{s.ID, s.Status}})
	}
	if s.HoldsActiveToken() {
		a.counted[p]++
	}
	if s.Status == domain.LimitReached {
		a.queued[p]++
	}
	a.liveToken(s)
}

// liveToken checks that no other live token of the subscriber has the same
// product or family.
func (a *Audit) liveToken(s domain.Service) {
	if len(a.live) > 0 && a.live[0].ID.Subscriber() != s.ID.Subscriber() {
		a.live = a.live[:0]
	}
	if s.Status.Ended() {
		return
	}
	family := a.products[s.ProductID].Family
	for _, other := range a.live {
		switch {
		case other.ProductID == s.ProductID:
			a.add(s.ID.Provider(), Finding{Check: "live_tokens", Detail: "services %d and %d are both live, of product %d", Args: []any{other.ID, s.ID, s.ProductID}})
		case family != "" && a.products[other.ProductID].Family == family:
			a.add(s.ID.Provider(), Finding{Check: "live_tokens", Detail: "services %d and %d are both live, of family %q", Args: []any{other.ID, s.ID, family}})
		}
	}
	a.live = append(a.live, &s)
}

// Findings checks the counters and returns all findings, at most maxFindings.
func (a *Audit) Findings() []Finding {
	for _, id := range slices.Sorted(maps.Keys(a.providers)) {
		p := a.providers[id]
		if p.ActiveTokens != a.counted[id] {
			a.add(id, Finding{Check: "counters", Detail: "%d services hold a token, and the counter says %d", Args: []any{a.counted[id], p.ActiveTokens}})
		}
		if p.Queued != a.queued[id] {
			a.add(id, Finding{Check: "counters", Detail: "%d services are queued, and the counter says %d", Args: []any{a.queued[id], p.Queued}})
		}
		if free := p.Limit - p.ActiveTokens; free > 0 && p.Queued > 0 {
			a.add(id, Finding{Check: "queue", Detail: "%d activations are queued although there is room for %d; a running service starts them", Args: []any{p.Queued, free}})
		}
		if p.ActiveTokens > p.Limit {
			a.add(id, Finding{Check: "limit", Note: true, Args: []any{p.ActiveTokens, p.Limit},
				Detail: "%d services hold a token and the limit is %d: it was lowered, or suspended ones came back; no activation starts until some end"})
		}
	}
	return a.findings
}

// maxFindings is the maximum number of findings of one audit.
const maxFindings = 1000

// add adds a finding about provider p, which may not exist.
func (a *Audit) add(p domain.ProviderID, f Finding) {
	f.Provider = a.providers[p].Name
	if len(a.findings) < maxFindings {
		a.findings = append(a.findings, f)
	}
}
