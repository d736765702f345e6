package invoice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// Differences returns the differences between the invoice and the service: by kind, then in order of
// the invoice, and unbilled services by document. If the usage is not complete, nothing billed can
// be verified.
func (c *Comparison) Differences(complete bool) ([]Difference, Summary) {
	c.unmask()
	var all []Difference
	for i := range c.pairs {
		p := &c.pairs[i]
		if p.lines > 0 {
			c.summary.Billed++
		}
		if p.services > 0 {
			c.summary.Enabled++
		}
		kind, reason := p.compare(complete)
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
func (p *pair) compare(complete bool) (kind, reason string) {
	switch {
	case p.lines == 0:
		return EnabledNotBilled, ""
	case !complete:
		return NotVerifiable, ReasonIncomplete
	case p.services == 0 && p.unknown:
		return NotVerifiable, ReasonUnknownDocument
	case p.services == 0:
		return BilledNotEnabled, ""
	case p.unreadDays:
		return NotVerifiable, sheet.CodeInvalidDays
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
		d.BilledDays = daysOf(p.billedDays)
	}
	if p.services > 0 {
		d.EnabledDays = daysOf(p.enabledDays)
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

func daysOf(days int32) *int {
	n := int(days)
	return &n
}

func documentText(document uint64) string { return fmt.Sprintf("%011d", document) }

// unmask bills each masked line that fits exactly one service, if no other line bills or fits that
// service.
func (c *Comparison) unmask() {
	lines, fits := map[string][]int{}, map[string][]int{}
	shapes := map[string]bool{}
	for i, u := range c.unread {
		if u.masked() {
			shapes[shapeOf(u.document)] = true
			lines[u.key()] = append(lines[u.key()], i)
		}
	}
	if len(shapes) == 0 {
		return
	}
	for i, p := range c.pairs {
		if p.lines > 0 {
			continue
		}
		for shape := range shapes {
			if key := maskKey(documentText(p.key.document), shape, p.key.product); lines[key] != nil {
				fits[key] = append(fits[key], i)
			}
		}
	}
	rest := c.unread[:0]
	for _, u := range c.unread {
		if !u.masked() || len(lines[u.key()]) != 1 || len(fits[u.key()]) != 1 || c.pairs[fits[u.key()][0]].lines > 0 {
			rest = append(rest, u)
			continue
		}
		c.pairs[fits[u.key()][0]].bill(u)
	}
	c.unread = rest
}

// masked reports whether the line only lacks digits of its document.
func (u *unread) masked() bool { return u.reason == sheet.CodeMasked && u.product != 0 }

// key returns the masked document and product of the line.
func (u *unread) key() string { return maskKey(u.document, shapeOf(u.document), u.product) }

// bill records that the masked line bills this pair.
func (p *pair) bill(u unread) {
	p.line, p.lines = int32(u.line), 1
	p.billedDays, p.withoutDays = int32(u.days.Value), !u.days.Set
}

// shapeOf returns the shape of a masked document: * for hidden characters, 0 for others.
func shapeOf(mask string) string {
	return strings.Map(func(r rune) rune {
		if r == '*' {
			return r
		}
		return '0'
	}, mask)
}

// maskKey returns a document masked in that shape, with a product.
func maskKey(document, shape string, product api.Int) string {
	shown := []byte(document)
	for i := range shown {
		if shape[i] == '*' {
			shown[i] = '*'
		}
	}
	return fmt.Sprintf("%s %d", shown, product)
}
