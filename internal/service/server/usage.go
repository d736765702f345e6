package server

import (
	"bufio"
	"cmp"
	"net/http"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/reports"
)

// reportUsage sends what was enabled in a period (decisions.md 14). It streams the response: an
// error after the first bytes have been sent closes the connection.
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
	w := &usageWriter{c: c, out: c.stream(), tokens: q.Get(api.ParamDetail) == api.DetailTokens, written: s.o.Clock()}
	found, err := s.reports.Usage(c.r.Context(), c.provider, period, w.tokens, w.token)
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
	return w.finish(usage)
}

// usageWriter writes a report: first the tokens, if requested, then the totals, which are known
// only at the end.
type usageWriter struct {
	c       *requestContext
	out     *bufio.Writer
	tokens  bool
	begun   bool
	written time.Time // when data was last sent to the client
	one     api.TokenUsage
}

func (w *usageWriter) token(t *reports.TokenUsage) error {
	if err := w.keepAlive(); err != nil || !w.tokens {
		return err
	}
	before := `,`
	if !w.begun {
		before = `{"tokens":[`
	}
	w.begun = true
	_, _ = w.out.WriteString(before) // MarshalWrite returns the error
	w.one = api.TokenUsage{
		Document: api.NullableString(t.Document), ProductID: api.Int(t.ProductID), TokenCreatedAt: api.At(t.CreatedAt),
		FirstEnabledAt: api.At(t.First), LastEnabledAt: api.At(t.Last), EnabledDays: api.Int(t.Days), Status: t.Status.String(),
	}
	return api.MarshalWrite(w.out, &w.one)
}

// keepAlive sends spaces, which JSON allows anywhere, if nothing was sent for a while, because the
// client would consider the server dead.
func (w *usageWriter) keepAlive() error {
	const patience, blanks = 10 * time.Second, 8 << 10
	now := w.c.s.o.Clock()
	if now.Sub(w.written) < patience {
		return nil
	}
	w.written = now
	_, _ = w.out.WriteString(strings.Repeat(" ", blanks)) // Flush returns the error
	if err := w.out.Flush(); err != nil {
		return err
	}
	return http.NewResponseController(w.c).Flush()
}

func (w *usageWriter) finish(usage api.Usage) error {
	rest, err := encode(api.UsageResponse{Usage: usage, Response: api.ResponseSuccess})
	if err != nil {
		return err
	}
	switch {
	case w.begun:
		_, _ = w.out.WriteString(`],`)
		rest = rest[1:]
	case w.tokens:
		_, _ = w.out.WriteString(`{"tokens":[],`)
		rest = rest[1:]
	}
	_, _ = w.out.Write(rest)
	return w.out.Flush()
}
