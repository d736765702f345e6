package server

import (
	"cmp"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/reports"
)

// reportUsage sends the usage of a period (decisions.md 14). It streams the response: an error after
// the first bytes closes the connection.
func (s *Server) reportUsage(c *requestContext) error {
	q := c.r.URL.Query()
	usage := api.Usage{From: q.Get(api.ParamFrom), To: q.Get(api.ParamTo), TZ: cmp.Or(q.Get(api.ParamTZ), time.UTC.String())}
	zone, _ := api.LoadZone(usage.TZ) // a nil zone makes UsagePeriod return an error
	period, err := s.reports.UsagePeriod(usage.From, usage.To, zone)
	if err != nil {
		return err
	}
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	out, tokens := c.stream(), q.Get(api.ParamDetail) == api.DetailTokens
	var found reports.Usage
	walk := func(each func(*reports.TokenUsage) error) (err error) {
		found, err = s.reports.Usage(c.r.Context(), c.Provider, period, tokens, each)
		return err
	}
	if tokens {
		err = beginWithList(out, "tokens", fillTokenUsage, walk)
	} else {
		_ = out.WriteByte('{') // Flush returns the error
		err = walk(func(*reports.TokenUsage) error { return nil })
	}
	if err != nil {
		return err
	}
	usage.Complete, usage.EventsSince = true, api.At(found.EventsSince) // retention deletes nothing that the numbers depend on
	for _, p := range found.Products {
		usage.Products = append(usage.Products, api.ProductUsage{
			ProductID: api.Int(p.ProductID), Name: products[p.ProductID].Name, Code: products[p.ProductID].Code,
			EnabledAtStart: api.Int(p.AtStart), Activated: api.Int(p.Activated), Ended: api.Int(p.Ended), EnabledAtEnd: api.Int(p.AtEnd),
			PeakEnabled: api.Int(p.Peak), EnabledDays: api.Int(p.Days),
		})
	}
	rest, err := encode(api.UsageResponse{Usage: usage, Response: api.ResponseSuccess})
	if err != nil {
		return err
	}
	_, _ = out.Write(rest[1:]) // without the opening brace
	return out.Flush()
}

func fillTokenUsage(into *api.TokenUsage, t *reports.TokenUsage) {
	*into = api.TokenUsage{
		Document: api.NullableString(t.Document), ProductID: api.Int(t.ProductID), TokenCreatedAt: api.At(t.CreatedAt),
		FirstEnabledAt: api.At(t.First), LastEnabledAt: api.At(t.Last), EnabledDays: api.Int(t.Days), Status: t.Status.String(),
	}
}
