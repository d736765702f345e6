package rules_test

import (
	"slices"
	"testing"

	"ativa/internal/service/rules"
)

func TestAuditFindsWhatTheRulesDoNotAllow(t *testing.T) {
	const id rules.ProviderID = 1
	subscriber, _ := id.Subscribers()
	first, _ := (subscriber + 1).Services()
	service := func(n, product int, s rules.Status) rules.Service {
		return rules.Service{ID: first + rules.ServiceID(n), ProductID: product, Status: s}
	}
	products := []rules.Product{{ID: playBasic, Family: "play"}, {ID: playPremium, Family: "play"}, {ID: music}, {ID: alone}}
	for name, c := range map[string]struct {
		provider rules.Provider
		services []rules.Service
		want     []string // the checks of the findings
	}{
		"nothing": {rules.Provider{Limit: 2, ActiveTokens: 1, Queued: 0}, []rules.Service{
			service(1, playBasic, rules.Canceled), service(2, playBasic, rules.Active)}, nil},
		"several products without family": {rules.Provider{Limit: 2, ActiveTokens: 2}, []rules.Service{
			service(1, music, rules.Active), service(2, alone, rules.Active)}, nil},
		"a full queue":           {rules.Provider{Limit: 0, Queued: 1}, []rules.Service{service(1, music, rules.LimitReached)}, nil},
		"queued below the limit": {rules.Provider{Limit: 1, Queued: 1}, []rules.Service{service(1, music, rules.LimitReached)}, []string{"queue"}},
		"wrong active tokens":    {rules.Provider{Limit: 2, ActiveTokens: 2}, []rules.Service{service(1, music, rules.Active)}, []string{"counters"}},
		"wrong queue length":     {rules.Provider{Limit: 1, ActiveTokens: 1, Queued: 2}, []rules.Service{service(1, music, rules.Active)}, []string{"counters"}},
		"above the limit":        {rules.Provider{Limit: 0, ActiveTokens: 1}, []rules.Service{service(1, music, rules.Active)}, []string{"limit"}},
		"two of a product": {rules.Provider{Limit: 2, ActiveTokens: 2}, []rules.Service{
			service(1, music, rules.Active), service(2, music, rules.InProgress)}, []string{"live_tokens"}},
		"two of a family": {rules.Provider{Limit: 2, ActiveTokens: 2}, []rules.Service{
			service(1, playBasic, rules.Active), service(2, playPremium, rules.Active)}, []string{"live_tokens"}},
		"an unknown product": {rules.Provider{Limit: 1, ActiveTokens: 1}, []rules.Service{service(1, 99, rules.Active)}, []string{"services"}},
		"an unknown status":  {rules.Provider{Limit: 1}, []rules.Service{service(1, music, 99)}, []string{"services"}},
	} {
		c.provider.ID, c.provider.Name = id, "Provedor"
		audit := rules.NewAudit([]rules.Provider{c.provider}, products)
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
	audit.Service(rules.Service{ID: 1 << 60, Status: rules.Active})
	if got := audit.Findings(); len(got) != 1 || got[0].Check != "services" || got[0].Provider != "" {
		t.Errorf("got %+v, want one finding of no provider", got)
	}
}
