package provision_test

import (
	"slices"
	"testing"

	"ativa/internal/provision"
)

func TestAuditFindsWhatTheRulesDoNotAllow(t *testing.T) {
	const id provision.ProviderID = 1
	subscriber, _ := id.Subscribers()
	first, _ := (subscriber + 1).Services()
	service := func(n, product int, s provision.Status) provision.Service {
		return provision.Service{ID: first + provision.ServiceID(n), ProductID: product, Status: s}
	}
	products := []provision.Product{{ID: playBasic, Family: "play"}, {ID: playPremium, Family: "play"}, {ID: music}, {ID: alone}}
	for name, c := range map[string]struct {
		provider provision.Provider
		services []provision.Service
		want     []string // the checks of the findings
	}{
		"nothing": {provision.Provider{Limit: 2, ActiveTokens: 1, Queued: 0}, []provision.Service{
			service(1, playBasic, provision.Canceled), service(2, playBasic, provision.Active)}, nil},
		"several products without family": {provision.Provider{Limit: 2, ActiveTokens: 2}, []provision.Service{
			service(1, music, provision.Active), service(2, alone, provision.Active)}, nil},
		"a full queue":           {provision.Provider{Limit: 0, Queued: 1}, []provision.Service{service(1, music, provision.LimitReached)}, nil},
		"queued below the limit": {provision.Provider{Limit: 1, Queued: 1}, []provision.Service{service(1, music, provision.LimitReached)}, []string{"queue"}},
		"wrong active tokens":    {provision.Provider{Limit: 2, ActiveTokens: 2}, []provision.Service{service(1, music, provision.Active)}, []string{"counters"}},
		"wrong queue length":     {provision.Provider{Limit: 1, ActiveTokens: 1, Queued: 2}, []provision.Service{service(1, music, provision.Active)}, []string{"counters"}},
		"above the limit":        {provision.Provider{Limit: 0, ActiveTokens: 1}, []provision.Service{service(1, music, provision.Active)}, []string{"limit"}},
		"two of a product": {provision.Provider{Limit: 2, ActiveTokens: 2}, []provision.Service{
			service(1, music, provision.Active), service(2, music, provision.InProgress)}, []string{"live_tokens"}},
		"two of a family": {provision.Provider{Limit: 2, ActiveTokens: 2}, []provision.Service{
			service(1, playBasic, provision.Active), service(2, playPremium, provision.Active)}, []string{"live_tokens"}},
		"an unknown product": {provision.Provider{Limit: 1, ActiveTokens: 1}, []provision.Service{service(1, 99, provision.Active)}, []string{"services"}},
		"an unknown status":  {provision.Provider{Limit: 1}, []provision.Service{service(1, music, 99)}, []string{"services"}},
	} {
		c.provider.ID, c.provider.Name = id, "Provedor"
		audit := provision.NewAudit([]provision.Provider{c.provider}, products)
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
	audit := provision.NewAudit(nil, nil)
	audit.Service(provision.Service{ID: 1 << 60, Status: provision.Active})
	if got := audit.Findings(); len(got) != 1 || got[0].Check != "services" || got[0].Provider != "" {
		t.Errorf("got %+v, want one finding of no provider", got)
	}
}
