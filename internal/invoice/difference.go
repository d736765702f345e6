package invoice

import (
	"cmp"
	"fmt"
	"slices"

	"ativa/internal/api"
)

// Differences returns the differences between the invoice and the service: by kind, then in order of
// the invoice, and unbilled services by document. If the usage is not complete, nothing billed can
// be verified.
func (c *Comparison) Differences(complete bool) ([]Difference, Summary) {
	var all []Difference
	for i := range c.pairs {
		p := &c.pairs[i]
		if p.lines > 0 {
			c.summary.Billed++
		}
		if p.services > 0 {
			c.summary.Enabled++
		}
		kind, reason := c.compare(p, complete)
		if kind == "" {
			c.summary.Matched++
			continue
		}
		all = append(all, p.difference(kind, reason))
	}
	for _, u := range c.unread {
		c.summary.Billed++
		all = append(all, u.difference())
	}
	for _, d := range all {
		switch d.Kind {
		case BilledNotEnabled:
			c.summary.BilledNotEnabled++
		case EnabledNotBilled:
			c.summary.EnabledNotBilled++
		case DaysDiffer:
			c.summary.DaysDiffer++
		default:
			c.summary.NotVerifiable++
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Document, b.Document), cmp.Compare(a.ProductID, b.ProductID))
	})
	return all, c.summary
}

// Kinds returns the kinds of differences in the order in which they are listed.
func Kinds() []string { return []string{BilledNotEnabled, EnabledNotBilled, DaysDiffer, NotVerifiable} }

func rank(kind string) int { return slices.Index(Kinds(), kind) }

// compare returns the kind of a pair's difference and its reason; both are empty if there is none.
func (c *Comparison) compare(p *pair, complete bool) (kind, reason string) {
	switch {
	case p.lines == 0:
		return EnabledNotBilled, ""
	case !complete:
		return NotVerifiable, ReasonIncomplete
	case p.services == 0 && c.unknown[p.key.document]:
		return NotVerifiable, ReasonUnknownDocument
	case p.services == 0:
		return BilledNotEnabled, ""
	case p.unread != "":
		return NotVerifiable, p.unread
	case !p.withoutDays && p.billedDays != p.enabledDays:
		return DaysDiffer, ""
	case p.withoutDays && p.lines > p.services:
		return BilledNotEnabled, ReasonBilledAgain
	}
	return "", ""
}

func (p *pair) difference(kind, reason string) Difference {
	d := Difference{Kind: kind, Document: api.NullableString(documentText(p.key.document)), ProductID: api.NullableInt(p.key.product),
		Line: api.NullableInt(p.line), Lines: int(p.lines), Reason: api.NullableString(reason)}
	if p.lines > 0 && !p.withoutDays {
		d.BilledDays = new(int(p.billedDays))
	}
	if p.services > 0 {
		d.EnabledDays = new(int(p.enabledDays))
	}
	return d
}

func (u *unread) difference() Difference {
	d := Difference{Kind: NotVerifiable, Document: api.NullableString(u.document), ProductID: api.NullableInt(u.product),
		Line: api.NullableInt(u.line), Lines: 1, Reason: api.NullableString(u.reason)}
	if u.days.Set {
		d.BilledDays = &u.days.Value
	}
	return d
}

func documentText(document uint64) string { return fmt.Sprintf("%011d", document) }
