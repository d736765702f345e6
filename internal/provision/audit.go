package provision

import (
	"fmt"
	"maps"
	"slices"
)

// Finding is something an audit found in a database.
type Finding struct {
	Check    string // what was checked, stable snake_case: counters, queue, limit, live_tokens, …
	Provider string // "" when it belongs to none
	Detail   string // what is wrong, without personal data
	Note     bool   // true for what is allowed but worth knowing; else it is a fault
}

// Audit checks the services of a database against the rules: the counters are
// exact, nothing is queued while a provider is below its limit, and a
// subscriber has one live token per product and family (decisions.md 8).
type Audit struct {
	providers map[ProviderID]Provider
	products  map[int]Product
	counted   map[ProviderID]int
	queued    map[ProviderID]int
	live      []*Service // tokens of the present subscriber
	findings  []Finding
}

// NewAudit returns an audit of the services of the providers.
func NewAudit(providers []Provider, products []Product) *Audit {
	return &Audit{providers: indexBy(providers, func(p Provider) ProviderID { return p.ID }), products: indexBy(products, func(p Product) int { return p.ID }),
		counted: map[ProviderID]int{}, queued: map[ProviderID]int{}}
}

// Service checks one service. It is called for all of them, in order of id.
func (a *Audit) Service(s Service) {
	p := s.ID.Provider()
	if _, known := a.providers[p]; !known {
		a.add(Finding{Check: "services", Detail: fmt.Sprintf("service %d belongs to no provider", s.ID)})
		return
	}
	if _, known := a.products[s.ProductID]; !known {
		a.add(a.findingOf(p, "services", "service %d is of product %d, which does not exist", s.ID, s.ProductID))
	}
	if s.Status == NoService || nameOf(statusNames[:], s.Status) == "" {
		a.add(a.findingOf(p, "services", "service %d has status %d, which does not exist", s.ID, s.Status))
	}
	if s.HoldsActiveToken() {
		a.counted[p]++
	}
	if s.Status == LimitReached {
		a.queued[p]++
	}
	a.liveToken(s)
}

// liveToken checks that no other live token of the subscriber has the same
// product or family.
func (a *Audit) liveToken(s Service) {
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
			a.add(a.findingOf(s.ID.Provider(), "live_tokens", "services %d and %d are both live, of product %d", other.ID, s.ID, s.ProductID))
		case family != "" && a.products[other.ProductID].Family == family:
			a.add(a.findingOf(s.ID.Provider(), "live_tokens", "services %d and %d are both live, of family %q", other.ID, s.ID, family))
		}
	}
	a.live = append(a.live, &s)
}

// Findings checks the counters and returns everything the audit found.
func (a *Audit) Findings() []Finding {
	for _, id := range slices.Sorted(maps.Keys(a.providers)) {
		p := a.providers[id]
		if p.ActiveTokens != a.counted[id] {
			a.add(a.findingOf(id, "counters", "%d services hold a token, and the counter says %d", a.counted[id], p.ActiveTokens))
		}
		if p.Queued != a.queued[id] {
			a.add(a.findingOf(id, "counters", "%d services are queued, and the counter says %d", a.queued[id], p.Queued))
		}
		if free := p.Limit - p.ActiveTokens; free > 0 && p.Queued > 0 {
			a.add(a.findingOf(id, "queue", "%d activations are queued although there is room for %d; a running service starts them", p.Queued, free))
		}
		if p.ActiveTokens > p.Limit {
			f := a.findingOf(id, "limit", "%d services hold a token and the limit is %d: it was lowered, or suspended ones came back; no activation starts until some end", p.ActiveTokens, p.Limit)
			f.Note = true
			a.add(f)
		}
	}
	return a.findings
}

func (a *Audit) findingOf(p ProviderID, check, format string, args ...any) Finding {
	return Finding{Check: check, Provider: a.providers[p].Name, Detail: fmt.Sprintf(format, args...)}
}

// maxFindings is the maximum number of findings of one audit.
const maxFindings = 1000

func (a *Audit) add(f Finding) {
	if len(a.findings) < maxFindings {
		a.findings = append(a.findings, f)
	}
}
