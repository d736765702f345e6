package rules_test

import (
	"slices"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func TestAuditFindsWhatTheRulesDoNotAllow(t *testing.T) {
	const id domain.ProviderID = 1
	subscriber, _ := id.Subscribers()
	first, _ := (subscriber + 1).Services()
	service := func(n, product int, s domain.Status) domain.Service {
		return domain.Service{ID: first + domain.ServiceID(n), ProductID: product, Status: s}
	}
	products := []domain.Product{{ID: playBasic, Family: "play"}, {ID: playPremium, Family: "play"}, {ID: music}, {ID: alone}}
	for name, c := range map[string]struct {
		provider domain.Provider
		services []domain.Service
		want     []string // the checks of the findings
	}{
		"nothing": {domain.Provider{Limit: 2, ActiveTokens: 1, Queued: 0}, []domain.Service{
			service(1, playBasic, domain.Canceled), service(2, playBasic, domain.Active)}, nil},
		"several products without family": {domain.Provider{Limit: 2, ActiveTokens: 2}, []domain.Service{
			service(1, music, domain.Active), service(2, alone, domain.Active)}, nil},
		"a full queue":           {domain.Provider{Limit: 0, Queued: 1}, []domain.Service{service(1, music, domain.LimitReached)}, nil},
		"queued below the limit": {domain.Provider{Limit: 1, Queued: 1}, []domain.Service{service(1, music, domain.LimitReached)}, []string{"queue"}},
		"wrong active tokens":    {domain.Provider{Limit: 2, ActiveTokens: 2}, []domain.Service{service(1, music, domain.Active)}, []string{"counters"}},
		"wrong queue length":     {domain.Provider{Limit: 1, ActiveTokens: 1, Queued: 2}, []domain.Service{service(1, music, domain.Active)}, []string{"counters"}},
		"above the limit":        {domain.Provider{Limit: 0, ActiveTokens: 1}, []domain.Service{service(1, music, domain.Active)}, []string{"limit"}},
		"two of a product": {domain.Provider{Limit: 2, ActiveTokens: 2}, []domain.Service{
			service(1, music, domain.Active), service(2, music, domain.InProgress)}, []string{"live_tokens"}},
		"two of a family": {domain.Provider{Limit: 2, ActiveTokens: 2}, []domain.Service{
			service(1, playBasic, domain.Active), service(2, playPremium, domain.Active)}, []string{"live_tokens"}},
		"an unknown product": {domain.Provider{Limit: 1, ActiveTokens: 1}, []domain.Service{service(1, 99, domain.Active)}, []string{"services"}},
		"an unknown status":  {domain.Provider{Limit: 1}, []domain.Service{service(1, music, 99)}, []string{"services"}},
	} {
		c.provider.ID, c.provider.Name = id, "Provedor"
		audit := rules.NewAudit([]domain.Provider{c.provider}, products)
		for _, s := range c.services {
			audit.Service(s)
		}
		var got []string
		for _, f := range audit.Findings() {
			got = append(got, f.Check)
			if f.Note != (f.Check == "limit") || f.Provider != "Provedor" || f.Detail == "" {
				t.Errorf("%s: got %+v", name, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got findings %v, want %v", name, got, c.want)
		}
	}
}

func TestAuditFindsServicesWithoutProvider(t *testing.T) {
	audit := rules.NewAudit(nil, nil)
	audit.Service(domain.Service{ID: 1 << 60, Status: domain.Active})
	if got := audit.Findings(); len(got) != 1 || got[0].Check != "services" || got[0].Provider != "" {
		t.Errorf("got %+v, want one finding of no provider", got)
	}
}
